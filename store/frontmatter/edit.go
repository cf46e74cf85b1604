package frontmatter

import (
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Edit is one change to a document: Set, Remove, SetSeq or SetBody.
type Edit interface {
	// plan says which bytes change, without changing them, and what the tree must then be.
	plan(d *Doc, order []string) (*plan, *Error)
	// path is what the edit changes, for messages and for the tree.
	path() Path
}

// plan is an edit made up: the splice to make, and the same edit for the tree of the source (see graft). A nil plan
// changes nothing.
type plan struct {
	splice
	put func(*yaml.Node) *yaml.Node
}

// splice puts text in place of src[from:to].
type splice struct {
	from, to int
	text     string
}

// Edit returns a new document with the edits made one after another, or an *Error and no document if one of them cannot
// be made without touching lines that are not its own.
//
// A top-level key that is missing is added behind the nearest key that comes before it in order and is present; if
// there is none, or the key is not in order, at the end.
//
// Edits that are apart from one another are made in one go, so that many of them cost no more than one.
func (d *Doc) Edit(order []string, edits ...Edit) (*Doc, error) {
	if len(edits) > 1 {
		if next, ok := d.editTogether(order, edits); ok {
			return next, nil
		}
	}
	for _, e := range edits {
		next, err := d.edit(order, e)
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}

func (d *Doc) edit(order []string, e Edit) (*Doc, *Error) {
	p, err := e.plan(d, order)
	if err != nil || p == nil {
		return d, err
	}
	if !utf8.ValidString(p.text) {
		return nil, cannot(e.path(), &Error{Msg: "the new text is not valid UTF-8"})
	}
	next, err := parse(d.spliced(p.splice), d.kind)
	if err != nil {
		return nil, cannot(e.path(), err)
	}
	if reason := d.prove(next, order, e.path(), p.put); reason != nil {
		return nil, entangled(e.path(), &Error{Line: fileLine(d.src, p.from), Msg: reason.Error()})
	}
	return next, nil
}

// spliced returns the file with one splice made. It is the only place where an edit makes bytes, so everything outside
// of the splice is as it was.
func (d *Doc) spliced(s splice) []byte {
	out := make([]byte, 0, len(d.src)-(s.to-s.from)+len(s.text))
	out = append(out, d.src[:s.from]...)
	out = append(out, s.text...)
	return append(out, d.src[s.to:]...)
}
