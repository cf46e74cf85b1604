package frontmatter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Values says how the members of a mapping are read, so that two of them can be compared by what they say. A member that is
// not named says its type and its text, as YAML has it.
type Values struct {
	Texts []string // members that are texts whatever their type, and so are those inside of them
	Times []string // members that are times: equal if the instant is
}

// Meanings is what each item of the list under a top-level key says. Items with the same text say the same, however they are
// written: quotes, tags, the order of members, and how a time is spelled make no difference.
func (d *Doc) Meanings(key string, values Values) []string {
	items, _ := itemsOf(d.Get(key))
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = values.meaning(item)
	}
	return out
}

// meaning writes down what an item says: members that are named in the order of their names, then the others by key.
func (v Values) meaning(n *yaml.Node) string {
	n = resolved(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return meaning(n)
	}
	pairs := pairsOf(n)
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(v.place(a.key)-v.place(b.key), cmp.Compare(a.key, b.key)) })
	var b strings.Builder
	b.WriteByte('{')
	for _, p := range pairs {
		b.WriteString(strconv.Quote(p.key))
		v.write(&b, p)
	}
	b.WriteByte('}')
	return b.String()
}

// place is where a member stands among the others.
func (v Values) place(key string) int {
	if i := slices.Index(v.Texts, key); i >= 0 {
		return i
	}
	if i := slices.Index(v.Times, key); i >= 0 {
		return len(v.Texts) + i
	}
	return len(v.Texts) + len(v.Times)
}

func (v Values) write(b *strings.Builder, p pair) {
	at := resolved(p.value)
	switch {
	case slices.Contains(v.Texts, p.key):
		writeSorted(b, p.value, func(s *yaml.Node) { b.WriteString(strconv.Quote(textOf(s))) })
		return
	case slices.Contains(v.Times, p.key) && at != nil && at.Kind == yaml.ScalarNode:
		if instant, err := time.Parse(time.RFC3339, at.Value); err == nil {
			b.WriteString("@" + instant.UTC().Format(time.RFC3339Nano))
			return
		}
	}
	writeSorted(b, p.value, func(s *yaml.Node) { b.WriteString(s.ShortTag() + strconv.Quote(s.Value)) })
}

// textOf is the text of a scalar; one that is null is empty.
func textOf(n *yaml.Node) string {
	if n = resolved(n); n == nil {
		return ""
	}
	return n.Value
}

type pair struct {
	key   string
	value *yaml.Node
}

func pairsOf(n *yaml.Node) []pair {
	pairs := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, pair{n.Content[i].Value, n.Content[i+1]})
	}
	return pairs
}

// writeSorted writes down what a node says, with the members of mappings in the order of their keys.
func writeSorted(b *strings.Builder, n *yaml.Node, scalar func(*yaml.Node)) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		pairs := pairsOf(n)
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
		b.WriteByte('{')
		for _, p := range pairs {
			b.WriteString(strconv.Quote(p.key))
			writeSorted(b, p.value, scalar)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for _, item := range n.Content {
			writeSorted(b, item, scalar)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		scalar(n)
	}
}
