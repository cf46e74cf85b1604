package cmd

import (
	"io"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/mattn/go-runewidth"
)

// table prints rows with aligned columns. Off a terminal nothing is cut, so that what is searched for is found. On one that is too narrow the
// columns give way in this order, until the rows fit: the column grow is cut to a fair part of the width, columns change to their short forms,
// grow is cut to what can just be read, and columns go. What is left over goes to grow again. A column that nobody can do without goes below the rows.
type table struct {
	head   []string
	rows   [][]cell
	grow   int
	indent string   // before each line
	cols   []column // of each column of the head; nil for columns that never go
}

// column says how a column gives way.
type column struct {
	sometimes bool // it is left out where all its cells are empty
	shorten   int  // which of the columns change to their short forms as the first, from 1; 0 for never
	drop      int  // which of them go first, from 1; 0 for never
	below     bool // where there is no room for all of it, it stands on lines of its own below its row
}

// cell is what stands in a row of a column.
type cell struct {
	text   string
	short  string // what it says where there is little room; "" for the same
	bright int    // how many bytes at its end are bright while the rest is dim; 0 for a plain cell, or a bold one in the first column
}

// add adds a row. Each cell is made harmless and kept on one line.
func (t *table) add(texts ...string) {
	cells := make([]cell, len(texts))
	for i, text := range texts {
		cells[i].text = text
	}
	t.addCells(cells...)
}

// addCells is add for cells of which more than the text is known.
func (t *table) addCells(cells ...cell) {
	for i, c := range cells {
		cells[i].text, cells[i].short = harmless.Line(c.text), harmless.Line(c.short)
	}
	t.rows = append(t.rows, cells)
}

const (
	gap       = "  "
	leastGrow = 12 // columns: less says nothing
	readGrow  = 20 // can be read
	fairGrow  = 28 // or two fifths of the width: before it is cut further, other columns become shorter
)

// print writes the table, at most width columns wide if possible; 0 is without limit. Without rows it writes nothing.
func (t *table) print(out io.Writer, width int, st style) {
	if len(t.rows) == 0 {
		return
	}
	if width > 0 {
		width = max(1, width-len(t.indent))
	}
	l := t.fit(width)
	head := make([]cell, len(t.head))
	for i, name := range t.head {
		head[i] = cell{text: name}
	}
	if text := l.line(head, plainStyle); text != "" {
		fprintf(out, "%s%s\n", t.indent, painted(text))
	}
	for _, row := range t.rows {
		fprintf(out, "%s%s\n", t.indent, painted(l.line(row, st)))
		for i := range row {
			if text := l.text(i, row[i]); l.below[i] && text != "" {
				fprintf(out, "%s\n", lines(t.indent+belowMargin+wrapWords(text, width-len(belowMargin), t.indent+belowMargin)))
			}
		}
	}
}

const belowMargin = "      "

// fitted is which columns of a table are shown, how, and how wide.
type fitted struct {
	*table
	gone   []bool
	short  []bool
	below  []bool
	widths []int
}

// fit fits the table into a width.
func (t *table) fit(width int) fitted {
	n := len(t.head)
	l := fitted{table: t, gone: make([]bool, n), short: make([]bool, n), below: make([]bool, n), widths: make([]int, n)}
	for i := range t.head {
		l.widths[i] = l.widest(i)
		l.gone[i] = t.column(i).sometimes && l.empty(i)
	}
	natural := l.widths[t.grow]
	if width <= 0 || l.total() <= width {
		return l
	}
	l.widths[t.grow] = min(natural, max(fairGrow, width*2/5))
	for n := 1; n <= len(t.head) && l.total() > width; n++ {
		l.shorten(n)
	}
	for i := 0; i < len(t.head) && l.total() > width; i++ {
		l.below[i] = t.column(i).below
		l.gone[i] = l.gone[i] || l.below[i]
	}
	l.widths[t.grow] = min(natural, max(readGrow, l.widths[t.grow]-max(0, l.total()-width)))
	for n := 1; n <= len(t.head) && l.total() > width; n++ {
		l.drop(n)
	}
	l.widths[t.grow] = min(natural, max(leastGrow, l.widths[t.grow]+width-l.total()))
	if last := len(t.head) - 1; l.total() > width && last != t.grow && !l.gone[last] { // the last column gives what the other cannot
		l.widths[last] = max(leastGrow, l.widths[last]-(l.total()-width))
	}
	return l
}

func (t *table) column(i int) column {
	if i >= len(t.cols) {
		return column{}
	}
	return t.cols[i]
}

// shorten changes the nth column that is to become shorter.
func (l *fitted) shorten(n int) {
	for i := range l.head {
		if l.column(i).shorten == n && !l.gone[i] {
			l.short[i] = true
			l.widths[i] = l.widest(i)
		}
	}
}

// drop removes the nth column that is to go.
func (l *fitted) drop(n int) {
	for i := range l.head {
		if l.column(i).drop == n {
			l.gone[i] = true
		}
	}
}

// total is how wide the rows are.
func (l *fitted) total() int {
	total := -len(gap)
	for i, w := range l.widths {
		if !l.gone[i] {
			total += w + len(gap)
		}
	}
	return total
}

// text is what a cell of a column says.
func (l *fitted) text(i int, c cell) string {
	if l.short[i] && c.short != "" {
		return c.short
	}
	return c.text
}

func (l *fitted) widest(i int) int {
	w := runewidth.StringWidth(l.head[i])
	for _, row := range l.rows {
		w = max(w, runewidth.StringWidth(l.text(i, row[i])))
	}
	return w
}

func (l *fitted) empty(i int) bool {
	for _, row := range l.rows {
		if row[i].text != "" {
			return false
		}
	}
	return true
}

func (l *fitted) line(row []cell, st style) string {
	var b strings.Builder
	for i, c := range row {
		if l.gone[i] {
			continue
		}
		text := cutAtWord(l.text(i, c), l.widths[i])
		pad := strings.Repeat(" ", max(0, l.widths[i]-runewidth.StringWidth(text)))
		b.WriteString(string(c.paint(text, i == 0, st)) + pad + gap)
	}
	return strings.TrimRight(b.String(), " ")
}

// paint is the text of a cell in its colours.
func (c cell) paint(text string, first bool, st style) painted {
	if n := len(text) - c.bright; c.bright > 0 && n > 0 && bool(st) {
		return st.dim(text[:n]) + st.bold(text[n:])
	}
	if first || c.bright > 0 {
		return st.bold(text)
	}
	return painted(text)
}

// cutAtWord shortens a text to a width, with an ellipsis. It ends behind a word, unless that would leave less than half of the room; then it is
// one long word, or of a language that has no spaces between them.
func cutAtWord(text string, width int) string {
	if runewidth.StringWidth(text) <= width {
		return text
	}
	cut := runewidth.Truncate(text, max(width-1, 0), "")
	if !strings.HasPrefix(text[len(cut):], " ") {
		if at := strings.LastIndexByte(cut, ' '); at > 0 && runewidth.StringWidth(cut[:at]) >= (width-1)/2 {
			cut = cut[:at]
		}
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
