package format

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// lineTable is a file with a table of the lines of its YAML, which is made when it is first asked for: most files are
// only read.
//
// A yaml.Node has a line and a column, not an offset. yaml.v3 breaks lines at LF, CRLF and CR, even inside quotes, and
// counts columns in characters; the table does the same. The line breaks that only YAML 1.1 knows, such as U+2028, are
// refused before (see checkFront).
type lineTable struct {
	src      []byte
	from, to int // the YAML

	tableOnce sync.Once
	table     lines // use lines() instead
}

// lines is where the lines of a file's YAML are.
type lines struct {
	above  int        // how many lines of the file are before the YAML
	starts []int      // the offset of each line's first byte
	known  []position // in order: each line's beginning, and one more position every knownEvery characters of a line
}

// position is a line and a column of the YAML, both counted from 1, and the offset they stand for.
type position struct{ line, column, off int }

// knownEvery bounds how many characters must be stepped over to turn a position into an offset.
const knownEvery = 256

func (l *lineTable) lines() *lines {
	l.tableOnce.Do(func() { l.table = findLines(l.src, l.from, l.to) })
	return &l.table
}

func findLines(src []byte, from, to int) lines {
	l := lines{above: fileLine(src, from) - 1, starts: []int{from}, known: []position{{1, 1, from}}}
	column := 1
	for i := from; i < to; {
		if n := breakLen(src[:to], i); n > 0 {
			i += n
			column = 1
			l.starts = append(l.starts, i)
			l.known = append(l.known, position{len(l.starts), 1, i})
			continue
		}
		i += runeLen(src[i:to])
		if column++; column%knownEvery == 0 {
			l.known = append(l.known, position{len(l.starts), column, i})
		}
	}
	return l
}

// offset turns a node's position into an offset into the file.
func (l *lineTable) offset(line, column int) int {
	if line < 1 {
		return l.to // a node that is not in the file
	}
	known := l.lines().known
	next := sort.Search(len(known), func(i int) bool {
		k := known[i]
		return k.line > line || k.line == line && k.column > column
	})
	k := known[next-1]
	off := k.off
	for range column - k.column {
		if off < l.to {
			off += runeLen(l.src[off:l.to])
		}
	}
	return off
}

// at returns the byte at an offset into the YAML, or 0 at its end.
func (l *lineTable) at(off int) byte {
	if off < l.to {
		return l.src[off]
	}
	return 0
}

// row returns the index in starts of the line that contains the byte at off.
func (l *lineTable) row(off int) int {
	return sort.SearchInts(l.lines().starts, off+1) - 1
}

// line returns the number of the line that contains the byte at off: 1-based, in the file.
func (l *lineTable) line(off int) int { return l.lines().above + l.row(off) + 1 }

// lineStart returns where the line that contains the byte at off begins.
func (l *lineTable) lineStart(off int) int {
	return l.lines().starts[l.row(off)]
}

// nextLine returns where the line after the one that contains the byte at off begins, or the end of the YAML.
func (l *lineTable) nextLine(off int) int {
	if next, starts := l.row(off)+1, l.lines().starts; next < len(starts) {
		return starts[next]
	}
	return l.to
}

// lineEnd returns where the line that contains the byte at off ends, before its line break.
func (l *lineTable) lineEnd(off int) int {
	next := l.nextLine(off)
	return max(off, next-lastBreak(l.src[l.lineStart(off):next]))
}

// sameLine reports whether no line break is in [from, to).
func (l *lineTable) sameLine(from, to int) bool {
	return l.row(from) == l.row(to)
}

// column returns how many characters are before off on its line.
func (l *lineTable) column(off int) int {
	return utf8.RuneCount(l.src[l.lineStart(off):off])
}

// splitLine splits [from, to) after its first line break. Without one, all of it is rest.
func (l *lineTable) splitLine(from, to int) (line, rest string) {
	end := from
	if !l.sameLine(from, to) {
		end = l.nextLine(from)
	}
	return string(l.src[from:end]), string(l.src[end:to])
}

// eol returns the line ending for a new line next to the byte at off: that of the byte's own line, else the first of
// the file.
func (l *lineTable) eol(off int) string {
	if end := l.lineEnd(off); end < l.to {
		return ending(l.src[end:])
	}
	return firstEnding(l.src)
}

// firstEnding returns the first line ending in src, or LF if there is none.
func firstEnding(src []byte) string {
	if i := bytes.IndexAny(src, "\r\n"); i >= 0 {
		return ending(src[i:])
	}
	return "\n"
}

// ending returns the line ending that src begins with. It never is one of the line breaks that only YAML knows, so new
// lines never end in those.
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

// fileLine returns the number of the line that contains src[off]: 1-based, in the file.
func fileLine(src []byte, off int) int {
	before := src[:min(off, len(src))]
	n := 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
	if off < len(src) && off > 0 && src[off-1] == '\r' && src[off] == '\n' {
		n-- // between the two halves of one break
	}
	return n
}

// endOfLine returns where the line at i ends, before its break. Here and in afterLine a line ends as it does to editors
// and other readers of front matter: with LF, CRLF or CR.
func endOfLine(src []byte, i int) int {
	for i < len(src) && src[i] != '\n' && src[i] != '\r' {
		i++
	}
	return i
}

// afterLine returns where the line after the one at i begins, or the end of src.
func afterLine(src []byte, i int) int {
	i = endOfLine(src, i)
	if i < len(src) {
		i += breakLen(src, i)
	}
	return i
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

// runeLen returns the length of the first character of src in bytes.
func runeLen(src []byte) int {
	if src[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(src)
	return n
}

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

// quotedEnd returns where a scalar ends whose text begins at i, after the opening quote.
func (s scanner) quotedEnd(i int, quote byte) int {
	for ; i < s.to; i++ {
		switch c := s.src[i]; {
		case quote == '"' && c == '\\', quote == '\'' && c == quote && s.at(i+1) == quote:
			i++
		case c == quote:
			return i + 1
		}
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
		case !onNextLine, !in.flow && s.column(next) <= in.indent: // an indicator ended the text
			return end
		case s.column(next) == 0 && s.blankAt(next+3) && slices.Contains([]string{"---", "..."}, string(s.src[next:min(next+3, s.to)])):
			return end // a line that ends the document
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
