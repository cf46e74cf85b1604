package frontmatter

import (
	"bytes"
	"errors"
	"slices"

	"gopkg.in/yaml.v3"
)

var (
	errMeaning = errors.New("the result would not read back as meant")
	errComment = errors.New("a comment would be lost or changed")
	errBody    = errors.New("the body would change")
	errFront   = errors.New("the front matter would change")
)

// prove compares the result of an edit with the same edit made on the tree of the source. Splicing has seen to it that
// the bytes around the edit are the same; this sees to what they say.
func (d *Doc) prove(next *Doc, order []string, path Path, put func(*yaml.Node) *yaml.Node) error {
	switch {
	case put == nil && !bytes.Equal(d.src[:d.body], next.src[:d.body]):
		return errFront
	case put == nil:
		return nil
	}
	return d.proveTree(next, graft(d.root, path, order, put))
}

// proveTree holds the result of edits against the tree that they were to make.
func (d *Doc) proveTree(next *Doc, root *yaml.Node) error {
	switch {
	case !bytes.Equal(d.Body(), next.Body()):
		return errBody
	case !same(root, next.root):
		return errMeaning
	case !slices.Equal(d.commentTexts(), next.commentTexts()):
		return errComment
	}
	return nil
}

// same reports whether two trees say the same: kind, type, text, anchor and children, whatever the style. An alias
// says what the node it names says.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.AliasNode {
		return same(a.Alias, b.Alias)
	}
	if a.Tag != anyTag && b.Tag != anyTag && a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
