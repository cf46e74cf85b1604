package frontmatter

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// aliases maps a node to an alias that names it.
type aliases map[*yaml.Node]*yaml.Node

// checkShared refuses to change the value at s if it, or a collection around it, is used elsewhere through an alias. Of
// the nodes that go, nothing inside may be used elsewhere either.
func (d *Doc) checkShared(s *spot, gone ...*yaml.Node) *Error {
	if !d.aliased {
		return nil
	}
	used := aliases{}
	used.collect(d.root, gone)
	for up := s; up != nil; up = up.holder {
		if alias := used[up.node]; alias != nil {
			return d.sharedWith(up.node, alias)
		}
	}
	if len(used) == 0 {
		return nil
	}
	for _, n := range gone {
		if err := d.checkInside(n, used); err != nil {
			return err
		}
	}
	return nil
}

// collect notes the aliases in n that stand outside of the nodes that go.
func (used aliases) collect(n *yaml.Node, gone []*yaml.Node) {
	if slices.Contains(gone, n) {
		return
	}
	if n.Kind == yaml.AliasNode {
		used[n.Alias] = n
	}
	for _, c := range n.Content {
		used.collect(c, gone)
	}
}

func (d *Doc) checkInside(n *yaml.Node, used aliases) *Error {
	if alias := used[n]; alias != nil {
		return d.sharedWith(n, alias)
	}
	for _, c := range n.Content {
		if err := d.checkInside(c, used); err != nil {
			return err
		}
	}
	return nil
}

func (d *Doc) sharedWith(n, alias *yaml.Node) *Error {
	return d.refuse(n, fmt.Sprintf("line %d uses it through the alias *%s", d.Line(alias), alias.Value))
}
