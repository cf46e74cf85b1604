package frontmatter

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// graft makes an edit on a tree and knows nothing of bytes. It returns a copy of n in which the node at path is what put
// makes of it; put is given nil if there is no such node, and may return nil to take it out. Only the nodes on the path
// are copied: the others are shared with n, and aliases go on naming the nodes they named.
func graft(n *yaml.Node, path Path, order []string, put func(*yaml.Node) *yaml.Node) *yaml.Node {
	return grafter{own: map[*yaml.Node]bool{}}.graft(n, path, order, put)
}

// grafter makes edits on a tree, each on what the one before returned. Nodes that it made it changes; of others it makes a copy.
type grafter struct{ own map[*yaml.Node]bool }

func (g grafter) graft(n *yaml.Node, path Path, order []string, put func(*yaml.Node) *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		return put(n)
	}
	if n == nil || isNothing(n) {
		n = Map{}.node()
	}
	if !g.own[n] {
		c := *n
		c.Content = slices.Clone(n.Content)
		n = &c
		g.own[n] = true
	}
	g.child(n, path, order, put)
	return n
}

func (g grafter) child(n *yaml.Node, path Path, order []string, put func(*yaml.Node) *yaml.Node) {
	at, size := childOf(n, path[0])
	if at < 0 {
		key := path[0].(string)
		pair := []*yaml.Node{scalarNode(anyTag, key), g.graft(nil, path[1:], nil, put)}
		n.Content = slices.Insert(n.Content, 2*insertAt(n, key, order), pair...)
		return
	}
	if c := g.graft(n.Content[at+size-1], path[1:], nil, put); c != nil {
		n.Content[at+size-1] = c
		return
	}
	n.Content = slices.Delete(n.Content, at, at+size)
}

// childOf returns where in n.Content the member that a step leads to begins, or -1, and how many nodes it has.
func childOf(n *yaml.Node, step any) (at, size int) {
	if key, ok := step.(string); ok {
		return pairOf(n, key), 2
	}
	return step.(int), 1
}

// insertAt returns which member of a mapping a missing key becomes: the one after the nearest key that comes before it
// in order, else the last.
func insertAt(m *yaml.Node, key string, order []string) int {
	for i := slices.Index(order, key) - 1; i >= 0; i-- {
		if at := pairOf(m, order[i]); at >= 0 {
			return at/2 + 1
		}
	}
	return len(m.Content) / 2
}
