package format

import (
	"bytes"
	"strings"
)

// scanner finds where the parts of YAML's syntax end: scalars, names, blanks and comments. It follows the rules of
// yaml.v3, which does not say where a node ends. Its methods take an offset and return one; none is beyond the end of
// the YAML.
type scanner struct{ *lineTable }

// blankAt reports whether a blank, a line break or the end is at i.
func (s scanner) blankAt(i int) bool {
	return i >= s.to || isBlank(s.src[i]) || breakLen(s.src[:s.to], i) > 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// wordEnd returns where the characters up to the next blank or line break end.
func (s scanner) wordEnd(i int) int {
	for !s.blankAt(i) {
		i++
	}
	return i
}

// nameEnd returns where the name of an anchor ends.
func (s scanner) nameEnd(i int) int {
	for i < s.to && (s.src[i] == '_' || s.src[i] == '-' || isAlphanumeric(s.src[i])) {
		i++
	}
	return i
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// skipBlank returns where the blanks and line breaks at i end.
func (s scanner) skipBlank(i int) int {
	for i < s.to && s.blankAt(i) {
		i += max(1, breakLen(s.src[:s.to], i))
	}
	return i
}

// skip returns where the blanks, line breaks, comments and indicators at i end.
func (s scanner) skip(i int, indicators string) int {
	for i = s.skipBlank(i); i < s.to; i = s.skipBlank(i) {
		switch {
		case s.src[i] == '#':
			i = s.lineEnd(i)
		case strings.IndexByte(indicators, s.src[i]) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

// skipSpaces returns where the spaces at i end, at most n of them.
func (s scanner) skipSpaces(i, n int) int {
	for end := i + n; i < s.to && i < end && s.src[i] == ' '; i++ {
		continue
	}
	return i
}

// bracketAt reports whether an opening bracket or brace is at i. A flow mapping of one pair may have none, as in [key:
// value].
func (s scanner) bracketAt(i int) bool {
	return i < s.to && (s.src[i] == '[' || s.src[i] == '{')
}

// doubleQuotedEnd returns where a scalar ends whose text begins at i, after the opening quote.
func (s scanner) doubleQuotedEnd(i int) int {
	for ; i < s.to && s.src[i] != '"'; i++ {
		if s.src[i] == '\\' {
			i++
		}
	}
	return min(i+1, s.to)
}

// singleQuotedEnd returns where a scalar ends whose text begins at i, after the opening quote.
func (s scanner) singleQuotedEnd(i int) int {
	for ; i < s.to; i++ {
		if s.src[i] != '\'' {
			continue
		}
		if i+1 == s.to || s.src[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return s.to
}

// plainEnd returns where a scalar without quotes ends, which may have several lines.
func (s scanner) plainEnd(i int, in nesting) int {
	for {
		end := s.plainLine(i, in.flow)
		next := s.skipBlank(end)
		onNextLine := !s.sameLine(end, next)
		switch {
		case next >= s.to, s.src[next] == '#', next == i:
			return end
		case !onNextLine: // an indicator ended the text
			return end
		case !in.flow && s.column(next) <= in.indent:
			return end
		case s.isDocumentMarker(next):
			return end
		case s.plainLine(next, in.flow) == next:
			return end
		}
		i = next
	}
}

// plainLine returns where the unquoted text at i ends on its line, without the blanks after it.
func (s scanner) plainLine(i int, flow bool) int {
	end := i
	for ; i < s.to && breakLen(s.src[:s.to], i) == 0; i++ {
		c := s.src[i]
		switch {
		case isBlank(c):
			continue
		case c == '#' && i > 0 && isBlank(s.src[i-1]):
			return end
		case c == ':' && s.blankAt(i+1):
			return end
		case flow && strings.IndexByte(",?[]{}", c) >= 0:
			return end
		}
		end = i + 1
	}
	return end
}

// isDocumentMarker reports whether a line of --- or ... begins at i.
func (s scanner) isDocumentMarker(i int) bool {
	rest := s.src[i:s.to]
	marker := bytes.HasPrefix(rest, []byte("---")) || bytes.HasPrefix(rest, []byte("..."))
	return marker && s.column(i) == 0 && s.blankAt(i+3)
}

// blockScalar returns where the lines of the block scalar at i begin, and where the last of them ends. Blank lines at
// the end belong to it only if its header says to keep them. parent is the indentation of the collection around it.
func (s scanner) blockScalar(i, parent int) (from, end int) {
	end = s.wordEnd(i)
	header := string(s.src[i:end])
	from = s.nextLine(i)
	indent := s.blockIndent(header, from, parent)
	for line := from; line < s.to; line = s.nextLine(line) {
		text := s.skipSpaces(line, indent)
		blank := text < s.to && breakLen(s.src[:s.to], text) > 0
		switch {
		case blank && !strings.Contains(header, "+"):
			continue
		case !blank && text-line < indent, text == s.to:
			return from, end
		}
		end = s.lineEnd(line)
	}
	return from, end
}

// blockIndent returns the indentation of a block scalar: what its header says, else that of its first line with text.
func (s scanner) blockIndent(header string, from, parent int) int {
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		return max(parent, 0) + int(header[i]-'0')
	}
	indent := max(parent+1, 1)
	for line := from; line < s.to; line = s.nextLine(line) {
		text := s.skipSpaces(line, s.to-line)
		indent = max(indent, text-line)
		if text == s.to || breakLen(s.src[:s.to], text) == 0 {
			break
		}
	}
	return indent
}
