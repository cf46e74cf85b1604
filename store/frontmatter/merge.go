package frontmatter

import "bytes"

// Merge makes one document of two that come from the same base, key by key, as the schema says.
//
// A change of one side wins, and equal changes count once. What both sides changed, each in its way, is merged by its kind;
// where that leaves two answers, it is a conflict on the lines of that key alone. The body is merged line by line. The result
// is made of our bytes by edits, so whatever did not change stays as it is on our side, and comments of either side stay.
//
// An empty base means that both sides added the file. If a side cannot be parsed, the files are merged as text, as a whole.
// Nothing of either side is ever left out but what the other one took away or replaced, or what stands between markers.
func Merge(base, ours, theirs []byte, kind Kind, schema Schema, markers Markers) *Merged {
	m := &Merged{kind: kind, schema: schema, markers: markers}
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		m.settle(ours)
		return m
	case bytes.Equal(base, ours):
		m.settle(theirs)
		return m
	}
	m.base, _ = parse(base, kind)
	o, oursErr := parse(ours, kind)
	t, theirsErr := parse(theirs, kind)
	if oursErr != nil || theirsErr != nil {
		m.mergeText(base, ours, theirs)
		return m
	}
	m.doc, m.ours, m.theirs = o, o, t
	if m.mergeFields(); !m.mergeBody() || !m.settleComments(base, ours, theirs) {
		m.giveUp(base, ours, theirs)
	}
	return m
}

// Merged is the outcome of a merge. Until Bytes is called the caller may still edit it and dispute keys.
type Merged struct {
	kind    Kind
	schema  Schema
	markers Markers

	base, ours, theirs *Doc // ours and theirs are nil where nothing had to be merged by key; base too if there is none
	doc                *Doc // what was merged so far, by our side where there is a conflict; nil if there is only text
	text               []byte
	taken              []takenField // keys that are theirs, and not yet so in doc
	conflicts          []conflict
	unclean            bool // markers stand in the body or in the text already
}

// Sides returns the documents that were merged, base nil if there is none, or false if nothing was merged by key.
func (m *Merged) Sides() (base, ours, theirs *Doc, ok bool) {
	return m.base, m.ours, m.theirs, m.doc != nil && m.ours != nil
}

// Doc returns what was merged, without markers around keys, or nil if it is text that cannot be parsed.
func (m *Merged) Doc() *Doc { return m.doc }

// Clean reports whether there is no conflict.
func (m *Merged) Clean() bool { return !m.unclean && len(m.conflicts) == 0 }

// Edit changes what was merged.
func (m *Merged) Edit(edits ...Edit) error {
	next, err := m.doc.Edit(m.schema.Order, edits...)
	if err == nil {
		m.doc = next
	}
	return err
}

// settle takes one version as it is.
func (m *Merged) settle(src []byte) {
	m.doc, _ = parse(src, m.kind)
	m.text = src
}

// mergeText merges whole files line by line. If what comes out cannot be parsed, and is not marked, all of it is.
func (m *Merged) mergeText(base, ours, theirs []byte) {
	text, clean := mergeLines(base, ours, theirs, m.markers)
	if clean {
		if m.doc, _ = parse(text, m.kind); m.doc == nil {
			text, clean = mergeLines(nil, ours, theirs, m.markers)
		}
	}
	m.text, m.unclean = text, !clean || m.doc == nil
}

// giveUp makes one conflict of the two files.
func (m *Merged) giveUp(base, ours, theirs []byte) {
	*m = Merged{kind: m.kind, schema: m.schema, markers: m.markers, unclean: true}
	text, clean := mergeLines(base, ours, theirs, m.markers)
	if clean {
		text, _ = mergeLines(nil, ours, theirs, m.markers)
	}
	m.text = text
}

// mergeBody reports whether the bodies could be merged.
func (m *Merged) mergeBody() bool {
	var base []byte
	if m.base != nil {
		base = m.base.Body()
	}
	eol := firstEnding(m.ours.src)
	body, clean := m.markers.merge(eol, base, m.ours.Body(), m.theirs.Body())
	front := bytes.Clone(m.doc.src[:m.doc.body])
	if m.kind == Markdown && len(body) > 0 && lastBreak(front) == 0 {
		front = append(front, eol...) // our file ended with the closing line
	}
	next, err := parse(append(front, body...), m.kind)
	if err != nil {
		return false
	}
	m.doc, m.unclean = next, !clean
	return true
}
