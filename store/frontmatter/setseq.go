package frontmatter

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// SetSeq makes the sequence at path consist of these items. Each old one may be used once. Items that are left out go
// with their lines. All old ones in order and then a new one is an append: it adds the new one's lines and touches no
// other. If the key is missing or its value is empty, the sequence is written as Set would write it.
func SetSeq(path Path, items ...Item) Edit { return seqEdit{path, items} }

type seqEdit struct {
	at    Path
	items []Item
}

func (e seqEdit) path() Path { return e.at }

func (e seqEdit) plan(d *Doc, order []string) (*plan, *Error) {
	s, rest, err := d.find(e.at)
	if err != nil {
		return nil, err
	}
	n := s.node
	if len(rest) > 0 || isNothing(n) {
		n = Seq{}.node()
	}
	if err := e.check(d, n); err != nil {
		return nil, cannot(e.at, err)
	}
	if len(n.Content) == 0 || len(e.items) == 0 {
		return setEdit{e.at, e.values()}.plan(d, order)
	}
	if e.keepsAll(n) {
		return nil, nil
	}
	if err := d.checkShared(s, e.left(n)...); err != nil {
		return nil, entangled(e.at, err)
	}
	change, err := d.rebuild(s, e.items)
	if err != nil {
		return nil, entangled(e.at, err)
	}
	return &plan{change, e.tree}, nil
}

// check refuses items that n, the present sequence, cannot give.
func (e seqEdit) check(d *Doc, n *yaml.Node) *Error {
	if n.Kind == yaml.AliasNode {
		return d.refuse(n, "the value is an alias of another one")
	}
	if n.Kind != yaml.SequenceNode {
		return d.refuse(n, "the value is not a list")
	}
	used := map[int]bool{}
	for _, it := range e.items {
		if it.old < 0 {
			continue
		}
		if it.old >= len(n.Content) || used[it.old] {
			return &Error{Msg: fmt.Sprintf("old item %d is not there, or used twice", it.old)}
		}
		used[it.old] = true
	}
	return nil
}

func (e seqEdit) keepsAll(n *yaml.Node) bool {
	for i, it := range e.items {
		if it.old != i {
			return false
		}
	}
	return len(e.items) == len(n.Content)
}

// left returns the items of n that are left out.
func (e seqEdit) left(n *yaml.Node) []*yaml.Node {
	kept := keptOf(e.items)
	var left []*yaml.Node
	for i, item := range n.Content {
		if !kept[i] {
			left = append(left, item)
		}
	}
	return left
}

// values returns the items as a value. There are no old ones.
func (e seqEdit) values() Seq {
	s := Seq{}
	for _, it := range e.items {
		s = append(s, it.value)
	}
	return s
}

// tree makes the edit on the sequence's node.
func (e seqEdit) tree(old *yaml.Node) *yaml.Node {
	n := *old
	n.Content = nil
	for _, it := range e.items {
		if it.old >= 0 {
			n.Content = append(n.Content, old.Content[it.old])
		} else {
			n.Content = append(n.Content, it.value.node())
		}
	}
	return &n
}
