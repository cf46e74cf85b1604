package frontmatter

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// meaning writes down what a node says, so that two documents can be compared: nodes of equal meaning differ in style,
// comments and anchors at most. A missing node and an empty one mean "". Members of a mapping called but are left out.
func meaning(n *yaml.Node, but ...string) string {
	if n = resolved(n); n == nil {
		return ""
	}
	var b strings.Builder
	writeMeaning(&b, n, but)
	return b.String()
}

// resolved follows aliases. An empty value is nil.
func resolved(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	return n
}

func writeMeaning(b *strings.Builder, n *yaml.Node, but []string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !slices.Contains(but, n.Content[i].Value) {
				writeMeaning(b, n.Content[i], nil)
				writeMeaning(b, n.Content[i+1], nil)
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for _, item := range n.Content {
			writeMeaning(b, item, nil)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.ShortTag() + strconv.Quote(n.Value))
	}
}

// memberOf returns the text of a member of a mapping, or "".
func memberOf(n *yaml.Node, key string) string {
	n = resolved(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return ""
	}
	i := pairOf(n, key)
	if i < 0 {
		return ""
	}
	v := resolved(n.Content[i+1])
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}

// itemsOf returns the items of a list. An empty value has none; any other value is no list.
func itemsOf(n *yaml.Node) (items []*yaml.Node, ok bool) {
	n = resolved(n)
	if n == nil {
		return nil, true
	}
	return n.Content, n.Kind == yaml.SequenceNode
}

// textsOf returns the texts of a list. A lone text is a list of one.
func textsOf(n *yaml.Node) (texts []string, ok bool) {
	n = resolved(n)
	if n != nil && n.Kind == yaml.ScalarNode {
		return []string{n.Value}, true
	}
	items, ok := itemsOf(n)
	for _, item := range items {
		item = resolved(item)
		if item == nil || item.Kind != yaml.ScalarNode {
			return nil, false
		}
		texts = append(texts, item.Value)
	}
	return texts, ok
}

// Meanings is what each item of the list under a top-level key says. Items with the same text say the same, however they are
// written.
func (d *Doc) Meanings(key string) []string {
	items, _ := itemsOf(d.Get(key))
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = meaning(item)
	}
	return out
}
