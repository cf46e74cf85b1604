// Package harmless makes text that came out of a file fit to be shown: on a terminal, in the log of a CI, in a report.
package harmless

import (
	"fmt"
	"regexp"
	"strings"
)

// Text marks control characters, which could move the cursor, rewrite what was printed or answer for the person, and so
// those that turn the direction of writing around. Line breaks and tabs stay, carriage returns go.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case hidden(r):
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Line is Text on one line: nothing in it can look like a second one.
func Line(s string) string { return strings.Join(strings.Fields(Text(s)), " ") }

// Log is Text for what a CI reads along: GitHub, Azure Pipelines and TeamCity obey a command in brackets behind two of #
// wherever in a line it stands.
func Log(s string) string { return order.ReplaceAllString(Text(s), "# #$1") }

// LogLine is Line likewise.
func LogLine(s string) string { return order.ReplaceAllString(Line(s), "# #$1") }

var order = regexp.MustCompile(`(?i)##((?:vso|teamcity)?\[)`)

// JSON does to JSON what Log does to text: what would be changed is written as an escape, which means the same.
func JSON(s string) string {
	var b strings.Builder
	for _, r := range order.ReplaceAllString(s, `#\u0023$1`) {
		if hidden(r) && r != '\n' {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || isBidi(r) }

func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
