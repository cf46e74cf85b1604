package format

import (
	"io"

	"gopkg.in/yaml.v3"
)

// This file alone imports the library that reads YAML, in this package and in the whole program, so that another one
// with the same types is one line away. What else reads YAML takes the names below.

// Node is a value in YAML.
type Node = yaml.Node

// NodeKind is the kind of a node.
type NodeKind = yaml.Kind

// Style is how a node is written.
type Style = yaml.Style

// The kinds of nodes.
const (
	MappingNode  = yaml.MappingNode
	SequenceNode = yaml.SequenceNode
	ScalarNode   = yaml.ScalarNode
	AliasNode    = yaml.AliasNode
)

// The styles of nodes.
const (
	TaggedStyle       = yaml.TaggedStyle
	FlowStyle         = yaml.FlowStyle
	SingleQuotedStyle = yaml.SingleQuotedStyle
	DoubleQuotedStyle = yaml.DoubleQuotedStyle
	LiteralStyle      = yaml.LiteralStyle
	FoldedStyle       = yaml.FoldedStyle
)

// Deref follows an alias. It returns nil for nil.
func Deref(n *Node) *Node {
	for n != nil && n.Kind == AliasNode {
		n = n.Alias
	}
	return n
}

// IsNull reports whether a node is missing or null, if need be behind an alias.
func IsNull(n *Node) bool {
	n = Deref(n)
	return n == nil || n.Kind == ScalarNode && n.ShortTag() == "!!null"
}

// Member returns a key of a mapping and its value; nil if n is another node, or has no such key.
func Member(n *Node, key string) (at, value *Node) {
	if n == nil || n.Kind != MappingNode {
		return nil, nil
	}
	if i := keyIndex(n, key); i >= 0 {
		return n.Content[i], n.Content[i+1]
	}
	return nil, nil
}

// keyIndex returns the index in m.Content of a key, or -1. The value is at the next index.
func keyIndex(m *Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// Unmarshal reads the first YAML document into a value. It refuses nothing of what Parse refuses.
func Unmarshal(src []byte, into any) error { return yaml.Unmarshal(src, into) }

// Marshal writes a value as YAML, as the library lays it out.
func Marshal(v any) ([]byte, error) { return yaml.Marshal(v) }

// NewDecoder reads YAML documents one after another.
func NewDecoder(r io.Reader) *yaml.Decoder { return yaml.NewDecoder(r) }
