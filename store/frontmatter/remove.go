package frontmatter

import "gopkg.in/yaml.v3"

// Remove takes a key or an item out, with its lines. If a comment stands on the line of a key, the line stays and the
// value is emptied. Removing what is not there changes nothing.
func Remove(path Path) Edit { return removeEdit{path} }

type removeEdit struct{ at Path }

func (e removeEdit) path() Path { return e.at }

func (e removeEdit) plan(d *Doc, _ []string) (*plan, *Error) {
	s, rest, err := d.find(e.at)
	if err != nil || len(rest) > 0 {
		return nil, err
	}
	if err := d.checkShared(s, s.node); err != nil {
		return nil, entangled(e.at, err)
	}
	if m, ok := d.commented(s); ok {
		if isNothing(s.node) {
			return nil, nil
		}
		return &plan{splice{m.value, m.to, ""}, func(*yaml.Node) *yaml.Node { return scalarNode("!!null", "") }}, nil
	}
	change, err := d.rebuild(s.holder, s.others())
	if err != nil {
		return nil, entangled(e.at, err)
	}
	return &plan{change, func(*yaml.Node) *yaml.Node { return nil }}, nil
}

// commented returns the pair of a block mapping that s is the value of, if it fits on one line and a comment follows.
func (d *Doc) commented(s *spot) (member, bool) {
	if s.place.flow || s.holder.node.Kind != yaml.MappingNode {
		return member{}, false
	}
	m := d.membersOf(s.holder.node, s.holder.place)[s.index]
	oneLine := m.value >= 0 && d.sameLine(m.value, m.to)
	return m, oneLine && len(d.comments(m.to, d.lineEnd(m.to))) > 0
}

// others returns all members of the holder but the one at s.
func (s *spot) others() []Item {
	var parts []Item
	for i := range len(s.holder.node.Content) / width(s.holder.node) {
		if i != s.index {
			parts = append(parts, Old(i))
		}
	}
	return parts
}
