package format

import (
	"bytes"
	"errors"
	"slices"
)

// An edit is made twice: on the bytes, which are then parsed, and on the tree of the source. Only if both trees say the
// same is the edit proven. The editor of trees knows nothing of bytes, so that it does not repeat a mistake made there.

var (
	errMeaning = errors.New("the result would not read back as meant")
	errComment = errors.New("a comment would be lost or changed")
	errBody    = errors.New("the body would change")
	errFront   = errors.New("the front matter would change")
)

// prove checks the result of one edit. The splice has kept the bytes around the edit; prove checks what they say now. A
// nil change means that the body was edited.
func (ed editor) prove(next *Doc, path Path, change nodeChange) error {
	switch {
	case change == nil && !bytes.Equal(ed.src[:ed.body], next.src[:ed.body]):
		return errFront
	case change == nil:
		return nil
	}
	return proveTree(ed.Doc, next, treeEditor{}.edit(ed.root, path, ed.order, change))
}

// proveTree checks that the edited document says what root says, and has the body and the comments of the source.
func proveTree(source, edited *Doc, root *Node) error {
	switch {
	case !bytes.Equal(source.Body(), edited.Body()):
		return errBody
	case !same(root, edited.root):
		return errMeaning
	case !slices.Equal(source.commentTexts(), edited.commentTexts()):
		return errComment
	}
	return nil
}

// same reports whether two trees have the same kinds, types, texts, anchors and children, whatever their style. Aliases
// are the same if what they stand for is.
func same(a, b *Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == AliasNode {
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

// nodeChange returns the new node for an old one. The old one is nil if the path leads to nothing; the new one is nil
// if the node is to be removed.
type nodeChange func(old *Node) *Node

// treeEditor makes edits of a tree, each on the result of the one before. It copies the nodes on the path, and changes
// its copies. Other nodes are shared with the source, so aliases go on naming the nodes that they named.
type treeEditor map[*Node]bool // the nodes that are its copies

// edit returns n with a change made at path. order says where missing keys go, as for Doc.Edit.
func (e treeEditor) edit(n *Node, path Path, order []string, change nodeChange) *Node {
	if len(path) == 0 {
		return change(n)
	}
	if n == nil || isNothing(n) {
		n = Map{}.node()
	}
	if !e[n] {
		c := *n
		c.Content = slices.Clone(n.Content)
		n = &c
		e[n] = true
	}
	e.editChild(n, path, order, change)
	return n
}

// editChild makes a change inside n, which must be a copy.
func (e treeEditor) editChild(n *Node, path Path, order []string, change nodeChange) {
	at, size := memberAt(n, path[0])
	if at < 0 {
		key := path[0].(string)
		pair := []*Node{scalarNode(anyTag, key), e.edit(nil, path[1:], nil, change)}
		n.Content = slices.Insert(n.Content, 2*insertAt(n, key, order), pair...)
		return
	}
	if c := e.edit(n.Content[at+size-1], path[1:], nil, change); c != nil {
		n.Content[at+size-1] = c
		return
	}
	n.Content = slices.Delete(n.Content, at, at+size)
}

// memberAt returns the index in n.Content of the member that a step leads to, or -1, and how many nodes the member has.
func memberAt(n *Node, step any) (at, size int) {
	if key, ok := step.(string); ok {
		return keyIndex(n, key), 2
	}
	return step.(int), 1
}

// insertAt returns which member of a mapping a missing key becomes: the one after the nearest key that comes before it
// in order, else the last.
func insertAt(m *Node, key string, order []string) int {
	for i := slices.Index(order, key) - 1; i >= 0; i-- {
		if at := keyIndex(m, order[i]); at >= 0 {
			return at/2 + 1
		}
	}
	return len(m.Content) / 2
}
