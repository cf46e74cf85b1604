package frontmatter

import (
	"bytes"

	"gopkg.in/yaml.v3"
)

// LineOf returns the line of the file that a path leads to: that of a key, or on which an item of a list begins. Of a path
// that leads to nothing the steps that lead somewhere count; if none does, it is the line that the YAML begins on.
func (d *Doc) LineOf(path Path) int {
	at, value := d.root, d.root
	for _, step := range path {
		name, next := follow(resolved(value), step)
		if name == nil {
			break
		}
		at, value = name, next
	}
	return d.Line(at)
}

// follow returns the key and the value that a step leads to, which of a list are the same node, or nil.
func follow(n *yaml.Node, step any) (key, value *yaml.Node) {
	if n == nil {
		return nil, nil
	}
	switch step := step.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return nil, nil
		}
		if i := pairOf(n, step); i >= 0 {
			return n.Content[i], n.Content[i+1]
		}
	case int:
		if n.Kind == yaml.SequenceNode && step >= 0 && step < len(n.Content) {
			return n.Content[step], n.Content[step]
		}
	}
	return nil, nil
}

// Unmerged returns the line on which a conflict that git left in the body begins, or 0 if there is none. Only a whole one
// counts, with the markers in their order at the beginning of lines: the body is prose, and may speak of markers.
func (d *Doc) Unmerged() int {
	order := []string{"<<<<<<< ", "=======", ">>>>>>> "}
	begin, next := 0, 0
	for i := d.body; i < len(d.src); i = afterLine(d.src, i) {
		if !bytes.HasPrefix(d.src[i:], []byte(order[next])) {
			continue
		}
		if next == 0 {
			begin = i
		}
		if next++; next == len(order) {
			return fileLine(d.src, begin)
		}
	}
	return 0
}
