package cmd

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

func TestTable(t *testing.T) {
	tasks := table{head: []string{"ID", "TITLE", "WHO"}, grow: 1}
	tasks.add("T-1", "Raise the walls of the house", "agent:a")
	tasks.add("T-2", "壁を建てる", "")
	for _, c := range []struct {
		name  string
		width int
		want  []string
	}{
		{"without a limit nothing is cut", 0, []string{
			"ID   TITLE                         WHO",
			"T-1  Raise the walls of the house  agent:a",
			"T-2  壁を建てる",
		}},
		{"a narrow terminal shortens the titles", 30, []string{
			"ID   TITLE             WHO",
			"T-1  Raise the walls…  agent:a",
			"T-2  壁を建てる",
		}},
		{"but leaves something of them", 5, []string{
			"ID   TITLE         WHO",
			"T-1  Raise the…    agent:a",
			"T-2  壁を建てる",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Join(c.want, "\n") + "\n"
			if got := printed(tasks, c.width, plainStyle); got != want {
				t.Errorf("at a width of %d:\n%s\nwant:\n%s", c.width, got, want)
			}
		})
	}
}

func TestTableWithoutRowsIsEmpty(t *testing.T) {
	empty := table{head: []string{"ID", "TITLE"}, grow: 1}
	if got := printed(empty, 80, plainStyle); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestTableCellsStayOnTheirLine(t *testing.T) {
	one := table{head: []string{"TITLE"}}
	one.add("two\nlines\tand \x1b[2J")
	if got, want := printed(one, 0, plainStyle), "TITLE\ntwo\\nlines\\tand \\x1b[2J\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColourTakesNoRoom(t *testing.T) {
	coloured := table{head: []string{"ID", "TITLE"}, grow: 1}
	coloured.add("T-1", "Raise the walls")
	want := "ID   TITLE\n\x1b[1mT-1\x1b[0m  Raise the walls\n"
	if got := printed(coloured, 20, style(true)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func printed(t table, width int, st style) string {
	var b strings.Builder
	t.print(&b, width, st)
	return b.String()
}

// Every code stands in the line of its number.
func TestExitCodes(t *testing.T) {
	lines := map[int]string{}
	for line := range strings.Lines(exitCodes()) {
		n, err := strconv.Atoi(strings.Fields(line)[0])
		if err != nil {
			t.Fatalf("the line %q begins with no number", line)
		}
		lines[n] = line
	}
	for _, info := range task.Codes {
		if !strings.Contains(lines[info.Exit], " "+string(info.Code)) {
			t.Errorf("%s is not in the line of %d: %q", info.Code, info.Exit, lines[info.Exit])
		}
	}
	for _, n := range []int{0, 6, ExitInterrupted} {
		if lines[n] == "" {
			t.Errorf("%d is not explained", n)
		}
	}
}
