package frontmatter

import "strings"

// These are the small steps of the scanner, each from an offset to an offset.

// blankAt reports whether a blank, a line break or the end is at i.
func (t *text) blankAt(i int) bool {
	return i >= t.to || isBlank(t.src[i]) || breakLen(t.src[:t.to], i) > 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// wordEnd returns where the characters up to the next blank or line break end.
func (t *text) wordEnd(i int) int {
	for !t.blankAt(i) {
		i++
	}
	return i
}

// nameEnd returns where the name of an anchor ends.
func (t *text) nameEnd(i int) int {
	for i < t.to && (t.src[i] == '_' || t.src[i] == '-' || isAlphanumeric(t.src[i])) {
		i++
	}
	return i
}

// skipBlank returns where the blanks and line breaks at i end.
func (t *text) skipBlank(i int) int {
	for i < t.to && t.blankAt(i) {
		i += max(1, breakLen(t.src[:t.to], i))
	}
	return i
}

// skip returns where the blanks, line breaks, comments and indicators at i end.
func (t *text) skip(i int, indicators string) int {
	for i = t.skipBlank(i); i < t.to; i = t.skipBlank(i) {
		switch {
		case t.src[i] == '#':
			i = t.lineEnd(i)
		case strings.IndexByte(indicators, t.src[i]) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
