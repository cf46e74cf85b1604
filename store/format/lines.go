package format

import (
	"bytes"
	"sort"
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
