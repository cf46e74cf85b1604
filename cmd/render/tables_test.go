package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/task"
	"github.com/mattn/go-runewidth"
)

// listedRows are tasks as a list shows them: long titles, wide and combined characters, and everything that a note can
// say.
func listedRows() []verb.Row {
	return []verb.Row{
		{ID: "SHOP-01m82n2fgv1ce6", Title: "Round discounts to the nearest cent in carts that have more than one currency", Status: "in_progress", Assignee: "agent:claude-1", Ready: true},
		{ID: "SHOP-01m82n2fgtnhb4", Title: "割引を最も近いセントに丸めて、カートに複数の通貨があっても正しく表示する", Status: "backlog", Urgency: 1, BlockedBy: []record.ID{"SHOP-01m82n2fgv1ce6"}},
		{ID: "SHOP-01m82n2fgw8k2p", Title: "Ship it 🚀 with the café menu and the e\u0301clair page", Status: "backlog", Urgency: 1, BlockedBy: []record.ID{"SHOP-01m82n2fgv1ce6", "SHOP-01m82n2fgtnhb4", "SHOP-01m82n2fgx0000"}, Due: "2026-06-20", Overdue: true},
		{ID: "SHOP-01m82n2fgx0000", Title: "Relaunch", Status: "backlog", Urgency: 2, OpenChildren: 3, Due: "2026-07-01"},
		{ID: "SHOP-01m82n2fgy7q9c", Title: "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenfabrikantenverein", Status: "in_review", Urgency: 2, Assignee: "human:Shah", Execution: "awaiting_review"},
		{ID: "SHOP-01m82n2fgz3m1n", Title: "Sweep the yard", Status: "backlog", Urgency: 4, Elsewhere: &verb.Elsewhere{Status: "done", Branch: "yard"}},
	}
}

// explainedRows are the same with the reasons for which they are ready or not.
func explainedRows() []verb.Row {
	rows := listedRows()[:4]
	rows[0].Why = []verb.Reason{{Code: task.IsHeld, Actor: "agent:claude-1"}}
	rows[1].Why = []verb.Reason{{Code: task.WaitsFor, Tasks: []verb.ReasonTask{{ID: "SHOP-01m82n2fgv1ce6", Status: "in_progress"}}}, {Code: task.IsLapsed, Actor: "agent:b"}}
	rows[2].Why = []verb.Reason{{Code: task.HasChildren, Tasks: []verb.ReasonTask{{ID: "SHOP-01m82n2fgx0000", Status: "backlog"}}, Total: 4}, {Code: task.IsInReview, Status: "in_review"}}
	rows[3].Why = []verb.Reason{{Code: task.IsReady}}
	return rows
}

// The tables of tasks are looked at in testdata/tables. On a terminal no line is wider than it, and no title is cut
// within a word.
func TestTablesOfTasks(t *testing.T) {
	short := map[string]int{}
	for _, row := range listedRows() {
		short[string(row.ID)] = 4
	}
	for _, tt := range []struct {
		name  string
		width int
		style screen.Style
		rows  []verb.Row
		short map[string]int
	}{
		{"60", 60, screen.Plain, listedRows(), short},
		{"80", 80, screen.Plain, listedRows(), short},
		{"100", 100, screen.Plain, listedRows(), short},
		{"200", 200, screen.Plain, listedRows(), short},
		{"no-terminal", 0, screen.Plain, listedRows(), nil},
		{"coloured", 100, screen.Style(true), listedRows()[:2], short},
		{"explain-60", 60, screen.Plain, explainedRows(), short},
		{"explain-100", 100, screen.Plain, explainedRows(), short},
		{"explain-no-terminal", 0, screen.Plain, explainedRows(), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := tableOfTasks(tt.rows, tt.short)
			got := printed(table, tt.width, tt.style)
			golden(t, filepath.Join("testdata", "tables", tt.name+".txt"), strings.ReplaceAll(got, "\x1b", "␛"))
			if tt.style {
				return
			}
			for line := range strings.Lines(got) {
				if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); tt.width > 0 && w > tt.width {
					t.Errorf("%d columns: %s", w, line)
				}
			}
			if tt.width == 0 {
				for _, row := range tt.rows {
					if !strings.Contains(got, string(row.ID)+" ") || !strings.Contains(got, row.Title) {
						t.Errorf("%s is not whole", row.ID)
					}
				}
			}
		})
	}
}

// At every width the lines fit, down to what a title needs, and of words that are separated by spaces none is cut.
func TestTablesFitEveryWidth(t *testing.T) {
	rows := listedRows()
	rows = append(rows[:4], rows[5])
	for width := 60; width <= 220; width++ {
		short := map[string]int{}
		for _, row := range rows {
			short[string(row.ID)] = 4
		}
		table := tableOfTasks(rows, short)
		for line := range strings.Lines(printed(table, width, screen.Plain)) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("at %d it has %d columns: %s", width, w, line)
			}
			if before, _, cut := strings.Cut(line, "…"); cut && strings.Contains(line, "Round") {
				words := strings.Fields(before)
				if last := words[len(words)-1]; !strings.Contains(rows[0].Title+" ", " "+last+" ") {
					t.Errorf("at %d it cuts a word: %s", width, line)
				}
			}
		}
	}
}

// On a narrow terminal a job gives up what matters least, and what it ended with stands below it. No id is cut.
func TestJobsOnANarrowTerminal(t *testing.T) {
	one := jobs.Job{Job: "job-01m8kk69xz0gew", Task: "SHOP-01m82n2fgv1ce6", State: job.Failed, Executor: "claude", Reason: job.ChecksFailed, Message: "tests pass: exit 1, 850 cents and not 849"}
	var out strings.Builder
	r := &Renderer{Out: &out, Width: 60, Now: time.Now}
	r.table("[]jobs.Job", []any{one})
	want := "JOB                 STATE   TASK                 EXECUTOR\n" +
		"job-01m8kk69xz0gew  FAILED  SHOP-01m82n2fgv1ce6  claude\n" +
		"      CHECKS_FAILED: tests pass: exit 1, 850 cents and not\n" +
		"      849\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// golden compares with a file, or writes it under UPDATE=1.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s is out of date (%v); UPDATE=1 go test ./cmd/render rewrites it. Now:\n%s", path, err, fmt.Sprint(got))
	}
}

func printed(t screen.Table, width int, st screen.Style) string {
	var out strings.Builder
	t.Print(&out, width, st)
	return out.String()
}
