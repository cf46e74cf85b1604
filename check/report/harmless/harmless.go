// Package harmless makes text fit to be shown: on a terminal, in the log of a CI, in a report, to an agent. Whatever a file,
// git, a command or a caller says goes through it before it is printed.
//
// Nothing is dropped. What cannot be seen, or would act on whoever shows it, is written as an escape, such as \x1b or \u202e;
// what a CI would obey as a command gets a space in its midst.
package harmless

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes text of many lines fit to be shown. Line breaks and tabs stay. No line of it is a command to a CI.
func Text(s string) string {
	return defused(visible(s, '\n', '\t'))
}

// Line makes text fit to be shown on one line: its line breaks and tabs are escapes too.
func Line(s string) string {
	return defused(visible(s))
}

// Quote is a text in Go's quotes. Two texts that differ never look the same, spaces included.
func Quote(s string) string {
	return inBrackets.ReplaceAllString(visible(strconv.Quote(s)), `#\x23$1`)
}

// Hidden reports whether a text holds what nobody sees, or what acts on whoever shows it, line breaks and tabs aside.
func Hidden(s string) bool {
	found := false
	each(s, func(_ rune, _ string, hidden bool) { found = found || hidden })
	return found
}

// visible writes what is hidden as escapes, all but the characters to keep.
func visible(s string, keep ...rune) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	each(s, func(r rune, as string, hidden bool) {
		switch {
		case r == '\n' || r == '\t':
			if len(keep) == 0 {
				as = map[rune]string{'\n': `\n`, '\t': `\t`}[r]
			}
			b.WriteString(as)
		case hidden:
			b.WriteString(escape(r, as))
		default:
			b.WriteString(as)
		}
	})
	return b.String()
}

// plain reports whether a text is of printable ASCII characters alone, as most are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// each calls fn with each character of a text, with its bytes, and whether it is hidden. A line break of two characters is
// one, and a byte that is no text a hidden character of its own.
func each(s string, fn func(r rune, as string, hidden bool)) {
	before := ' '
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		as := s[i : i+n]
		i += n
		if r == '\r' && strings.HasPrefix(s[i:], "\n") {
			continue
		}
		hidden := unseen(r) && (!shape(r) || !shaped(before))
		if r == utf8.RuneError && n == 1 {
			hidden = true
		}
		fn(r, as, hidden)
		before = r
	}
}

// escape is how a hidden character is shown.
func escape(r rune, as string) string {
	switch {
	case r == utf8.RuneError && len(as) == 1:
		return fmt.Sprintf(`\x%02x`, as[0])
	case r == '\r':
		return `\r`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

// unseen reports whether a character has no shape of its own: it controls a terminal, breaks a line, turns the direction of
// writing, has no width, or is a tag, which people do not see and models read.
func unseen(r rune) bool {
	if r < 0x80 {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// shape reports whether a character chooses between the forms, text or picture, of the one before it.
func shape(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

// shaped reports whether a character can have such a choice behind it.
func shaped(r rune) bool { return !unseen(r) && !unicode.IsSpace(r) }

var (
	// inBrackets is what GitHub, Azure Pipelines and TeamCity obey wherever in a line it stands.
	inBrackets = regexp.MustCompile(`(?i)##((?:vso|teamcity)?\[)`)
	// atStart is what a CI obeys at the beginning of a line, where some pass over any space.
	atStart = regexp.MustCompile(`(?im)^([\s\p{Z}]*)(?:(:)(:)|(%)(%)|(section_start|section_end|travis_fold|travis_time)(:))`)
)

// defused takes the meaning from what a CI would obey.
func defused(s string) string {
	if strings.Contains(s, "##") {
		s = inBrackets.ReplaceAllString(s, "# #$1")
	}
	if strings.ContainsAny(s, ":%") {
		s = atStart.ReplaceAllString(s, "$1$2$4$6 $3$5$7")
	}
	return s
}
