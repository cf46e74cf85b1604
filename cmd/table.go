package cmd

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// table lines columns up. The column grow gives way where the terminal is too narrow.
type table struct {
	head []string
	rows [][]string
	grow int
}

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	t.rows = append(t.rows, cells)
}

const (
	gap       = "  "
	leastGrow = 12 // columns
)

// text is the table, at most width columns wide where that can be done; 0 is without limit. No rows make no table.
func (t *table) text(width int) string {
	if len(t.rows) == 0 {
		return ""
	}
	widths := t.widths()
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if width > 0 && total > width {
		widths[t.grow] = max(leastGrow, widths[t.grow]-(total-width))
	}
	var b strings.Builder
	for _, row := range append([][]string{t.head}, t.rows...) {
		b.WriteString(strings.TrimRight(t.line(row, widths), " ") + "\n")
	}
	return b.String()
}

func (t *table) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], visible(c))
		}
	}
	return widths
}

func (t *table) line(row []string, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		if i == t.grow {
			c = runewidth.Truncate(c, widths[i], "…")
		}
		b.WriteString(c + strings.Repeat(" ", max(0, widths[i]-visible(c))) + gap)
	}
	return b.String()
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// visible is how many columns a cell takes, its colours left out.
func visible(s string) int { return runewidth.StringWidth(escape.ReplaceAllString(s, "")) }

// oneLine makes text safe and puts it on one line, but for the colours that style gave it.
func oneLine(s string) string {
	if escape.MatchString(s) {
		return s
	}
	return strings.Join(strings.Fields(safe(s)), " ")
}

// safe makes text from a file harmless for a terminal: control characters, which could move the cursor, rewrite what was
// printed or answer for the person, become a mark. Line breaks and tabs stay.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case r < ' ' || r >= 0x7f && r < 0xa0 || isBidi(r):
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// isBidi reports the characters that turn the direction of writing around and so can hide what a command says.
func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
