package frontmatter

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// conflict is a key, or an item of its list, that a person has to settle.
type conflict struct {
	key    string
	item   int      // 0 for the key as a whole, else the item's place, from 1
	theirs []string // what stands there on the other side; our side is what the document says
	note   string
}

// dispute makes a conflict of a key.
func (m *Merged) dispute(key string) {
	c := conflict{key: key}
	if from, to, ok := m.theirs.keySpan(key); ok {
		c.theirs = keepLines(m.theirs.src[from:to])
	}
	m.conflicts = append(m.conflicts, c)
}

// Dispute makes a conflict of a key between what was merged and another value, or what theirs says if that is nil. The note
// says why, behind the last marker. A key that is in conflict already stays as it is.
func (m *Merged) Dispute(key string, other Value, note string) {
	if slices.ContainsFunc(m.conflicts, func(c conflict) bool { return c.key == key }) {
		return
	}
	if other == nil {
		m.dispute(key)
		return
	}
	lines := fieldLines(Field{key, other})
	for i := range lines {
		lines[i] += "\n"
	}
	m.conflicts = append(m.conflicts, conflict{key: key, theirs: lines, note: note})
}

// Bytes returns the file that was merged, with markers around what is in conflict. If the lines of a conflict cannot be
// told from others, as in a document between braces, our file and theirs stand between markers as wholes.
func (m *Merged) Bytes() []byte {
	if m.doc == nil || m.text != nil {
		return m.text
	}
	var parts []splice
	for _, c := range m.conflicts {
		from, to, ok := m.conflictSpan(c)
		if !ok {
			text, _ := mergeLines(nil, m.doc.src, m.theirs.src, m.markers)
			return text
		}
		parts = append(parts, splice{from, to, m.marked(c, m.doc.src[from:to])})
	}
	slices.Reverse(parts) // of those at one place the last comes first
	slices.SortStableFunc(parts, func(a, b splice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out []byte
	from := 0
	for _, p := range parts {
		if p.from < from {
			text, _ := mergeLines(nil, m.doc.src, m.theirs.src, m.markers)
			return text
		}
		out = append(append(out, m.doc.src[from:p.from]...), p.text...)
		from = p.to
	}
	return append(out, m.doc.src[from:]...)
}

// marked puts our lines and theirs between markers.
func (m *Merged) marked(c conflict, ours []byte) string {
	eol := firstEnding(m.doc.src)
	var b strings.Builder
	line := func(text string) { b.WriteString(strings.TrimRight(text, "\r\n") + eol) }
	line(m.markers.first())
	for _, text := range keepLines(ours) {
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

func (m *Merged) conflictSpan(c conflict) (from, to int, ok bool) {
	switch {
	case c.item > 0 && len(c.theirs) > 0:
		if from, to, ok = m.doc.itemSpan(c.key, c.item-1); ok && m.sameIndent(c, from) {
			return from, to, true
		}
		return 0, 0, false
	case c.item > 0:
		return 0, 0, false
	case m.doc.Get(c.key) == nil:
		return m.doc.gap(c.key, m.schema.Order)
	}
	return m.doc.keySpan(c.key)
}

// sameIndent reports whether our lines of an item can stand in place of theirs.
func (m *Merged) sameIndent(c conflict, from int) bool {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	return indent(c.theirs[0]) == indent(string(m.doc.src[from:m.doc.nextLine(from)]))
}

// keySpan returns the lines of a key of the top mapping.
func (d *Doc) keySpan(key string) (from, to int, ok bool) {
	i := d.pair(key)
	if i < 0 || d.root.Style&yaml.FlowStyle != 0 {
		return 0, 0, false
	}
	return d.memberSpan(d.membersOf(d.root, top), i/2)
}

// itemSpan returns the lines of an item of a list under a key.
func (d *Doc) itemSpan(key string, at int) (from, to int, ok bool) {
	s, rest, err := d.find(Path{key})
	if err != nil || len(rest) > 0 || s.node.Kind != yaml.SequenceNode || s.node.Style&yaml.FlowStyle != 0 {
		return 0, 0, false
	}
	return d.memberSpan(d.membersOf(s.node, s.place), at)
}

func (d *Doc) memberSpan(ms []member, at int) (from, to int, ok bool) {
	if at >= len(ms) || !d.inLine(ms[max(at-1, 0):min(at+2, len(ms))], false) || !d.ownsLine(ms[at]) {
		return 0, 0, false
	}
	return d.lineStart(ms[at].from), d.nextLine(ms[at].to), true
}

// gap returns where the lines of a key that is missing would stand.
func (d *Doc) gap(key string, order []string) (from, to int, ok bool) {
	if d.root.Style&yaml.FlowStyle != 0 || len(d.root.Content) == 0 {
		return 0, 0, false
	}
	ms := d.membersOf(d.root, top)
	at := insertAt(d.root, key, order)
	if at == 0 {
		from, _, ok = d.memberSpan(ms, 0)
		return from, from, ok
	}
	_, from, ok = d.memberSpan(ms, at-1)
	return from, from, ok && lastBreak(d.src[:from]) > 0
}

// settleComments sees to it that no comment of theirs is lost. Where the files merge as text, and say the same as what was
// merged by key, that text is the result: it has the layout of both sides. Else the comments that theirs added come to stand
// above the key that they stood in or above. It reports false if that cannot be done.
func (m *Merged) settleComments(base, ours, theirs []byte) bool {
	if m.Clean() {
		text, clean := mergeLines(base, ours, theirs, m.markers)
		if d, err := parse(text, m.kind); clean && err == nil && m.says(d) {
			m.doc = d
			return true
		}
	}
	return m.addComments(m.newComments())
}

// says reports whether another document says what was merged.
func (m *Merged) says(d *Doc) bool {
	return meaning(d.root) == meaning(m.doc.root) && bytes.Equal(d.Body(), m.doc.Body())
}

// comment is a comment of theirs, and the key that it belongs to, "" for the end.
type comment struct{ text, key string }

// newComments returns what theirs has more of than base and result, but for what will stand between markers.
func (m *Merged) newComments() (out []comment) {
	have := map[string]int{}
	for _, text := range m.doc.commentTexts() {
		have[text]++
	}
	old := map[string]int{}
	if m.base != nil {
		for _, text := range m.base.commentTexts() {
			old[text]++
		}
	}
	d := m.theirs
	for _, c := range d.comments(d.from, d.to) {
		text := strings.TrimRight(string(d.src[c.from:c.to]), " \t")
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

// keyAt returns the key whose lines hold the byte at off, or else the one below it.
func (d *Doc) keyAt(off int) (key string, inside bool) {
	ms := d.membersOf(d.root, top)
	i := sort.Search(len(ms), func(i int) bool { return off < d.nextLine(ms[i].to) })
	if i == len(ms) {
		return "", false
	}
	return d.root.Content[2*i].Value, off >= d.lineStart(ms[i].from)
}

// addComments puts comments above the keys that they belong to. Those of one key keep their order.
func (m *Merged) addComments(comments []comment) bool {
	if len(comments) == 0 {
		return true
	}
	d := m.doc
	texts := map[int]string{}
	for _, c := range comments {
		at, _, ok := d.keySpan(c.key)
		if !ok {
			at = d.to
		}
		if texts[at] != "" || at == d.from || lastBreak(d.src[:at]) > 0 {
			texts[at] += c.text + d.eol(at)
			continue
		}
		texts[at] += d.eol(at) + c.text + d.eol(at)
	}
	var parts []splice
	for at, text := range texts {
		if at == d.to && at > d.from && lastBreak(d.src[:at]) == 0 {
			text = strings.TrimSuffix(text, d.eol(at)) // the file goes on without a last line break
		}
		parts = append(parts, splice{at, at, text})
	}
	src, ok := d.splicedAll(parts)
	if !ok {
		return false
	}
	next, err := parse(src, m.kind)
	if err != nil || !m.says(next) {
		return false
	}
	m.doc = next
	return true
}
