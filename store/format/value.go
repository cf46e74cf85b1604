package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Value is something to write: a String, Plain, Int, Bool, Seq, Map or Flow, or a value copied from another document.
type Value interface {
	// node is the tree that the value must read back as.
	node() *Node
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

	// Seq is written on one line, [a, b], if it has only scalars, and otherwise with a line for each item.
	Seq []Value

	// Map is written with a line for each field.
	Map []Field

	// Flow writes a collection on one line, as in {who: 'human:shah', did: created}.
	Flow struct{ Value Value }
)

// Field is one key of a Map.
type Field struct {
	Key   string
	Value Value
}

func (v String) node() *Node { return scalarNode("!!str", string(v)) }
func (v Plain) node() *Node  { return scalarNode(anyTag, string(v)) }
func (v Int) node() *Node    { return scalarNode("!!int", strconv.Itoa(int(v))) }
func (v Bool) node() *Node   { return scalarNode("!!bool", strconv.FormatBool(bool(v))) }
func (v Flow) node() *Node   { return v.Value.node() }

func (v Seq) node() *Node {
	n := &Node{Kind: SequenceNode, Tag: "!!seq"}
	for _, item := range v {
		n.Content = append(n.Content, item.node())
	}
	return n
}

func (v Map) node() *Node {
	n := &Node{Kind: MappingNode, Tag: "!!map"}
	for _, f := range v {
		n.Content = append(n.Content, scalarNode(anyTag, f.Key), f.Value.node())
	}
	return n
}

// anyTag marks a scalar that may read back as any type, as long as its text is the same.
const anyTag = "*"

func scalarNode(tag, text string) *Node {
	return &Node{Kind: ScalarNode, Tag: tag, Value: text}
}

// verbatim is a value of another document that is on one line there, with its bytes.
type verbatim struct {
	Value
	text     string
	inFlowOK bool // the text may be written between brackets too
}

// copyOf returns the value at a path for use in another document, with its own bytes if it is on one line. It returns
// false for values that have no meaning outside of their document: those with tags of their own, or with merge keys.
func (d *Doc) copyOf(path Path) (Value, bool) {
	t, rest, err := d.find(path)
	if err != nil || len(rest) > 0 {
		return nil, false
	}
	v, ok := valueOf(t.node)
	from, to := d.start(t.node), d.end(t.node, t.nesting)
	if !ok || from >= to || !d.sameLine(from, to) || !selfContained(t.node) {
		return v, ok
	}
	delimited := t.node.Style&(SingleQuotedStyle|DoubleQuotedStyle|FlowStyle) != 0
	return verbatim{v, string(d.src[from:to]), delimited}, true
}

// selfContained reports whether a value has no anchor, alias or explicit tag.
func selfContained(n *Node) bool {
	if n.Kind == AliasNode || n.Anchor != "" || n.Style&TaggedStyle != 0 {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(c *Node) bool { return !selfContained(c) })
}

// valueOf returns what a node says as a value. It returns false for tags of the document's own, and for merge keys.
func valueOf(n *Node) (Value, bool) {
	if n = Deref(n); n.Kind == ScalarNode {
		switch n.ShortTag() {
		case "!!str":
			return String(n.Value), true
		case "!!null":
			return Plain("null"), true
		case "!!int", "!!float", "!!bool", "!!timestamp": // types that follow from how the scalar is written
			return Plain(n.Value), true
		}
		return nil, false
	}
	var m Map
	var s Seq
	for i := width(n) - 1; i < len(n.Content); i += width(n) {
		v, ok := valueOf(n.Content[i])
		if !ok || n.Kind == MappingNode && n.Content[i-1].ShortTag() == "!!merge" {
			return nil, false
		}
		if n.Kind == MappingNode {
			m = append(m, Field{n.Content[i-1].Value, v})
		} else {
			s = append(s, v)
		}
	}
	v, tag := Value(s), "!!seq"
	if n.Kind == MappingNode {
		v, tag = m, "!!map"
	}
	if len(n.Content) == 0 || n.Style&FlowStyle != 0 {
		v = Flow{v} // between brackets
	}
	return v, n.ShortTag() == tag
}

// blockLines returns the lines of a value that is written with one for each item or field, or nil if it is written on
// one line.
func blockLines(v Value) (lines []string) {
	switch v := v.(type) {
	case Seq:
		if slices.ContainsFunc(v, func(item Value) bool { return item.node().Kind != ScalarNode }) {
			for _, item := range v {
				lines = append(lines, itemLines(item)...)
			}
		}
	case Map:
		for _, f := range v {
			lines = append(lines, fieldLines(f)...)
		}
	}
	return lines
}

// itemLines returns the lines of one item of a block sequence, the first with its dash.
func itemLines(v Value) []string {
	lines := blockLines(v)
	if lines == nil {
		return []string{"- " + encoder{}.line(v)}
	}
	lines = indent(lines, 2)
	lines[0] = "- " + lines[0][2:]
	return lines
}

// fieldLines returns the lines of one pair of a block mapping.
func fieldLines(f Field) []string {
	lines := blockLines(f.Value)
	if lines == nil {
		return []string{encoder{}.field(f)}
	}
	return append([]string{encoder{}.string(f.Key) + ":"}, indent(lines, 2)...)
}

func indent(lines []string, columns int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = spaces(columns) + line
	}
	return out
}

// joinLines joins lines, each indented and with a line ending.
func joinLines(lines []string, columns int, eol string) string {
	return strings.Join(indent(lines, columns), eol) + eol
}

func spaces(n int) string { return strings.Repeat(" ", n) }

// encoder writes values on one line.
type encoder struct {
	flow   bool  // inside [ ] or { }
	quotes Style // the quotes to keep, if the text permits them
}

func (e encoder) line(v Value) string {
	switch v := v.(type) {
	case String:
		return e.string(string(v))
	case Plain:
		return e.plain(string(v))
	case Int:
		return strconv.Itoa(int(v))
	case Bool:
		return strconv.FormatBool(bool(v))
	case Seq:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = encoder{flow: true}.line(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Map:
		fields := make([]string, len(v))
		for i, f := range v {
			fields[i] = encoder{flow: true}.field(f)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case Flow:
		return e.line(v.Value)
	case verbatim:
		if e.flow && !v.inFlowOK {
			return e.line(v.Value)
		}
		return v.text
	}
	panic("format: a Value of another package")
}

func (e encoder) field(f Field) string {
	return encoder{flow: e.flow}.string(f.Key) + ": " + encoder{flow: e.flow}.line(f.Value)
}

// string writes text so that every reader of YAML 1.1 or 1.2 reads the same text back.
func (e encoder) string(s string) string {
	if e.flow && strings.Contains(s, ":") || !isWord(s) {
		return e.quote(s)
	}
	return e.plain(s)
}

// plain writes text that may look like a number or a date, without quotes wherever YAML reads the same text back.
func (e encoder) plain(s string) string {
	if e.quotes == 0 && e.readsPlain(s) {
		return s
	}
	return e.quote(s)
}

func (e encoder) quote(s string) string {
	if e.quotes == DoubleQuotedStyle || strings.ContainsFunc(s, mustEscape) {
		return doubleQuoted(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// readsPlain reports whether YAML reads s, without quotes, as one scalar with the text s.
func (e encoder) readsPlain(s string) bool {
	switch {
	case s == "", s != strings.TrimSpace(s), strings.ContainsFunc(s, mustEscape),
		strings.ContainsRune("-?:,[]{}#&*!|>'\"%@`=<~", rune(s[0])), strings.HasPrefix(s, "..."),
		strings.Contains(s, ": "), strings.HasSuffix(s, ":"), strings.Contains(s, " #"),
		e.flow && strings.ContainsAny(s, ",?[]{}"):
		return false
	}
	return true
}

// numeric reports whether s is a number, a date or a time in some version of YAML; it is true of more texts than those.
func numeric(s string) bool {
	return strings.IndexByte("-+.0123456789", s[0]) >= 0 && strings.Trim(s, "-+.,:_0123456789ABCDEFabcdefOoXxTtZz \t") == ""
}

// notText has the words that some version of YAML reads as something other than text.
var notText = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true,
	"null": true, ".inf": true, "+.inf": true, ".nan": true,
}

// isWord reports whether s is text to every reader: it begins like a word or a path and is no number, date or literal.
func isWord(s string) bool {
	if s == "" || numeric(s) || notText[strings.ToLower(s)] {
		return false
	}
	first := []rune(s)[0]
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("_/.($", first)
}

// mustEscape reports whether a character can be written only in double quotes, with a backslash.
func mustEscape(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 || !allowed(r)
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case mustEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
