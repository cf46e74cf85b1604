package format

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/internal/sorted"
)

// conflict is a key, or an item of its list, that a person has to decide.
type conflict struct {
	key    string
	item   int      // 0 for the key as a whole, else the position of the item, from 1
	theirs []string // the lines of the other side; ours are in the document
	note   string
}

// addConflict makes a conflict of a key between what was merged and theirs.
func (m *Merged) addConflict(key string) {
	c := conflict{key: key}
	if lines, ok := m.theirs.keyLines(key); ok {
		c.theirs = linesOf(m.theirs.src[lines.from:lines.to])
	}
	m.conflicts = append(m.conflicts, c)
}

// Dispute makes a conflict of a key between what was merged and another value, or theirs if that is nil. The note is
// written after the last marker and says why. A key that is in conflict already stays as it is.
func (m *Merged) Dispute(key string, other Value, note string) {
	if slices.ContainsFunc(m.conflicts, func(c conflict) bool { return c.key == key }) {
		return
	}
	if other == nil {
		m.addConflict(key)
		return
	}
	lines := fieldLines(Field{key, other})
	for i := range lines {
		lines[i] += "\n"
	}
	m.conflicts = append(m.conflicts, conflict{key: key, theirs: lines, note: note})
}

// Bytes returns the merged file, with markers around conflicts. If a conflict has no lines of its own, as in a document
// between braces, all of our file and all of theirs are put between markers.
func (m *Merged) Bytes() []byte {
	if m.doc == nil || m.text != nil {
		return m.text
	}
	var marked []splice
	for _, c := range m.conflicts {
		lines, ok := m.conflictLines(c)
		if !ok {
			return m.asOneConflict()
		}
		marked = append(marked, splice{lines, m.marked(c, m.doc.src[lines.from:lines.to])})
	}
	slices.Reverse(marked) // of those at one position the last comes first
	sorted.By(marked, func(a, b splice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(marked); i++ {
		if marked[i].from < marked[i-1].to {
			return m.asOneConflict()
		}
	}
	return replaceSpans(m.doc.src, marked)
}

// asOneConflict returns what was merged and their file as one conflict.
func (m *Merged) asOneConflict() []byte {
	text, _ := mergeLines(nil, m.doc.src, m.theirs.src, m.markers)
	return text
}

// marked puts our lines and theirs between markers.
func (m *Merged) marked(c conflict, ours []byte) string {
	eol := firstEnding(m.doc.src)
	var b strings.Builder
	line := func(text string) { b.WriteString(strings.TrimRight(text, "\r\n") + eol) }
	line(m.markers.first())
	for _, text := range linesOf(ours) {
		b.WriteString(text)
	}
	if len(ours) > 0 && lastBreak(ours) == 0 {
		b.WriteString(eol)
	}
	line(m.markers.middle())
	for _, text := range c.theirs {
		line(text)
	}
	line(m.markers.last(c.note))
	return b.String()
}

// conflictLines returns the lines of our document that a conflict concerns, or false if it has no lines of its own.
func (m *Merged) conflictLines(c conflict) (lines span, ok bool) {
	switch {
	case c.item > 0:
		lines, ok = m.doc.itemLines(c.key, c.item-1)
		indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
		return lines, ok && len(c.theirs) > 0 && indent(c.theirs[0]) == indent(string(m.doc.src[lines.from:lines.to]))
	case m.doc.Get(c.key) == nil:
		return m.doc.newKeyLines(c.key, m.schema.Order)
	}
	return m.doc.keyLines(c.key)
}

// keyLines returns the lines of a key of the top mapping.
func (d *Doc) keyLines(key string) (lines span, ok bool) {
	i := d.keyIndex(key)
	if i < 0 || d.root.Style&FlowStyle != 0 {
		return span{}, false
	}
	return d.memberLines(d.members(d.root, topLevel), i/2)
}

// itemLines returns the lines of an item of a list under a key.
func (d *Doc) itemLines(key string, at int) (lines span, ok bool) {
	t, rest, err := d.find(Path{key})
	if err != nil || len(rest) > 0 || t.node.Kind != SequenceNode || t.node.Style&FlowStyle != 0 {
		return span{}, false
	}
	return d.memberLines(d.members(t.node, t.nesting), at)
}

// newKeyLines returns the empty span where the lines of a missing key would go.
func (d *Doc) newKeyLines(key string, order []string) (lines span, ok bool) {
	if d.root.Style&FlowStyle != 0 || len(d.root.Content) == 0 {
		return span{}, false
	}
	ms := d.members(d.root, topLevel)
	at := insertAt(d.root, key, order)
	if at == 0 {
		lines, ok = d.memberLines(ms, 0)
		return span{lines.from, lines.from}, ok
	}
	lines, ok = d.memberLines(ms, at-1)
	return span{lines.to, lines.to}, ok && lastBreak(d.src[:lines.to]) > 0
}

// mergeComments adds the comments of theirs. If the files merge as text and then say the same as what was merged by
// key, the text is the result, because it has the layout of both sides. Otherwise each comment that theirs added is put
// above the key that it is in or above. It returns false if that is not possible.
func (m *Merged) mergeComments(base, ours, theirs []byte) bool {
	if m.Clean() {
		text, clean := mergeLines(base, ours, theirs, m.markers)
		if d, err := parse(text, m.kind); clean && err == nil && m.saysTheSame(d) {
			m.doc = d
			return true
		}
	}
	return m.addComments(m.newComments())
}

// saysTheSame reports whether a document says what was merged.
func (m *Merged) saysTheSame(d *Doc) bool {
	return meaning(d.root) == meaning(m.doc.root) && bytes.Equal(d.Body(), m.doc.Body())
}

// comment is a comment of theirs and the key that it belongs to, "" for the end.
type comment struct{ text, key string }

// newComments returns the comments that theirs has and neither the base nor the result, except those that will be
// between markers.
func (m *Merged) newComments() (out []comment) {
	have, old := counts(m.doc.commentTexts()), map[string]int{}
	if m.base != nil {
		old = counts(m.base.commentTexts())
	}
	d := m.theirs
	for _, c := range d.comments(d.from, d.to) {
		text := d.commentText(c)
		if old[text] > 0 || have[text] > 0 {
			old[text]--
			have[text]--
			continue
		}
		key, inside := d.keyAt(c.from)
		if inside && slices.ContainsFunc(m.conflicts, func(c conflict) bool { return c.key == key && c.item == 0 }) {
			continue
		}
		out = append(out, comment{text, key})
	}
	return out
}

// keyAt returns the key whose lines contain the byte at off, or else the key below it.
func (d *Doc) keyAt(off int) (key string, inside bool) {
	ms := d.members(d.root, topLevel)
	i := sort.Search(len(ms), func(i int) bool { return off < d.nextLine(ms[i].to) })
	if i == len(ms) {
		return "", false
	}
	return d.root.Content[2*i].Value, off >= d.lineStart(ms[i].from)
}

// addComments puts comments above the keys that they belong to. The comments of one key keep their order.
func (m *Merged) addComments(comments []comment) bool {
	if len(comments) == 0 {
		return true
	}
	d := m.doc
	texts := map[int]string{} // by offset
	for _, c := range comments {
		at := d.to
		if lines, ok := d.keyLines(c.key); ok {
			at = lines.from
		}
		if texts[at] == "" && at > d.from && lastBreak(d.src[:at]) == 0 {
			texts[at] = d.eol(at) // the line before it has no end
		}
		texts[at] += c.text + d.eol(at)
	}
	var added []splice
	for at, text := range texts {
		if at == d.to && at > d.from && lastBreak(d.src[:at]) == 0 {
			text = strings.TrimSuffix(text, d.eol(at)) // the file still ends without a line break
		}
		added = append(added, splice{span{at, at}, text})
	}
	if !sortApart(added) {
		return false
	}
	next, err := parse(replaceSpans(d.src, added), m.kind)
	if err != nil || !m.saysTheSame(next) {
		return false
	}
	m.doc = next
	return true
}
