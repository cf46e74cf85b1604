package frontmatter

import (
	"bytes"
	"slices"
	"strings"
)

// blockWriter puts a block collection together again, line by line.
type blockWriter struct {
	doc     *Doc
	members []member
	remarks []span       // the comments from the first member on; found when one is dropped
	kept    map[int]bool // which of the members stay
	next    int          // members before it are written or dropped
	columns int          // the indentation of the members
	eol     string
	out     strings.Builder
}

// rebuildBlock writes a block collection that has members. Blank lines and comments between members stay where they
// are; a comment on a line that goes becomes a line of its own.
func (d *Doc) rebuildBlock(ms []member, parts []Item) splice {
	first, last := ms[0], ms[len(ms)-1]
	w := &blockWriter{doc: d, members: ms, kept: keptOf(parts), columns: d.column(first.from), eol: d.eol(last.from)}
	for _, part := range parts {
		w.write(part)
	}
	w.skipDropped(len(ms))

	text := w.out.String()
	from, to := d.lineStart(first.from), d.nextLine(last.to)
	if !d.ownsLine(first) {
		from = first.from // behind the dash of the sequence around it
		text = strings.TrimLeft(text, " ")
	}
	if !endsLine(string(d.src[first.from:to])) {
		text = strings.TrimSuffix(text, w.eol)
	}
	return splice{from, to, text}
}

func keptOf(parts []Item) map[int]bool {
	kept := map[int]bool{}
	for _, p := range parts {
		kept[p.old] = true
	}
	return kept
}

// ownsLine reports whether nothing but blanks stands before a member on its line.
func (d *Doc) ownsLine(m member) bool {
	return len(bytes.Trim(d.src[d.lineStart(m.from):m.from], " ")) == 0
}

func (w *blockWriter) write(part Item) {
	if part.old < 0 {
		w.out.WriteString(joinLines(part.lines(), w.columns, w.eol))
		return
	}
	w.skipDropped(part.old)
	w.out.WriteString(w.above(part.old))
	w.out.WriteString(w.own(part.old))
	w.next = max(w.next, part.old+1)
}

// skipDropped leaves out the members before i that do not stay, but for what is not theirs to take along.
func (w *blockWriter) skipDropped(i int) {
	for ; w.next < i; w.next++ {
		if w.kept[w.next] {
			continue
		}
		w.out.WriteString(w.above(w.next))
		w.leaveComments(w.members[w.next])
	}
}

func (w *blockWriter) leaveComments(m member) {
	d := w.doc
	if w.remarks == nil {
		w.remarks = d.comments(w.members[0].from, d.to)
	}
	first, _ := slices.BinarySearchFunc(w.remarks, m.from, func(c span, off int) int { return c.from - off })
	for end := d.lineEnd(m.to); first < len(w.remarks) && w.remarks[first].from < end; first++ {
		c := w.remarks[first]
		w.out.WriteString(spaces(w.columns) + string(d.src[c.from:c.to]) + w.eol)
	}
}

// above returns the blank lines and comments between a member and the one before it.
func (w *blockWriter) above(i int) string {
	if i == 0 {
		return ""
	}
	d := w.doc
	return string(d.src[d.nextLine(w.members[i-1].to):d.lineStart(w.members[i].from)])
}

// own returns the lines of a member.
func (w *blockWriter) own(i int) string {
	d, m := w.doc, w.members[i]
	text := string(d.src[m.from:d.nextLine(m.to)])
	if !endsLine(text) {
		text += w.eol
	}
	if !d.ownsLine(m) {
		return spaces(w.columns) + text
	}
	return string(d.src[d.lineStart(m.from):m.from]) + text
}

// joinLines returns lines, indented and each with its ending.
func joinLines(lines []string, columns int, eol string) string {
	return strings.Join(indent(lines, columns), eol) + eol
}
