package frontmatter

import "gopkg.in/yaml.v3"

// rebuild makes the collection at s consist of parts. Old parts keep their bytes.
func (d *Doc) rebuild(s *spot, parts []Item) (splice, *Error) {
	ms := d.membersOf(s.node, s.place)
	flow := s.node.Style&yaml.FlowStyle != 0
	switch {
	case !d.inLine(ms, flow):
		return splice{}, d.refuse(s.node, "its parts cannot be told from one another")
	case len(parts) == 0 && s.holder != nil:
		return d.replace(s, emptied(s.node))
	case flow:
		return d.rebuildFlow(s, ms, parts)
	case len(s.node.Content) == 0:
		return d.firstPair(parts[0]), nil
	}
	return d.rebuildBlock(ms, parts), nil
}

func emptied(n *yaml.Node) Value {
	if n.Kind == yaml.MappingNode {
		return Flow{Map{}}
	}
	return Flow{Seq{}}
}

// inLine reports whether the members of a collection were found one behind the other and, where they have no brackets,
// on lines of their own. It fails for shapes that yaml.v3 gives odd positions, such as a key behind a ? without a value.
func (d *Doc) inLine(ms []member, flow bool) bool {
	for i := 1; i < len(ms); i++ {
		if ms[i].from < ms[i-1].to || !flow && d.sameLine(ms[i-1].to, ms[i].from) {
			return false
		}
	}
	return true
}

// insert adds a pair to the mapping at s, as its member at.
func (d *Doc) insert(s *spot, at int, pair Field) (splice, *Error) {
	var parts []Item
	for i := range len(s.node.Content) / 2 {
		parts = append(parts, Old(i))
	}
	parts = append(parts[:at:at], append([]Item{newPair(pair)}, parts[at:]...)...)
	return d.rebuild(s, parts)
}

// firstPair adds a pair at the end of a document that has none.
func (d *Doc) firstPair(pair Item) splice {
	eol := d.eol(d.to)
	text := joinLines(pair.lines(), 0, eol)
	if d.to > d.from && !endsLine(string(d.Front())) {
		return splice{d.to, d.to, eol + text[:len(text)-len(eol)]}
	}
	return splice{d.to, d.to, text}
}
