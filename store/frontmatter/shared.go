package frontmatter

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// aliases maps a node to an alias that names it.
type aliases map[*yaml.Node]*yaml.Node

// checkShared refuses to change the value at s if it, or a collection around it, is used elsewhere through an alias. If
// the value goes as a whole, that holds for everything in it too.
func (d *Doc) checkShared(s *spot, whole bool) *Error {
	used := aliases{}
	used.collect(d.root, s.node)
	for up := s; up != nil; up = up.holder {
		if alias := used[up.node]; alias != nil {
			return d.sharedWith(up.node, alias)
		}
	}
	if whole && len(used) > 0 {
		return d.checkInside(s.node, used)
	}
	return nil
}

// collect notes the aliases in n that stand outside of except.
func (used aliases) collect(n, except *yaml.Node) {
	if n == except {
		return
	}
	if n.Kind == yaml.AliasNode {
		used[n.Alias] = n
	}
	for _, c := range n.Content {
		used.collect(c, except)
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
