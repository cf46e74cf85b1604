package format

// Nodes, and the lists of children, are allocated many at a time: one by one they would cost more than all the rest.

// bytesPerNode is about how many bytes of YAML stand for one node.
const bytesPerNode = 10

// Of nodes these many are allocated first, so that a file of another form, which shows that early in most cases, costs
// little; and at most so many at a time.
const (
	firstNodes = 16
	mostNodes  = 512
)

// node makes a node that begins at pos.
func (r *ownReader) node(kind NodeKind, tag string, style Style) *Node {
	if len(r.nodes) == 0 {
		size := firstNodes
		if r.begun {
			size = r.ahead()
		}
		r.nodes, r.begun = make([]Node, size), true
	}
	n := &r.nodes[0]
	r.nodes = r.nodes[1:]
	n.Kind, n.Tag, n.Style = kind, tag, style
	n.Line, n.Column = r.line, r.pos-r.margin+1
	return n
}

// openNode makes a collection that begins at pos, and returns how many children of others are open. The node is nil if
// the collection is nested too deep.
func (r *ownReader) openNode(kind NodeKind, tag string, style Style) (n *Node, children int) {
	if r.depth++; r.depth > maxOwnDepth {
		return nil, 0
	}
	return r.node(kind, tag, style), len(r.open)
}

// closeNode gives a collection its children: those that were opened since there were this many.
func (r *ownReader) closeNode(n *Node, children int) *Node {
	r.depth--
	count := len(r.open) - children
	if count == 0 {
		return n
	}
	if len(r.links) < count {
		r.links = make([]*Node, max(count, r.ahead()))
	}
	n.Content = r.links[:count:count]
	r.links = r.links[count:]
	copy(n.Content, r.open[children:])
	r.open = r.open[:children]
	return n
}

// ahead guesses how many nodes are still to come.
func (r *ownReader) ahead() int {
	return min(8+(len(r.text)-r.pos)/bytesPerNode, mostNodes)
}
