package frontmatter

import (
	"sync"

	"gopkg.in/yaml.v3"
)

// member is one pair of a mapping or one item of a sequence, and the bytes it takes up.
type member struct {
	from, to int // [from, to) in the file, from the key or the dash to the end of the value
	value    int // where the value may begin: behind the colon or the dash; -1 if the pair has no colon
}

// members returns the members of a collection that stands at p.
func (t *text) members(n *yaml.Node, p place) []member {
	in := t.inside(n, p)
	i := t.content(n)
	if in.flow && !t.isBare(i) {
		i++
	}
	var ms []member
	for k := 0; k < len(n.Content); k += width(n) {
		i = t.skip(i, separator(in))
		m := t.member(n, k, i, in)
		ms = append(ms, m)
		i = m.to
	}
	return ms
}

// memberCache keeps the members of collections that were looked for: who changes many items of a list asks for each.
type memberCache struct {
	mu sync.Mutex
	of map[*yaml.Node][]member
}

// membersOf is members, found once. The caller must not change them.
func (d *Doc) membersOf(n *yaml.Node, p place) []member {
	d.found.mu.Lock()
	defer d.found.mu.Unlock()
	ms, ok := d.found.of[n]
	if !ok {
		if ms = d.members(n, p); d.found.of == nil {
			d.found.of = map[*yaml.Node][]member{}
		}
		d.found.of[n] = ms
	}
	return ms
}

// isBare reports whether a flow mapping at i has no braces, as in [key: value].
func (t *text) isBare(i int) bool {
	return i >= t.to || t.src[i] != '[' && t.src[i] != '{'
}

// width is how many nodes a member has.
func width(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}

func separator(p place) string {
	if p.flow {
		return ","
	}
	return ""
}

// member returns the member that begins at i and whose first node is n.Content[k].
func (t *text) member(n *yaml.Node, k, i int, in place) member {
	if n.Kind == yaml.MappingNode {
		return t.pair(n.Content[k], n.Content[k+1], i, in)
	}
	value := i
	if !in.flow {
		value++ // behind the dash
	}
	return member{from: i, to: max(value, t.end(n.Content[k], in)), value: value}
}

func (t *text) pair(key, value *yaml.Node, i int, in place) member {
	keyEnd := t.end(key, in)
	colon := t.skip(keyEnd, "")
	if colon >= t.to || t.src[colon] != ':' {
		return member{from: i, to: keyEnd, value: -1}
	}
	return member{from: i, to: max(colon+1, t.end(value, in)), value: colon + 1}
}
