package board

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/charmbracelet/x/ansi"
)

// paint writes text in the colours of the terminal. It uses those of the 16 that can be read on a dark and on a light
// ground alike, and never says more by a colour than a word or a mark says beside it.
type paint bool

// What text can be.
const (
	bold    = "1"
	faint   = "2"
	reverse = "7"
	red     = "31"
	green   = "32"
	magenta = "35"
	cyan    = "36" // for lines and marks; as text it is pale on white
)

// in writes text in a style. Without colours, bold and reverse stay: they are how one sees what is selected.
func (p paint) in(text string, style ...string) string {
	if !p {
		style = slices.DeleteFunc(slices.Clone(style), func(s string) bool { return s != bold && s != reverse })
	}
	if len(style) == 0 || text == "" {
		return text
	}
	return "\x1b[" + strings.Join(style, ";") + "m" + text + "\x1b[0m"
}

// safe makes a text from a file harmless, and keeps it on one line.
func safe(text string) string { return harmless.Line(text) }

// ruler measures text as the terminal shows it.
type ruler struct{ ansi.Method }

func (r ruler) cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return r.Truncate(text, width, "…")
}

// fill is a text of exactly a width: cut, or with blanks behind it.
func (r ruler) fill(text string, width int) string {
	text = r.cut(text, width)
	return text + strings.Repeat(" ", max(0, width-r.StringWidth(text)))
}

// apart puts one text at the left of a width and another at the right. The left one is cut if there is not room for
// both.
func (r ruler) apart(left, right string, width int) string {
	n := r.StringWidth(right)
	if n >= width {
		return r.fill(right, width)
	}
	return r.fill(left, width-n) + right
}

// words breaks a text between words into lines of a width, and a word only where it is wider. Of more lines than there
// may be, the last that is shown ends in three dots.
func (r ruler) words(text string, width, most int) []string {
	if width <= 0 {
		return nil
	}
	lines := strings.Split(r.Wrap(strings.Join(strings.Fields(text), " "), width, ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = r.Truncate(lines[most-1], width-1, "") + "…"
	}
	return lines
}
