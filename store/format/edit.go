package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/sorted"
)

// Edit is one change to a document: Set, Remove, SetSeq or SetBody.
type Edit interface {
	// path is what the edit changes; empty for the body.
	path() Path
	// plan returns the change to make, or nil if there is nothing to change.
	plan(ed editor) (*plan, *Error)
}

// plan is one change in two forms: of the bytes, and of the tree. They are made apart from each other, so that each can
// be checked against the other (see treeEditor).
type plan struct {
	splice
	tree nodeChange // nil if the change is of the body
}

// splice replaces the bytes of a span by text.
type splice struct {
	span
	text string
}

// editor makes edits of one document. New top-level keys go where order says.
type editor struct {
	*Doc
	order []string
}

// Edit returns a new document with the edits made one after another. If one of them cannot be made without touching
// lines that are not its own, it returns an *Error and no document.
//
// A missing top-level key is added after the nearest key that comes before it in order and is present. If there is
// none, or the key is not in order, it is added at the end.
//
// Edits that do not depend on each other are made in one step, so that many of them cost no more than one.
func (d *Doc) Edit(order []string, edits ...Edit) (*Doc, error) {
	if len(edits) > 1 && independent(edits) {
		if next, err := (editor{d, order}).apply(edits...); err == nil {
			return next, nil
		}
	}
	for _, e := range edits { // one by one, which also says what is wrong
		next, err := editor{d, order}.apply(e)
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}

// apply makes an edit, or several that are independent, in one step. It fails if they would replace bytes that touch.
// An error of several names the first.
func (ed editor) apply(edits ...Edit) (*Doc, *Error) {
	var splices []splice
	trees, root, path := treeEditor{}, ed.root, edits[0].path()
	for _, e := range edits {
		p, err := e.plan(ed)
		switch {
		case err != nil:
			return nil, err
		case p == nil:
			continue
		case !utf8.ValidString(p.text):
			return nil, cannotChange(e.path(), &Error{Msg: "the new text is not valid UTF-8"})
		case p.tree != nil:
			root = trees.edit(root, e.path(), ed.order, p.tree)
		}
		splices = append(splices, p.splice)
	}
	if len(splices) == 0 {
		return ed.Doc, nil
	}
	at := fileLine(ed.src, splices[0].from)
	if !sortApart(splices) {
		return nil, cannotChangeAlone(path, &Error{Line: at, Msg: errTouch.Error()})
	}
	next, err := parse(replaceSpans(ed.src, splices), ed.kind)
	if err != nil {
		return nil, cannotChange(path, err)
	}
	var reason error
	if len(path) > 0 {
		reason = proveTree(ed.Doc, next, root)
	} else if !bytes.Equal(ed.src[:ed.body], next.src[:ed.body]) { // the body was edited
		reason = errFront
	}
	if reason != nil {
		return nil, cannotChangeAlone(path, &Error{Line: at, Msg: reason.Error()})
	}
	return next, nil
}

// independent reports whether the edits can be made in any order: no path is a prefix of another, and no edit changes
// the indexes that another one uses.
func independent(edits []Edit) bool {
	paths := make([]string, len(edits))
	for i, e := range edits {
		if len(e.path()) == 0 {
			return false
		}
		if _, isItem := e.path()[len(e.path())-1].(int); isItem {
			if _, isRemoval := e.(removeEdit); isRemoval {
				return false // the items after it get other indexes
			}
		}
		var b strings.Builder
		for _, step := range e.path() {
			b.WriteString((Path{step}).String() + "\x00")
		}
		paths[i] = b.String()
	}
	slices.Sort(paths)
	for i := 1; i < len(paths); i++ {
		if strings.HasPrefix(paths[i], paths[i-1]) {
			return false
		}
	}
	return true
}

// replaceSpans returns src with the splices made, which must be in order and not overlap. Only this function makes the
// bytes of an edit, so everything outside of the splices is unchanged.
func replaceSpans(src []byte, splices []splice) []byte {
	size := len(src)
	for _, s := range splices {
		size += len(s.text) - (s.to - s.from)
	}
	out := make([]byte, 0, size)
	from := 0
	for _, s := range splices {
		out = append(append(out, src[from:s.from]...), s.text...)
		from = s.to
	}
	return append(out, src[from:]...)
}

// sortApart sorts splices, and reports whether there are other bytes between any two of them.
func sortApart(splices []splice) bool {
	sorted.By(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(splices); i++ {
		if splices[i].from <= splices[i-1].to {
			return false
		}
	}
	return true
}

// checkAliases refuses to change the value at t if an alias elsewhere uses it, or a collection around it. Nor may an
// alias elsewhere use anything inside the nodes that are removed.
func (ed editor) checkAliases(t *target, removed ...*Node) *Error {
	if !ed.aliased {
		return nil
	}
	used := map[*Node]*Node{} // what aliases outside of the removed nodes use, each with such an alias
	walk(ed.root, func(n *Node) bool {
		if n.Kind == AliasNode && !slices.Contains(removed, n) {
			used[n.Alias] = n
		}
		return !slices.Contains(removed, n)
	})
	var wrong *Error
	check := func(n *Node) bool {
		if alias := used[n]; alias != nil && wrong == nil {
			wrong = ed.errorAt(n, fmt.Sprintf("line %d uses it through the alias *%s", ed.Line(alias), alias.Value))
		}
		return wrong == nil
	}
	for at := t; at != nil; at = at.parent {
		check(at.node)
	}
	for _, n := range removed {
		walk(n, check)
	}
	return wrong
}

// walk visits a node and what is inside it, as long as visit returns true; it follows no alias.
func walk(n *Node, visit func(*Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range n.Content {
		walk(c, visit)
	}
}

// An edit is made twice: on the bytes, which are then parsed, and on the tree of the source. Only if both trees say the
// same is the edit proven. The editor of trees knows nothing of bytes, so that it does not repeat a mistake made there.

var (
	errMeaning = errors.New("the result would not read back as meant")
	errComment = errors.New("a comment would be lost or changed")
	errBody    = errors.New("the body would change")
	errFront   = errors.New("the front matter would change")
	errTouch   = errors.New("two edits would change the same lines")
)

// proveTree checks that the edited document says what root says, and has the body and the comments of the source. The
// splices have kept the bytes around them; this is about what they say now.
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
	at, isItem := path[0].(int)
	size := 1
	if !isItem {
		key := path[0].(string)
		if at, size = keyIndex(n, key), 2; at < 0 {
			pair := []*Node{scalarNode(anyTag, key), e.edit(nil, path[1:], nil, change)}
			n.Content = slices.Insert(n.Content, 2*insertAt(n, key, order), pair...)
			return n
		}
	}
	if c := e.edit(n.Content[at+size-1], path[1:], nil, change); c != nil {
		n.Content[at+size-1] = c
	} else {
		n.Content = slices.Delete(n.Content, at, at+size)
	}
	return n
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
