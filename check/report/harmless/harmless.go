// Package harmless makes text safe to show: on a terminal, in the log of a CI, in a report, to an agent. Text from a
// file, git, a command or a caller goes through it before it is printed.
//
// Nothing is dropped. A character that is invisible, or that would control the program that shows it, is written as an
// escape, such as \x1b or \u202e. Text that a CI would obey as a command gets a space inside it.
package harmless

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text makes text of many lines safe to show. Line breaks and tabs stay. No line of it is a command to a CI.
func Text(s string) string {
	return defused(visible(s, '\n', '\t'))
}

// Line makes text safe to show on one line: line breaks and tabs are escaped too.
func Line(s string) string {
	return defused(visible(s))
}

// Quote returns a text in Go's quotes. Two different texts never look the same, even in their spaces.
func Quote(s string) string {
	return splitBrackets(visible(strconv.Quote(s)), `#\x23$1`)
}

// Hidden reports whether a text has a character that is invisible or controls the program that shows it. Line breaks
// and tabs do not count.
func Hidden(s string) bool {
	found := false
	each(s, func(_ rune, _ string, hidden bool) { found = found || hidden })
	return found
}

// visible escapes hidden characters. Line breaks and tabs are escaped too unless there are characters to keep.
func visible(s string, keep ...rune) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return s // as most texts are
	}
	var b strings.Builder
	b.Grow(len(s))
	each(s, func(r rune, as string, hidden bool) {
		switch {
		case hidden:
			as = escape(r, as)
		case r == '\n' && len(keep) == 0:
			as = `\n`
		case r == '\t' && len(keep) == 0:
			as = `\t`
		}
		b.WriteString(as)
	})
	return b.String()
}

// each calls fn with each character of a text, its bytes, and whether it is hidden. CR LF counts as one line break, and
// an invalid byte as a hidden character.
func each(s string, fn func(r rune, as string, hidden bool)) {
	before := ' '
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		as := s[i : i+n]
		i += n
		if r == '\r' && strings.HasPrefix(s[i:], "\n") {
			continue
		}
		// A variation selector chooses whether the character before it is shown as text or as an emoji.
		shapes := (r == 0xfe0e || r == 0xfe0f) && !unseen(before) && !unicode.IsSpace(before)
		hidden := unseen(r) && !shapes && !joins(before, r, s[i:])
		fn(r, as, hidden || r == utf8.RuneError && n == 1)
		before = r
	}
}

// joins reports whether a character is a joiner that shapes what stands around it: between letters of a script whose
// letters join, as Persian and Hindi are spelled, or between the parts of an emoji. In other scripts it shows nothing.
func joins(before, r rune, rest string) bool {
	if r != 0x200c && r != 0x200d {
		return false
	}
	after, _ := utf8.DecodeRuneInString(rest)
	emoji := func(r rune) bool {
		return unicode.Is(unicode.So, r) && r != utf8.RuneError || r >= 0x1f3fb && r <= 0x1f3ff
	}
	if r == 0x200d && (emoji(before) || before == 0xfe0f) && emoji(after) {
		return true
	}
	return unicode.In(before, joining...) && unicode.In(after, joining...)
}

// joining are the scripts in whose spelling joiners are used: Unicode 16, 23.2 and the chapters of the scripts.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// escape returns the escape of a hidden character.
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

// unseen reports whether a character is invisible: it controls a terminal, breaks a line, changes the direction of
// writing, has no width, or is a tag, which people do not see and models read.
func unseen(r rune) bool {
	if r < 0x80 {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

var (
	// inBrackets is a command that GitHub, Azure Pipelines and TeamCity obey anywhere in a line.
	inBrackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)##((?:vso|teamcity)?\[)`) })
	// atStart is a command that a CI obeys at the start of a line, which for some may have any space before it.
	atStart = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^([\s\p{Z}]*)(?:(:)(:)|(%)(%)|(section_start|section_end|travis_fold|travis_time)(:))`)
	})
)

// mayStart reports whether a text has a part of what atStart looks for, anywhere. Most texts do not, and need no
// pattern. The parts are without s, of which Unicode has two that are equal but for case.
func mayStart(s string) bool {
	if strings.Contains(s, "::") || strings.Contains(s, "%%") {
		return true
	}
	if !strings.Contains(s, "_") || !strings.Contains(s, ":") {
		return false
	}
	s = strings.ToLower(s)
	return strings.Contains(s, "ection_") || strings.Contains(s, "_fold:") || strings.Contains(s, "_time:")
}

// splitBrackets replaces what inBrackets finds.
func splitBrackets(s, by string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	return inBrackets().ReplaceAllString(s, by)
}

// defused puts a space into every command that a CI would obey.
func defused(s string) string {
	s = splitBrackets(s, "# #$1")
	if mayStart(s) {
		s = atStart().ReplaceAllString(s, "$1$2$4$6 $3$5$7")
	}
	return s
}
