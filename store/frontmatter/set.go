package frontmatter

import "gopkg.in/yaml.v3"

// Set gives the value at path a new value, and adds the keys that are missing on the way. A scalar keeps its quotes
// where the new text permits. Setting what is already there changes nothing.
func Set(path Path, v Value) Edit { return setEdit{path, v} }

type setEdit struct {
	at    Path
	value Value
}

func (e setEdit) path() Path { return e.at }

func (e setEdit) plan(d *Doc, order []string) (*plan, *Error) {
	s, rest, err := d.find(e.at)
	if err != nil {
		return nil, err
	}
	value, err := wrap(rest, e.value)
	if err != nil {
		return nil, cannot(e.at, err)
	}
	if len(rest) == 0 && sameValue(e.value.node(), s.node) {
		return nil, nil
	}
	var gone []*yaml.Node
	if len(rest) == 0 {
		gone = []*yaml.Node{s.node}
	}
	if err := d.checkShared(s, gone...); err != nil {
		return nil, entangled(e.at, err)
	}
	change, err := d.set(s, rest, value, order)
	if err != nil {
		return nil, entangled(e.at, err)
	}
	return &plan{change, func(*yaml.Node) *yaml.Node { return e.value.node() }}, nil
}

// set replaces the value at s, or adds to the mapping at s what is missing of the path.
func (d *Doc) set(s *spot, rest Path, value Value, order []string) (splice, *Error) {
	if len(rest) == 0 || s.node.Kind != yaml.MappingNode {
		return d.replace(s, value)
	}
	if s.holder != nil {
		order = nil // it is for top-level keys
	}
	pair := value.(Map)[0]
	return d.insert(s, insertAt(s.node, pair.Key, order), pair)
}

// sameValue is same, but for an anchor on the present value.
func sameValue(want, present *yaml.Node) bool {
	n := *present
	n.Anchor = ""
	return same(want, &n)
}
