package frontmatter

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// maxExpansion is how many nodes the aliases of a document may stand for, counted each time they are used.
const maxExpansion = 10_000

// checkTree refuses trees that are not safe to walk, or whose keys do not each name one value.
func (d *Doc) checkTree() *Error {
	if err := d.checkDirectives(); err != nil {
		return err
	}
	w := walker{doc: d, open: map[*yaml.Node]bool{}}
	err := w.visit(d.root, 1)
	d.aliased = w.aliased
	return err
}

// walker visits every node, and what an alias stands for each time it is used. open holds the anchored nodes it is in.
type walker struct {
	doc      *Doc
	open     map[*yaml.Node]bool
	inAlias  int
	aliased  bool
	expanded int
}

func (w *walker) visit(n *yaml.Node, depth int) *Error {
	if w.inAlias > 0 {
		w.expanded++
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" && w.inAlias == 0 {
		if err := w.doc.checkName(n); err != nil {
			return err
		}
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
	w.aliased = true
	defer func() { w.inAlias-- }()
	if err := w.visit(alias.Alias, depth); err != nil {
		return w.doc.refuse(alias, err.Msg)
	}
	if w.expanded > maxExpansion {
		return w.doc.refuse(alias, fmt.Sprintf("aliases stand for more than %d values", maxExpansion))
	}
	return nil
}

// refuse makes an error that points at a node.
func (d *Doc) refuse(n *yaml.Node, msg string) *Error {
	return errorAt(d.src, d.start(n), msg)
}
