package render

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/mattn/go-runewidth"
)

// The screen of status is looked at in testdata/status. No line is wider than the terminal.
func TestStatusScreen(t *testing.T) {
	now := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	rows := listedRows()
	one := func(row verb.Row) status.Task {
		return status.Task{ID: row.ID, Title: row.Title, Status: row.Status, Priority: row.Urgency, Due: row.Due}
	}
	running, mine, stalled, review, overdue, closed := one(rows[0]), one(rows[1]), one(rows[4]), one(rows[4]), one(rows[2]), one(rows[5])
	running.Actor, running.Since, running.Doing = "agent:claude-1", ago(5*time.Minute), "the rounding is \x1b[31mdone"
	mine.Actor, mine.Since, mine.Mine = "human:Shah", ago(50*time.Hour), true
	stalled.Actor, stalled.Since = "agent:a-name-that-is-longer-than-most-names-are", ago(3*time.Hour)
	stalled.Clone, mine.Lost, review.Mine = "5027596a8fd2", true, true
	closed.Status, closed.Since = "done", ago(10*time.Second)
	out := status.Out{
		Workspace: "SHOP", Actor: "human:Shah", Total: 40, Open: 30, Blocked: 4, Inbox: 2,
		Running: []status.Task{running, mine}, Stalled: []status.Task{stalled}, Review: []status.Task{review}, Overdue: []status.Task{overdue},
		Ready: []status.Task{one(rows[3])}, Closed: []status.Task{closed}, Jobs: []status.Job{{Job: "job-01m82n2fgy7q9c", Task: "SHOP-01m82n2fgz3m1n", Executor: "claude", State: "RUNNING"}},
		Waiting: []handoffs.Waiting{
			{What: "review", Title: review.Title, Next: "cairn review show " + string(review.ID)},
			{What: "failed", Title: running.Title, Why: "CHECKS_FAILED: it greets", Next: "cairn job retry job-01m82n2fgy7q9c"},
		},
		Totals: status.Totals{Waiting: 2, Running: 2, Stalled: 1, Review: 1, Overdue: 1, Ready: 12, Closed: 1, Jobs: 1},
		Next:   []string{"cairn review show " + string(review.ID), "cairn inbox"},
	}
	for _, columns := range []int{60, 200} {
		var shown bytes.Buffer
		r := &Renderer{Out: &shown, Width: columns, Now: func() time.Time { return now }, Getenv: func(string) string { return "" }}
		r.Show(out)
		golden(t, filepath.Join("testdata", "status", fmt.Sprintf("%d.golden", columns)), shown.String())
		for line := range strings.Lines(shown.String()) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("%d columns: %s", w, line)
			}
		}
	}
	if out.Running[0].Status != record.Status("in_progress") {
		t.Error("the rows of the list are others now")
	}
}
