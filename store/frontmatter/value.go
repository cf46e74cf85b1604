package frontmatter

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// Value is something to write: a String, Plain, Int, Bool, Seq, Map or Flow, or a value of another document.
type Value interface {
	// node is the tree that the value must read back as.
	node() *yaml.Node
}

type (
	// String is any text. It is quoted where YAML would read it as something else.
	String string

	// Plain is text that needs no quotes although it looks like a number or a date. It is quoted only where YAML
	// could not read it back as the same text.
	Plain string

	// Int is a whole number.
	Int int

	// Bool is true or false.
	Bool bool

	// Seq goes on one line, [a, b], if it holds only scalars, and on one line for each item otherwise.
	Seq []Value

	// Map has a line for each field.
	Map []Field

	// Flow puts a collection on one line, as in {who: 'human:shah', did: created}.
	Flow struct{ Value Value }
)

// Field is one key of a Map.
type Field struct {
	Key   string
	Value Value
}

func (v String) node() *yaml.Node { return scalarNode("!!str", string(v)) }
func (v Plain) node() *yaml.Node  { return scalarNode(anyTag, string(v)) }
func (v Int) node() *yaml.Node    { return scalarNode("!!int", strconv.Itoa(int(v))) }
func (v Bool) node() *yaml.Node   { return scalarNode("!!bool", strconv.FormatBool(bool(v))) }
func (v Flow) node() *yaml.Node   { return v.Value.node() }

func (v Seq) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, item := range v {
		n.Content = append(n.Content, item.node())
	}
	return n
}

func (v Map) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range v {
		n.Content = append(n.Content, scalarNode(anyTag, f.Key), f.Value.node())
	}
	return n
}

// anyTag marks a scalar whose text counts and whose type does not.
const anyTag = "*"

func scalarNode(tag, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}
