package format

import (
	"fmt"
	"strings"
)

// Path leads from the top mapping to a value. Keys are strings, and indexes of list items are ints from 0, as in
// Path{"checks", 0, "result"}.
type Path []any

// String returns a path in the usual notation: checks[0].result. The empty path is the body.
func (p Path) String() string {
	if len(p) == 0 {
		return "the body"
	}
	var b strings.Builder
	for _, step := range p {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, step)
	}
	return b.String()
}

// LineOf returns the line of the file that a path leads to: that of a key, or the one on which an item of a list
// begins. If the path leads nowhere, it returns the line of the last step that exists, or the line that the YAML begins
// on.
func (d *Doc) LineOf(path Path) int {
	at, value := d.root, d.root
	for _, step := range path {
		name, next := lookUp(resolved(value), step)
		if name == nil {
			break
		}
		at, value = name, next
	}
	return d.Line(at)
}

// lookUp returns the key and the value that a step leads to, or nil. For an item of a list both are the item.
func lookUp(n *Node, step any) (key, value *Node) {
	if n == nil {
		return nil, nil
	}
	switch step := step.(type) {
	case string:
		return Member(n, step)
	case int:
		if n.Kind == SequenceNode && step >= 0 && step < len(n.Content) {
			return n.Content[step], n.Content[step]
		}
	}
	return nil, nil
}

// target is the value that a path leads to.
type target struct {
	node    *Node
	nesting nesting
	parent  *target // the collection that contains it; nil for the root
	index   int     // which member of the parent it is the value of
}

// find follows a path as far as there are values. It returns the last one and the rest of the path. A rest that is not
// empty begins with a key that the value, a mapping, does not have; or the value is not written.
func (d *Doc) find(path Path) (*target, Path, *Error) {
	if len(path) == 0 {
		return nil, nil, &Error{Msg: "cannot change a document as a whole: the path is empty"}
	}
	t := &target{node: d.root, nesting: topLevel}
	for i, step := range path {
		next, err := d.child(t, step)
		if err != nil {
			return nil, nil, cannotChange(path, err)
		}
		if next == nil {
			return t, path[i:], nil
		}
		t = next
	}
	return t, nil, nil
}

// child returns where one step of a path leads, or nil if it leads to a missing key or beyond a value that is not
// written.
func (d *Doc) child(t *target, step any) (*target, *Error) {
	if isNothing(t.node) {
		return nil, nil
	}
	if t.node.Kind == AliasNode {
		return nil, d.errorAt(t.node, "the value is an alias of another value")
	}
	var at int
	size := width(t.node)
	switch step := step.(type) {
	case string:
		if t.node.Kind != MappingNode {
			return nil, d.errorAt(t.node, fmt.Sprintf("this is not a mapping, so it has no key %q", step))
		}
		if t.node == d.root {
			at = d.keyIndex(step)
		} else {
			at = keyIndex(t.node, step)
		}
		if at < 0 {
			return nil, nil
		}
	case int:
		if t.node.Kind != SequenceNode {
			return nil, d.errorAt(t.node, fmt.Sprintf("this is not a list, so it has no item %d", step))
		}
		if at = step; at < 0 || at >= len(t.node.Content) {
			return nil, d.errorAt(t.node, fmt.Sprintf("the list has no item %d", at))
		}
	default:
		return nil, &Error{Msg: fmt.Sprintf("a path has strings and ints, not %T", step)}
	}
	in := d.nestingIn(t.node, t.nesting)
	return &target{node: t.node.Content[at+size-1], nesting: in, parent: t, index: at / size}, nil
}
