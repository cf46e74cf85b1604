package format

import "bytes"

// Schema says how the keys of a kind of record are merged. The caller, who knows the kind, provides it.
type Schema struct {
	Order  []string        // where a missing key is added, as for Doc.Edit
	Fields map[string]Rule // a key that is not named is One
}

// Rule says how one key is merged.
type Rule struct {
	Kind FieldKind

	// Key is the member that names an item of a Keyed list, or the member that holds the time of an entry of a Log.
	Key string

	// Values says how the entries of a Log are compared.
	Values Values

	// Derived are members of the items of a Keyed list that follow from the others. Items that differ only in them are
	// the same; the caller sets it after the merge.
	Derived []string

	// Choose decides between two values of a One, also where one is that of the base: what entries set may have been
	// set anew and back. Where it is nil, or chooses Neither, a change of one side wins, and two are a conflict. base
	// is nil if the two have none.
	Choose func(base, ours, theirs *Doc) Side

	// Recorded is set for what the entries of the Log account for. No entry is ever taken out, so a side that has only
	// lost entries of the base, as in a revert, takes back nothing of it: the value is that of the other side.
	Recorded bool
}

// FieldKind says how a value is merged if both sides changed it.
type FieldKind int

// The kinds of field.
const (
	One   FieldKind = iota // one value, whatever is in it
	Texts                  // a list of texts, each at most once
	Log                    // a list that is only appended to
	Keyed                  // a list of mappings, each named by one of its members
)

// Side is one of the two versions that are merged.
type Side int

// The sides. Neither means that only a person can choose.
const (
	Neither Side = iota
	Ours
	Theirs
)

// Merge merges two documents that come from the same base, key by key, as the schema says.
//
// A change of one side wins, and equal changes count once. If both sides changed a key in different ways, it is merged
// by its kind; if that leaves two answers, it is a conflict on the lines of that key alone. The body is merged line by
// line. The result is made by edits of our document, so whatever did not change stays as it is on our side. The
// comments of both sides stay.
//
// An empty base means that both sides added the file. If a side cannot be parsed, the files are merged as text, as a
// whole. Nothing of either side is lost, except what the other side removed or replaced, and what is between markers.
func Merge(base, ours, theirs []byte, kind Kind, schema Schema, markers Markers) *Merged {
	m := &Merged{kind: kind, schema: schema, markers: markers}
	if kept := bytes.Equal(ours, theirs) || bytes.Equal(base, theirs); kept || bytes.Equal(base, ours) {
		if m.text = theirs; kept {
			m.text = ours
		}
		m.doc, _ = parse(m.text, kind)
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
	m.reverted = m.revertedSide()
	if m.mergeFields(); !m.mergeBody() || !m.mergeComments(base, ours, theirs) {
		// What was merged does not hold: the two files become one conflict.
		m = &Merged{kind: kind, schema: schema, markers: markers, unclean: true}
		text, clean := mergeLines(base, ours, theirs, markers)
		if clean {
			text, _ = mergeLines(nil, ours, theirs, markers)
		}
		m.text = text
	}
	return m
}

// Merged is the outcome of a merge. Until Bytes is called the caller may edit it further and add conflicts.
type Merged struct {
	kind    Kind
	schema  Schema
	markers Markers

	// The documents that were merged. ours and theirs are nil if nothing had to be merged by key; base also if there is
	// none.
	base, ours, theirs *Doc

	reverted  Side       // the one that only lost entries of the base, if there is one
	doc       *Doc       // what was merged so far, our value where there is a conflict; nil if there is only text
	text      []byte     // the result, if it was not merged by key
	taken     []takenKey // keys that become theirs and are not yet so in doc
	conflicts []conflict // keys with a conflict
	unclean   bool       // there are markers in the body or in the text
}

// Sides returns the documents that were merged, base nil if there is none. It returns false if nothing was merged by
// key.
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

// mergeText merges whole files line by line. If the result has no conflict but cannot be parsed, the two files become
// one conflict.
func (m *Merged) mergeText(base, ours, theirs []byte) {
	text, clean := mergeLines(base, ours, theirs, m.markers)
	if clean {
		if m.doc, _ = parse(text, m.kind); m.doc == nil {
			text, clean = mergeLines(nil, ours, theirs, m.markers)
		}
	}
	m.text, m.unclean = text, !clean || m.doc == nil
}

// mergeBody merges the bodies. It reports whether the result can be parsed.
func (m *Merged) mergeBody() bool {
	var base []byte
	if m.base != nil {
		base = m.base.Body()
	}
	eol := firstEnding(m.ours.src)
	body, clean := mergePart(base, m.ours.Body(), m.theirs.Body(), m.markers, eol)
	front := bytes.Clone(m.doc.src[:m.doc.body])
	if m.kind == Markdown && len(body) > 0 && lastBreak(front) == 0 {
		front = append(front, eol...) // the closing line was the end of our file
	}
	next, err := parse(append(front, body...), m.kind)
	if err != nil {
		return false
	}
	m.doc, m.unclean = next, !clean
	return true
}
