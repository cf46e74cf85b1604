package frontmatter

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Path leads from the top mapping to a value: keys are strings, places in a sequence ints from 0, as in
// Path{"checks", 0, "result"}.
type Path []any

// String writes a path as people do: checks[0].result. The empty path is the body.
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

// spot is a node, where it stands, and the collection that holds it.
type spot struct {
	node   *yaml.Node
	place  place
	holder *spot // nil for the root
	index  int   // which member of the holder it is the value of
}

// find follows a path as far as there are nodes, and returns what is left of it. What is left begins with a key that is
// missing from a mapping, or hangs on a value that is empty.
func (d *Doc) find(path Path) (*spot, Path, *Error) {
	if len(path) == 0 {
		return nil, nil, &Error{Msg: "cannot change a document as a whole: the path is empty"}
	}
	s := &spot{node: d.root, place: top}
	for i, step := range path {
		next, err := d.child(s, step)
		if err != nil {
			return nil, nil, cannot(path, err)
		}
		if next == nil {
			return s, path[i:], nil
		}
		s = next
	}
	return s, nil, nil
}

// child returns where one step of a path leads, or nil if there is nothing.
func (d *Doc) child(s *spot, step any) (*spot, *Error) {
	if isNothing(s.node) {
		return nil, nil
	}
	if s.node.Kind == yaml.AliasNode {
		return nil, d.refuse(s.node, "the value is an alias of another one")
	}
	switch step := step.(type) {
	case string:
		return d.valueOf(s, step)
	case int:
		return d.item(s, step)
	}
	return nil, &Error{Msg: fmt.Sprintf("a path holds strings and ints, not %T", step)}
}

func (d *Doc) valueOf(s *spot, key string) (*spot, *Error) {
	if s.node.Kind != yaml.MappingNode {
		return nil, d.refuse(s.node, fmt.Sprintf("this is not a mapping, so it has no key %q", key))
	}
	pair := pairOf
	if s.node == d.root {
		pair = func(_ *yaml.Node, key string) int { return d.pair(key) }
	}
	i := pair(s.node, key)
	if i < 0 {
		return nil, nil
	}
	return &spot{node: s.node.Content[i+1], place: d.inside(s.node, s.place), holder: s, index: i / 2}, nil
}

func (d *Doc) item(s *spot, i int) (*spot, *Error) {
	if s.node.Kind != yaml.SequenceNode {
		return nil, d.refuse(s.node, fmt.Sprintf("this is not a list, so it has no item %d", i))
	}
	if i < 0 || i >= len(s.node.Content) {
		return nil, d.refuse(s.node, fmt.Sprintf("the list has no item %d", i))
	}
	return &spot{node: s.node.Content[i], place: d.inside(s.node, s.place), holder: s, index: i}, nil
}

// wrap makes a value of the keys that are missing above it.
func wrap(keys Path, v Value) (Value, *Error) {
	for i := len(keys) - 1; i >= 0; i-- {
		key, ok := keys[i].(string)
		if !ok {
			return nil, &Error{Msg: fmt.Sprintf("there is no list to change item %v of", keys[i])}
		}
		v = Map{{key, v}}
	}
	return v, nil
}
