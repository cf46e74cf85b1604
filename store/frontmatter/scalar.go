package frontmatter

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// string writes text so that every YAML reader, 1.1 or 1.2, reads the same text back.
func (e encoder) string(s string) string {
	if e.flow && strings.Contains(s, ":") || !isWord(s) {
		return e.quote(s)
	}
	return e.plain(s)
}

// plain writes text that may look like a number or a date, and leaves it unquoted wherever YAML can read it at all.
func (e encoder) plain(s string) string {
	if e.quotes == 0 && e.readsPlain(s) {
		return s
	}
	return e.quote(s)
}

func (e encoder) quote(s string) string {
	if e.quotes == yaml.DoubleQuotedStyle || strings.ContainsFunc(s, mustEscape) {
		return doubleQuoted(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// readsPlain reports whether YAML's scanner reads s as one plain scalar with the text s.
func (e encoder) readsPlain(s string) bool {
	switch {
	case s == "", s != strings.TrimSpace(s), strings.ContainsFunc(s, mustEscape):
		return false
	case strings.ContainsRune("-?:,[]{}#&*!|>'\"%@`=<~", rune(s[0])), strings.HasPrefix(s, "..."):
		return false
	case strings.Contains(s, ": "), strings.HasSuffix(s, ":"), strings.Contains(s, " #"):
		return false
	case e.flow && strings.ContainsAny(s, ",?[]{}"):
		return false
	}
	return true
}

// numeric matches whatever could be a number, a date or a time in some version of YAML.
var numeric = regexp.MustCompile(`^[-+.0-9][-+.,:_0-9A-Fa-fOoXxTtZz \t]*$`)

// typed holds the words that some version of YAML reads as something other than text.
var typed = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true,
	"null": true, ".inf": true, "+.inf": true, ".nan": true,
}

// isWord reports whether s is text to every reader: it begins like a word or a path and is no number, date or literal.
func isWord(s string) bool {
	if s == "" || numeric.MatchString(s) || typed[strings.ToLower(s)] {
		return false
	}
	first := []rune(s)[0]
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("_/.($", first)
}

// mustEscape reports whether a character can stand only in double quotes, behind a backslash.
func mustEscape(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 || !allowed(r)
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case mustEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
