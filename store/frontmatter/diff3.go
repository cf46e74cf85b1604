package frontmatter

import (
	"bytes"
	"slices"
	"strings"
)

// mergeLines merges texts line by line, as git does: a change of one side wins, equal changes count once, and where the two
// changed the same lines, or lines side by side, both stand between markers. Line endings make no difference and are ours.
func mergeLines(base, ours, theirs []byte, m Markers) (merged []byte, clean bool) {
	return m.merge(firstEnding(ours), base, ours, theirs)
}

// merge is mergeLines for a part of a file whose new lines end in eol.
func (m Markers) merge(eol string, base, ours, theirs []byte) (merged []byte, clean bool) {
	w := &lineMerge{eol: eol, markers: m, ours: keepLines(ours), clean: true}
	w.merge(splitLines(base), splitLines(ours), splitLines(theirs))
	return w.out.Bytes(), w.clean
}

// splitLines returns the lines, each with LF for its ending if it has one.
func splitLines(src []byte) []string {
	lines := keepLines(src)
	for i, line := range lines {
		if n := lineBreak(line); n > 0 {
			lines[i] = line[:len(line)-n] + "\n"
		}
	}
	return lines
}

// keepLines returns the lines with their endings. The last one may have none.
func keepLines(src []byte) (lines []string) {
	for i := 0; i < len(src); {
		next := afterLine(src, i)
		lines = append(lines, string(src[i:next]))
		i = next
	}
	return lines
}

// lineBreak returns the length of the LF, CRLF or CR that a line ends with.
func lineBreak(line string) int {
	return len(line) - len(strings.TrimRight(line, "\r\n"))
}

type lineMerge struct {
	eol     string
	markers Markers
	ours    []string // with their endings
	out     bytes.Buffer
	clean   bool
}

func (w *lineMerge) merge(b, o, t []string) {
	toOurs, toTheirs := match(b, o), match(b, t)
	i, j, k := 0, 0, 0
	for i < len(b) || j < len(o) || k < len(t) {
		next := i
		for next < len(b) && (toOurs[next] < 0 || toTheirs[next] < 0) {
			next++
		}
		nextJ, nextK := len(o), len(t)
		if next < len(b) {
			nextJ, nextK = toOurs[next], toTheirs[next]
		}
		w.chunk(b[i:next], o[j:nextJ], t[k:nextK], j)
		if i, j, k = next, nextJ, nextK; i < len(b) {
			w.keep(j, j+1)
			i, j, k = i+1, j+1, k+1
		}
	}
}

// chunk writes lines that at least one side changed. at is where ours begin.
func (w *lineMerge) chunk(b, o, t []string, at int) {
	switch {
	case slices.Equal(b, t), slices.Equal(o, t):
		w.keep(at, at+len(o))
	case slices.Equal(b, o):
		w.take(t)
	default:
		w.conflict(o, t, at)
	}
}

// conflict leaves what both sides have in common at either end outside of the markers.
func (w *lineMerge) conflict(o, t []string, at int) {
	head := 0
	for head < min(len(o), len(t)) && o[head] == t[head] {
		head++
	}
	tail := 0
	for tail < min(len(o), len(t))-head && o[len(o)-1-tail] == t[len(t)-1-tail] {
		tail++
	}
	w.clean = false
	w.keep(at, at+head)
	w.mark(w.markers.first())
	w.keep(at+head, at+len(o)-tail)
	w.mark(w.markers.middle())
	w.take(t[head : len(t)-tail])
	w.mark(w.markers.last(""))
	w.keep(at+len(o)-tail, at+len(o))
}

func (w *lineMerge) keep(from, to int) {
	for _, line := range w.ours[from:to] {
		w.endLine()
		w.out.WriteString(line)
	}
}

func (w *lineMerge) take(lines []string) {
	for _, line := range lines {
		w.endLine()
		w.out.WriteString(strings.ReplaceAll(line, "\n", w.eol))
	}
}

func (w *lineMerge) mark(line string) {
	w.endLine()
	w.out.WriteString(line + w.eol)
}

// endLine ends a last line that had no ending where another one follows.
func (w *lineMerge) endLine() {
	if written := w.out.Bytes(); len(written) > 0 && !bytes.ContainsAny(written[len(written)-1:], "\r\n") {
		w.out.WriteString(w.eol)
	}
}

func (m Markers) line(char, label string) string {
	size := m.Size
	if size <= 0 {
		size = 7
	}
	return strings.TrimRight(strings.Repeat(char, size)+" "+label, " ")
}

func (m Markers) first() string  { return m.line("<", oneLine(m.Ours, "ours")) }
func (m Markers) middle() string { return m.line("=", "") }

func (m Markers) last(note string) string {
	label := oneLine(m.Theirs, "theirs")
	if note != "" {
		label += " (" + oneLine(note, "") + ")"
	}
	return m.line(">", label)
}

// oneLine is a label without what would end its line. Without a name after it a marker would not be known for one.
func oneLine(label, otherwise string) string {
	if label = strings.Join(strings.Fields(label), " "); label == "" {
		return otherwise
	}
	return label
}
