package format

import (
	"bytes"
	"slices"
	"strings"
)

// Markers are the lines put around a conflict, as git puts them.
type Markers struct {
	Size         int    // how often the character of a marker is repeated; 0 is git's 7
	Ours, Theirs string // the labels after the first marker and the last
}

func (m Markers) first() string  { return m.line("<", oneLine(m.Ours, "ours")) }
func (m Markers) middle() string { return m.line("=", "") }

// last returns the last marker. A note follows its label in parentheses.
func (m Markers) last(note string) string {
	label := oneLine(m.Theirs, "theirs")
	if note != "" {
		label += " (" + oneLine(note, "") + ")"
	}
	return m.line(">", label)
}

func (m Markers) line(char, label string) string {
	size := m.Size
	if size <= 0 {
		size = 7
	}
	return strings.TrimRight(strings.Repeat(char, size)+" "+label, " ")
}

// oneLine returns a label without line breaks, or the default for an empty one: a marker without a label is not
// recognized as a marker.
func oneLine(label, byDefault string) string {
	if label = strings.Join(strings.Fields(label), " "); label == "" {
		return byDefault
	}
	return label
}

// mergeLines merges texts line by line, as git does: a change of one side wins, equal changes count once, and where
// both changed the same lines or adjacent ones, both versions are put between markers. Differences in line endings do
// not count; the endings are those of ours.
func mergeLines(base, ours, theirs []byte, m Markers) (merged []byte, clean bool) {
	return mergePart(base, ours, theirs, m, firstEnding(ours))
}

// mergePart is mergeLines for a part of a file whose new lines end in eol.
func mergePart(base, ours, theirs []byte, m Markers, eol string) (merged []byte, clean bool) {
	w := &lineMerge{eol: eol, markers: m, ours: linesOf(ours), clean: true}
	w.merge(linesLF(base), linesLF(ours), linesLF(theirs))
	return w.out.Bytes(), w.clean
}

// linesOf returns the lines of src with their endings. The last one may have none.
func linesOf(src []byte) (lines []string) {
	for i := 0; i < len(src); {
		next := afterLine(src, i)
		lines = append(lines, string(src[i:next]))
		i = next
	}
	return lines
}

// linesLF returns the lines of src, with LF in place of each ending.
func linesLF(src []byte) []string {
	lines := linesOf(src)
	for i, line := range lines {
		if text := strings.TrimRight(line, "\r\n"); len(text) < len(line) {
			lines[i] = text + "\n"
		}
	}
	return lines
}

// lineMerge writes the result of a merge.
type lineMerge struct {
	eol     string
	markers Markers
	ours    []string // with their own endings
	out     bytes.Buffer
	clean   bool
}

// merge cuts the texts at the lines of the base that both sides kept, and merges what is between them.
func (w *lineMerge) merge(base, ours, theirs []string) {
	toOurs, toTheirs := match(base, ours), match(base, theirs)
	b, o, t := 0, 0, 0
	for b < len(base) || o < len(ours) || t < len(theirs) {
		nextB := b
		for nextB < len(base) && (toOurs[nextB] < 0 || toTheirs[nextB] < 0) {
			nextB++
		}
		nextO, nextT := len(ours), len(theirs)
		if nextB < len(base) {
			nextO, nextT = toOurs[nextB], toTheirs[nextB]
		}
		w.chunk(base[b:nextB], ours[o:nextO], theirs[t:nextT], o)
		if b, o, t = nextB, nextO, nextT; b < len(base) {
			w.writeOurs(o, o+1)
			b, o, t = b+1, o+1, t+1
		}
	}
}

// chunk merges lines that at least one side changed. at is where these lines of ours begin.
func (w *lineMerge) chunk(base, ours, theirs []string, at int) {
	switch {
	case slices.Equal(base, theirs), slices.Equal(ours, theirs):
		w.writeOurs(at, at+len(ours))
	case slices.Equal(base, ours):
		w.writeTheirs(theirs)
	default:
		w.conflict(ours, theirs, at)
	}
}

// conflict puts both versions between markers, without the lines that they have in common at either end.
func (w *lineMerge) conflict(ours, theirs []string, at int) {
	head, tail := commonEnds(ours, theirs)
	end := at + len(ours) - tail
	w.clean = false
	w.writeOurs(at, at+head)
	w.writeMarker(w.markers.first())
	w.writeOurs(at+head, end)
	w.writeMarker(w.markers.middle())
	w.writeTheirs(theirs[head : len(theirs)-tail])
	w.writeMarker(w.markers.last(""))
	w.writeOurs(end, end+tail)
}

func (w *lineMerge) writeOurs(from, to int) {
	for _, line := range w.ours[from:to] {
		w.endLine()
		w.out.WriteString(line)
	}
}

func (w *lineMerge) writeTheirs(lines []string) {
	for _, line := range lines {
		w.endLine()
		w.out.WriteString(strings.ReplaceAll(line, "\n", w.eol))
	}
}

func (w *lineMerge) writeMarker(line string) {
	w.endLine()
	w.out.WriteString(line + w.eol)
}

// endLine writes the missing line ending if another line follows a last line without one.
func (w *lineMerge) endLine() {
	if written := w.out.Bytes(); len(written) > 0 && !bytes.ContainsAny(written[len(written)-1:], "\r\n") {
		w.out.WriteString(w.eol)
	}
}

// maxEdits is how many lines two texts may differ in to be compared line by line. If they differ in more, everything
// between their equal beginnings and ends counts as one change.
const maxEdits = 800

// match returns for each line of a the index of its match in b, or -1. Matched lines are equal and in the same order in
// both.
func match(a, b []string) []int {
	at := make([]int, len(a))
	for i := range at {
		at[i] = -1
	}
	head, tail := commonEnds(a, b)
	for i := range head {
		at[i] = i
	}
	for i := range tail {
		at[len(a)-1-i] = len(b) - 1 - i
	}
	for _, p := range commonLines(a[head:len(a)-tail], b[head:len(b)-tail]) {
		at[head+p[0]] = head + p[1]
	}
	return at
}

// commonEnds returns how many lines a and b have in common at their beginnings, and how many of the others at their
// ends.
func commonEnds(a, b []string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// commonLines returns the pairs of equal lines on a shortest edit path from a to b, last pair first (Myers, "An O(ND)
// difference algorithm", 1986), or none if the path is too long.
func commonLines(a, b []string) [][2]int {
	furthest := map[int]int{1: 0} // by diagonal, how far into a one gets
	var trace []map[int]int
	for d := 0; d <= min(len(a)+len(b), maxEdits); d++ {
		step := map[int]int{}
		for k := -d; k <= d; k += 2 {
			var x int // the d-th edit that leads furthest on the diagonal: an insertion, or else a deletion
			if insertIsBest(furthest, k, d) {
				x = furthest[k+1]
			} else {
				x = furthest[k-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			step[k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(trace, len(a), len(b))
			}
		}
		trace, furthest = append(trace, step), step
	}
	return nil
}

func insertIsBest(furthest map[int]int, k, d int) bool {
	return k == -d || k != d && furthest[k-1] < furthest[k+1]
}

// walkBack follows the trace from the ends of both texts, and collects the equal lines on the way.
func walkBack(trace []map[int]int, x, y int) (pairs [][2]int) {
	for d := len(trace); d >= 0; d-- {
		fromX, fromY := 0, 0
		if d > 0 {
			furthest, from := trace[d-1], x-y-1
			if insertIsBest(furthest, x-y, d) {
				from += 2
			}
			fromX, fromY = furthest[from], furthest[from]-from
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{x, y})
		}
		x, y = fromX, fromY
	}
	return pairs
}
