package frontmatter

import "gopkg.in/yaml.v3"

// A yaml.Node knows where it begins and not where it ends. This file finds the end, by the rules of YAML's scanner.

// place is what the end of a value depends on besides its own text.
type place struct {
	indent int  // columns before the innermost block collection around it; -1 outside of any
	flow   bool // it stands inside a [ ] or { }
}

var top = place{indent: -1}

// start returns where a node begins, its anchor and tag included.
func (t *text) start(n *yaml.Node) int {
	return t.offset(n.Line, n.Column)
}

// properties returns where a node's anchor and tag end; where the node begins if it has neither.
func (t *text) properties(n *yaml.Node) int {
	i := t.start(n)
	if isBlockMapping(n) && i == t.start(n.Content[0]) {
		return i // an anchor or a tag here is the first key's
	}
	anchor, tag := n.Anchor != "", n.Kind != yaml.AliasNode
	for next := i; next < t.to; next = t.skip(i, "") {
		switch {
		case anchor && t.src[next] == '&':
			anchor, i = false, t.nameEnd(next+1)
		case tag && t.src[next] == '!' && (n.Style&yaml.TaggedStyle != 0 || t.sameLine(i, next)):
			tag, i = false, t.wordEnd(next)
		default:
			return i
		}
	}
	return i
}

func isBlockMapping(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// content returns where a node begins behind its anchor and tag.
func (t *text) content(n *yaml.Node) int {
	i := t.properties(n)
	if i == t.start(n) {
		return i
	}
	return t.skip(i, "")
}

// end returns where a node that stands at p ends. Its last line break and what follows on that line are not part of it.
func (t *text) end(n *yaml.Node, p place) int {
	switch {
	case n.Kind == yaml.AliasNode:
		return t.nameEnd(t.start(n) + 1)
	case n.Kind == yaml.ScalarNode:
		return t.scalarEnd(n, p)
	case n.Style&yaml.FlowStyle != 0:
		return t.flowEnd(n, p)
	case len(n.Content) == 0:
		return t.properties(n)
	}
	return t.end(n.Content[len(n.Content)-1], t.inside(n, p))
}

// inside returns the place of the children of a collection that stands at p.
func (t *text) inside(n *yaml.Node, p place) place {
	if n.Style&yaml.FlowStyle != 0 {
		return place{indent: p.indent, flow: true}
	}
	return place{indent: t.column(t.content(n))}
}

func (t *text) flowEnd(n *yaml.Node, p place) int {
	i := t.content(n)
	bare := i >= t.to || t.src[i] != '[' && t.src[i] != '{' // the pair of [key: value] has no braces
	if !bare {
		i++
	}
	if len(n.Content) > 0 {
		i = max(i, t.end(n.Content[len(n.Content)-1], t.inside(n, p)))
	}
	if bare {
		return i
	}
	i = t.skip(i, ",:?")
	return min(i+1, t.to)
}
