package cmd

import (
	"io"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/mattn/go-runewidth"
)

// table lines columns up. The first column is printed bold; the column grow gives way where the terminal is too narrow.
type table struct {
	head []string
	rows [][]string
	grow int
}

// add adds a row. Cells are made safe, and put on one line.
func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = harmless.Line(c)
	}
	t.rows = append(t.rows, cells)
}

const (
	gap       = "  "
	leastGrow = 12 // columns
)

// print writes the table, at most width columns wide where that can be done; 0 is without limit. No rows make no table.
func (t *table) print(out io.Writer, width int, st style) {
	if len(t.rows) == 0 {
		return
	}
	widths := t.widths()
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if width > 0 && total > width {
		widths[t.grow] = max(leastGrow, widths[t.grow]-(total-width))
	}
	fprintf(out, "%s\n", painted(t.line(t.head, widths, plainStyle)))
	for _, row := range t.rows {
		fprintf(out, "%s\n", painted(t.line(row, widths, st)))
	}
}

func (t *table) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(c))
		}
	}
	return widths
}

func (t *table) line(row []string, widths []int, st style) string {
	var b strings.Builder
	for i, c := range row {
		if i == t.grow {
			c = runewidth.Truncate(c, widths[i], "…")
		}
		pad := strings.Repeat(" ", max(0, widths[i]-runewidth.StringWidth(c)))
		if i == 0 {
			c = string(st.bold(c))
		}
		b.WriteString(c + pad + gap)
	}
	return strings.TrimRight(b.String(), " ")
}
