package screen

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	tasks := Table{Head: []string{"ID", "TITLE", "WHO"}, Grow: 1}
	tasks.Add("T-1", "Raise the walls of the house", "agent:a")
	tasks.Add("T-2", "壁を建てる", "")
	for _, c := range []struct {
		name  string
		width int
		want  []string
	}{
		{"without a limit nothing is cut", 0, []string{
			"ID  TITLE  WHO",
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
			if got := printed(tasks, c.width, Plain); got != want {
				t.Errorf("at a width of %d:\n%s\nwant:\n%s", c.width, got, want)
			}
		})
	}
}

func TestTableWithoutRowsIsEmpty(t *testing.T) {
	empty := Table{Head: []string{"ID", "TITLE"}, Grow: 1}
	if got := printed(empty, 80, Plain); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestTableCellsStayOnTheirLine(t *testing.T) {
	one := Table{Head: []string{"TITLE"}}
	one.Add("two\nlines\tand \x1b[2J")
	if got, want := printed(one, 0, Plain), "TITLE\ntwo\\nlines\\tand \\x1b[2J\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColourTakesNoRoom(t *testing.T) {
	coloured := Table{Head: []string{"ID", "TITLE"}, Grow: 1}
	coloured.Add("T-1", "Raise the walls")
	want := "ID   TITLE\n\x1b[1mT-1\x1b[0m  Raise the walls\n"
	if got := printed(coloured, 20, Style(true)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func printed(t Table, width int, st Style) string {
	var b strings.Builder
	t.Print(&b, width, st)
	return b.String()
}
