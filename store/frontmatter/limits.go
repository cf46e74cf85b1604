package frontmatter

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// maxExpansion is how many nodes the aliases of a document may stand for, counted each time they are used.
const maxExpansion = 10_000

// checkTree refuses trees that are not safe to walk, or whose keys do not each name one value.
func (d *Doc) checkTree() *Error {
	w := walker{doc: d, open: map[*yaml.Node]bool{}}
	return w.visit(d.root, 1)
}

// walker visits every node, and what an alias stands for each time it is used. open holds the anchored nodes it is in.
type walker struct {
	doc      *Doc
	open     map[*yaml.Node]bool
	inAlias  int
	expanded int
}

func (w *walker) visit(n *yaml.Node, depth int) *Error {
	if w.inAlias > 0 {
		w.expanded++
	}
	if n.Kind == yaml.AliasNode {
		return w.follow(n, depth)
	}
	if n.Kind == yaml.ScalarNode {
		return nil
	}
	if depth > MaxDepth {
		return w.doc.refuse(n, fmt.Sprintf("nested more than %d levels deep", MaxDepth))
	}
	if n.Anchor != "" {
		w.open[n] = true
		defer delete(w.open, n)
	}
	for _, c := range n.Content {
		if err := w.visit(c, depth+1); err != nil {
			return err
		}
	}
	if n.Kind == yaml.MappingNode && w.inAlias == 0 {
		return w.doc.checkKeys(n)
	}
	return nil
}

func (w *walker) follow(alias *yaml.Node, depth int) *Error {
	if w.open[alias.Alias] {
		return w.doc.refuse(alias, fmt.Sprintf("alias *%s stands inside the value it names", alias.Value))
	}
	w.inAlias++
	defer func() { w.inAlias-- }()
	if err := w.visit(alias.Alias, depth); err != nil {
		return w.doc.refuse(alias, err.Msg)
	}
	if w.expanded > maxExpansion {
		return w.doc.refuse(alias, fmt.Sprintf("aliases stand for more than %d values", maxExpansion))
	}
	return nil
}

// checkKeys refuses a mapping with a key that is not text, or not there, or with two keys of the same text however they are quoted.
func (d *Doc) checkKeys(m *yaml.Node) *Error {
	seen := make(map[string]*yaml.Node, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i]
		if key.Kind != yaml.ScalarNode && (key.Kind != yaml.AliasNode || key.Alias.Kind != yaml.ScalarNode) {
			return d.refuse(key, "a key must be text, not a collection")
		}
		text := keyText(key)
		if text == "" && key.Style == 0 {
			return d.refuse(m, "a key is missing in front of a colon, or behind a question mark") // it has no place of its own
		}
		if d.start(m.Content[i+1]) < d.start(key) {
			return d.refuse(key, fmt.Sprintf("the key %q has no colon", text)) // so its value has no place of its own
		}
		if first := seen[text]; first != nil {
			err := d.refuse(key, fmt.Sprintf("duplicate key %q, first on line %d", text, d.Line(first)))
			err.Duplicate = true
			return err
		}
		seen[text] = key
	}
	return nil
}

// refuse makes an error that points at a node.
func (d *Doc) refuse(n *yaml.Node, msg string) *Error {
	return errorAt(d.src, d.start(n), msg)
}
