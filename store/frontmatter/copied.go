package frontmatter

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// copied is a value of another document that stands on one line there, with its bytes.
type copied struct {
	Value
	text string
	safe bool // the text can stand between brackets too
}

// copyAt returns the value at a path as one that another document can be given, in its own bytes if it is on one line.
// It fails for what cannot be taken out of its document: tags of its own, and merge keys.
func (d *Doc) copyAt(path Path) (Value, bool) {
	s, rest, err := d.find(path)
	if err != nil || len(rest) > 0 {
		return nil, false
	}
	v, ok := valueOf(s.node)
	from, to := d.start(s.node), d.end(s.node, s.place)
	if !ok || from >= to || !d.sameLine(from, to) || !bare(s.node) {
		return v, ok
	}
	quoted := s.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.FlowStyle) != 0
	return copied{v, string(d.src[from:to]), quoted}, true
}

// bare reports whether no anchor, alias or tag is written in a value.
func bare(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return !bare(c) })
}

// plainTags are the types that a scalar has by the way it is written.
var plainTags = []string{"!!int", "!!float", "!!bool", "!!timestamp"}

// valueOf makes a value of what a node says.
func valueOf(n *yaml.Node) (Value, bool) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		return mapOf(n)
	case yaml.SequenceNode:
		return seqOf(n)
	default:
		return scalarOf(n)
	}
}

func scalarOf(n *yaml.Node) (Value, bool) {
	switch tag := n.ShortTag(); tag {
	case "!!str":
		return String(n.Value), true
	case "!!null":
		return Plain("null"), true
	default:
		return Plain(n.Value), slices.Contains(plainTags, tag)
	}
}

func mapOf(n *yaml.Node) (Value, bool) {
	m := Map{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, ok := valueOf(n.Content[i+1])
		if !ok || n.Content[i].ShortTag() == "!!merge" {
			return nil, false
		}
		m = append(m, Field{n.Content[i].Value, v})
	}
	return styled(n, m, len(m) == 0), n.ShortTag() == "!!map"
}

func seqOf(n *yaml.Node) (Value, bool) {
	s := Seq{}
	for _, item := range n.Content {
		v, ok := valueOf(item)
		if !ok {
			return nil, false
		}
		s = append(s, v)
	}
	return styled(n, s, len(s) == 0), n.ShortTag() == "!!seq"
}

// styled keeps a collection between brackets where it was.
func styled(n *yaml.Node, v Value, empty bool) Value {
	if empty || n.Style&yaml.FlowStyle != 0 {
		return Flow{v}
	}
	return v
}
