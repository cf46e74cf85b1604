package frontmatter

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// text is a file with the table of lines that YAML sees in a part of it.
//
// yaml.v3 breaks lines at LF, CRLF and CR, even inside quotes, and counts columns in characters. A node's position means
// nothing without the same table. The breaks that only it knows, such as U+2028, are refused before (see checkFront).
type text struct {
	src      []byte
	from, to int    // the YAML part
	above    int    // lines of the file before the YAML part
	starts   []int  // offset of each line's first byte
	marks    []mark // each line's beginning, and places further on in long lines
}

// mark ties a position as YAML counts it, both from 1, to an offset.
type mark struct{ line, column, off int }

// markEvery is how many characters of a line are stepped over at most to find one of them.
const markEvery = 256

func newText(src []byte, from, to int) *text {
	t := &text{src: src, from: from, to: to, above: fileLine(src, from) - 1, starts: []int{from}, marks: []mark{{1, 1, from}}}
	column := 1
	for i := from; i < to; {
		if n := breakLen(src[:to], i); n > 0 {
			i += n
			column = 1
			t.starts = append(t.starts, i)
			t.marks = append(t.marks, mark{len(t.starts), 1, i})
			continue
		}
		i += runeLen(src[i:to])
		if column++; column%markEvery == 0 {
			t.marks = append(t.marks, mark{len(t.starts), column, i})
		}
	}
	return t
}

func runeLen(src []byte) int {
	if src[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(src)
	return n
}

// breakLen returns the length of the line break at src[i:], or 0 if there is none.
func breakLen(src []byte, i int) int {
	switch src[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if bytes.HasPrefix(src[i:], []byte("\u0085")) {
			return 2
		}
	case 0xE2:
		if bytes.HasPrefix(src[i:], []byte("\u2028")) || bytes.HasPrefix(src[i:], []byte("\u2029")) {
			return 3
		}
	}
	return 0
}

// lastBreak returns the length of the line break that src ends with, or 0 if there is none.
func lastBreak(src []byte) int {
	for _, br := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasSuffix(src, []byte(br)) {
			return len(br)
		}
	}
	return 0
}

// endsLine reports whether s ends with a line break.
func endsLine(s string) bool { return lastBreak([]byte(s)) > 0 }

// offset turns a node's position into an offset into the file.
func (t *text) offset(line, column int) int {
	if line < 1 {
		return t.to // a node that is not in the file
	}
	next := sort.Search(len(t.marks), func(i int) bool {
		m := t.marks[i]
		return m.line > line || m.line == line && m.column > column
	})
	m := t.marks[next-1]
	off := m.off
	for range column - m.column {
		if off < t.to {
			off += runeLen(t.src[off:t.to])
		}
	}
	return off
}

// row returns the index in starts of the line that holds the byte at off.
func (t *text) row(off int) int {
	return sort.SearchInts(t.starts, off+1) - 1
}

// line returns the 1-based number that an editor shows for the line that holds the byte at off.
func (t *text) line(off int) int { return t.above + t.row(off) + 1 }

// lineStart returns where the line that holds the byte at off begins.
func (t *text) lineStart(off int) int {
	return t.starts[t.row(off)]
}

// nextLine returns where the line after the one that holds the byte at off begins, or the end of the YAML part.
func (t *text) nextLine(off int) int {
	if next := t.row(off) + 1; next < len(t.starts) {
		return t.starts[next]
	}
	return t.to
}

// lineEnd returns where the line that holds the byte at off ends, before its break.
func (t *text) lineEnd(off int) int {
	next := t.nextLine(off)
	return max(off, next-lastBreak(t.src[t.lineStart(off):next]))
}

// sameLine reports whether no line break lies in [from, to).
func (t *text) sameLine(from, to int) bool {
	return t.row(from) == t.row(to)
}

// column returns how many characters stand before off on its line.
func (t *text) column(off int) int {
	return utf8.RuneCount(t.src[t.lineStart(off):off])
}

// eol returns the ending for a new line beside the byte at off: that of its own line, else the first one of the file.
func (t *text) eol(off int) string {
	if end := t.lineEnd(off); end < t.to {
		return ending(t.src[end:])
	}
	return firstEnding(t.src)
}

// firstEnding returns the first line ending in src, or LF if there is none.
func firstEnding(src []byte) string {
	if i := bytes.IndexAny(src, "\r\n"); i >= 0 {
		return ending(src[i:])
	}
	return "\n"
}

// ending names the line ending that src begins with. New lines never end in one of the breaks that only YAML knows.
func ending(src []byte) string {
	switch {
	case bytes.HasPrefix(src, []byte("\r\n")):
		return "\r\n"
	case bytes.HasPrefix(src, []byte("\r")):
		return "\r"
	default:
		return "\n"
	}
}

// fileLine returns the 1-based number that an editor shows for the line that holds src[off].
func fileLine(src []byte, off int) int {
	before := src[:min(off, len(src))]
	n := 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
	if off < len(src) && off > 0 && src[off-1] == '\r' && src[off] == '\n' {
		n-- // between the two halves of one break
	}
	return n
}
