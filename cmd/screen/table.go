package screen

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/mattn/go-runewidth"
)

// Table prints rows with aligned columns. Off a terminal nothing is cut, so that what is searched for is found, and
// nothing padded: two spaces stand between columns, and a dash for what is empty before others. On one that is too narrow the columns give way in this order, until the rows fit: the column grow is cut to a fair part of
// the width, columns change to their short forms, grow is cut to what can just be read, and columns go. What is left
// over goes to grow again. A column that nobody can do without goes below the rows.
type Table struct {
	Head   []string
	Rows   [][]Cell
	Grow   int
	Indent string   // before each line
	Cols   []Column // of each column of the head; nil for columns that never go
}

// Column says how a column gives way.
type Column struct {
	Sometimes bool // it is left out where all its cells are empty
	Shorten   int  // which of the columns change to their short forms as the first, from 1; 0 for never
	Drop      int  // which of them go first, from 1; 0 for never
	Below     bool // where there is no room for all of it, it stands on lines of its own below its row
	Wrap      bool // what is too long for it goes on below, in the same column; it is the last
}

// Cell is what stands in a row of a column.
type Cell struct {
	Text   string
	Short  string // what it says where there is little room; "" for the same
	Bright int    // how many bytes at its end are bright while the rest is dim; 0 for a plain cell, or a bold one in the first column
}

// GrowWidest has the widest column be cut first.
func (t *Table) GrowWidest() {
	t.Grow = 0
	widths := t.fit(0).widths
	for i, w := range widths {
		if w > widths[t.Grow] {
			t.Grow = i
		}
	}
}

// Add adds a row. Each cell is made harmless and kept on one line.
func (t *Table) Add(texts ...string) {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	t.AddCells(cells...)
}

// AddCells is Add for cells of which more than the text is known.
func (t *Table) AddCells(cells ...Cell) {
	for i, c := range cells {
		cells[i].Text, cells[i].Short = harmless.Line(c.Text), harmless.Line(c.Short)
	}
	t.Rows = append(t.Rows, cells)
}

const (
	gap       = "  "
	leastGrow = 12 // columns: less says nothing
	readGrow  = 20 // can be read
	fairGrow  = 28 // or two fifths of the width: before it is cut further, other columns become shorter
)

// Print writes the table, at most width columns wide if possible; 0 is without limit. Without rows it writes nothing.
func (t *Table) Print(out io.Writer, width int, st Style) {
	if len(t.Rows) == 0 {
		return
	}
	if width > 0 {
		width = max(1, width-len(t.Indent))
	}
	l := t.fit(width)
	head := make([]Cell, len(t.Head))
	for i, name := range t.Head {
		head[i] = Cell{Text: name}
	}
	if text := l.line(head, Plain); text != "" {
		Fprintf(out, "%s%s\n", t.Indent, Painted(text))
	}
	for _, row := range t.Rows {
		first, more := l.wrap(row)
		Fprintf(out, "%s%s\n", t.Indent, Painted(l.line(first, st)))
		for _, text := range more {
			Fprintf(out, "%s%s\n", t.Indent, Lines(text))
		}
		for i := range row {
			if text := l.text(i, row[i]); l.below[i] && text != "" {
				Fprintf(out, "%s\n", Lines(t.Indent+belowMargin+WrapWords(text, width-len(belowMargin), t.Indent+belowMargin)))
			}
		}
	}
}

const wrapLines = 3 // of one cell; what is longer is cut

// wrap is a row of which the last cell fits its column, and the lines on which that goes on.
func (l *layout) wrap(row []Cell) (first []Cell, more []string) {
	last := len(row) - 1
	if l.plain || last < 0 || !l.column(last).Wrap || l.gone[last] {
		return row, nil
	}
	width := l.widths[last]
	more = strings.Split(WrapWords(l.text(last, row[last]), width, ""), "\n")
	if len(more) > wrapLines {
		more = append(more[:wrapLines-1], cutAtWord(strings.Join(more[wrapLines-1:], " "), width))
	}
	first = append(slices.Clone(row[:last]), Cell{Text: more[0]})
	for i, text := range more {
		more[i] = strings.Repeat(" ", l.total()-width) + cutAtWord(text, width)
	}
	return first, more[1:]
}

const belowMargin = "      "

// layout is which columns of a table are shown, how, and how wide.
type layout struct {
	*Table
	plain  bool // off a terminal
	gone   []bool
	short  []bool
	below  []bool
	widths []int
}

func (t *Table) fit(width int) layout {
	n := len(t.Head)
	l := layout{Table: t, plain: width <= 0, gone: make([]bool, n), short: make([]bool, n), below: make([]bool, n), widths: make([]int, n)}
	for i := range t.Head {
		l.widths[i] = l.widest(i)
		l.gone[i] = (t.column(i).Sometimes || t.Head[i] == "") && l.empty(i)
	}
	natural := l.widths[t.Grow]
	if width <= 0 || l.total() <= width {
		return l
	}
	l.widths[t.Grow] = min(natural, max(fairGrow, width*2/5))
	for n := 1; n <= len(t.Head) && l.total() > width; n++ {
		l.shorten(n)
	}
	for i := 0; i < len(t.Head) && l.total() > width; i++ {
		l.below[i] = t.column(i).Below
		l.gone[i] = l.gone[i] || l.below[i]
	}
	l.widths[t.Grow] = min(natural, max(readGrow, l.widths[t.Grow]-max(0, l.total()-width)))
	for n := 1; n <= len(t.Head) && l.total() > width; n++ {
		l.drop(n)
	}
	l.widths[t.Grow] = min(natural, max(leastGrow, l.widths[t.Grow]+width-l.total()))
	if last := len(t.Head) - 1; l.total() > width && last != t.Grow && !l.gone[last] { // the last column gives what the other cannot
		l.widths[last] = max(leastGrow, l.widths[last]-(l.total()-width))
	}
	return l
}

func (t *Table) column(i int) Column {
	if i >= len(t.Cols) {
		return Column{}
	}
	return t.Cols[i]
}

// shorten changes the nth column that is to become shorter.
func (l *layout) shorten(n int) {
	for i := range l.Head {
		if l.column(i).Shorten == n && !l.gone[i] {
			l.short[i] = true
			l.widths[i] = l.widest(i)
		}
	}
}

// drop removes the nth column that is to go.
func (l *layout) drop(n int) {
	for i := range l.Head {
		if l.column(i).Drop == n {
			l.gone[i] = true
		}
	}
}

func (l *layout) total() int {
	total := -len(gap)
	for i, w := range l.widths {
		if !l.gone[i] {
			total += w + len(gap)
		}
	}
	return total
}

func (l *layout) text(i int, c Cell) string {
	if l.short[i] && c.Short != "" {
		return c.Short
	}
	return c.Text
}

func (l *layout) widest(i int) int {
	w := runewidth.StringWidth(l.Head[i])
	for _, row := range l.Rows {
		w = max(w, runewidth.StringWidth(l.text(i, row[i])))
	}
	return w
}

func (l *layout) empty(i int) bool {
	for _, row := range l.Rows {
		if row[i].Text != "" {
			return false
		}
	}
	return true
}

func (l *layout) line(row []Cell, st Style) string {
	var b strings.Builder
	last := len(row) - 1
	for last >= 0 && (l.gone[last] || row[last].Text == "") {
		last--
	}
	for i, c := range row[:last+1] {
		if l.gone[i] {
			continue
		}
		if l.plain {
			b.WriteString(cmp.Or(c.Text, "-") + gap)
			continue
		}
		text := cutAtWord(l.text(i, c), l.widths[i])
		pad := strings.Repeat(" ", max(0, l.widths[i]-runewidth.StringWidth(text)))
		b.WriteString(string(c.paint(text, i == 0, st)) + pad + gap)
	}
	return strings.TrimRight(b.String(), " ")
}

func (c Cell) paint(text string, first bool, st Style) Painted {
	if n := len(text) - c.Bright; c.Bright > 0 && n > 0 && bool(st) {
		return st.Dim(text[:n]) + st.Bold(text[n:])
	}
	if first || c.Bright > 0 {
		return st.Bold(text)
	}
	return Painted(text)
}

// cutAtWord shortens a text to a width, with an ellipsis. It ends behind a word, unless that would leave less than half
// of the room; then it is one long word, or of a language that has no spaces between them.
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
