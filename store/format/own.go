package format

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Cairn's own form is the part of YAML in which this package writes:
//
//   - a block mapping, whose values are scalars, or collections in block style on deeper lines or in flow style on the same line,
//   - scalars on one line: plain, or in single or double quotes with the escapes that this package writes,
//   - lines that end in LF, with spaces only where they are needed.
//
// Everything else is left to yaml.v3: comments, empty values and lines, anchors, aliases, tags, block scalars, texts
// over several lines, tabs, CR, other escapes, and plain scalars whose type is not obvious.

const (
	maxOwnDepth = 16  // collections inside one another
	maxOwnKey   = 128 // bytes of a key; yaml.v3 takes 1024 characters
)

// ownTree reads YAML in cairn's own form. The tree is the one that yaml.v3 makes of it: every field of every node is
// the same. It returns nil for everything else, wrong YAML too, which is then for yaml.v3 to read.
//
// src must have passed checkFront. The texts of the tree share one copy of src.
func ownTree(src []byte) *Node {
	r := ownReader{text: string(src), line: 1, open: make([]*Node, 0, 48)} // which is enough for most files
	if r.keyEnd() < 0 {
		return nil
	}
	root := r.blockMapping(0)
	if root == nil || r.pos < len(r.text) {
		return nil
	}
	return root
}

// ownReader reads cairn's own form from its beginning to its end. Its methods that return a node return nil for another
// form.
type ownReader struct {
	text string
	pos  int
	line int // that of pos, from 1

	// margin is such that the column of pos is pos-margin+1: where the line begins, and one more for each byte before pos
	// on the line that is not the first of its character.
	margin int

	depth int
	begun bool    // nodes were allocated
	nodes []Node  // not used yet
	links []*Node // not used yet
	open  []*Node // children that were read, of collections that are not closed
}

// at returns the byte at an offset, or a line break at the end of the text.
func (r *ownReader) at(i int) byte {
	if i < len(r.text) {
		return r.text[i]
	}
	return '\n'
}

// blockMapping reads a mapping whose first key is at pos, and whose other keys come behind this many spaces on their
// lines.
func (r *ownReader) blockMapping(indent int) *Node {
	m, children := r.openNode(MappingNode, "!!map", 0)
	if m == nil {
		return nil
	}
	for {
		key := r.key()
		if key == nil {
			return nil
		}
		value := r.fieldValue(indent)
		if value == nil {
			return nil
		}
		r.open = append(r.open, key, value)
		if !r.goesOn(indent) {
			return r.closeNode(m, children)
		}
	}
}

// fieldValue reads what follows the colon of a key in a block mapping, up to the beginning of the next line.
func (r *ownReader) fieldValue(indent int) *Node {
	if r.at(r.pos) != '\n' {
		r.pos++ // key made sure of the space
		return r.lineValue()
	}
	if !r.endLine() {
		return nil
	}
	deeper := r.spaces()
	if deeper <= indent {
		return nil
	}
	r.pos += deeper
	if r.at(r.pos) == '-' {
		return r.blockSequence(deeper)
	}
	return r.blockMapping(deeper)
}

// blockSequence reads a sequence whose first dash is at pos, and whose other dashes come behind this many spaces on
// their lines.
func (r *ownReader) blockSequence(indent int) *Node {
	s, children := r.openNode(SequenceNode, "!!seq", 0)
	if s == nil {
		return nil
	}
	for {
		if r.at(r.pos) != '-' || r.at(r.pos+1) != ' ' {
			return nil
		}
		r.pos += len("- ")
		var item *Node
		if r.keyEnd() >= 0 {
			item = r.blockMapping(indent + len("- "))
		} else {
			item = r.lineValue()
		}
		if item == nil {
			return nil
		}
		r.open = append(r.open, item)
		if !r.goesOn(indent) {
			return r.closeNode(s, children)
		}
	}
}

// goesOn reports whether a line with exactly this indentation begins at pos, and moves behind the indentation. Deeper
// lines and blank ones are found to be of another form by the one who reads on.
func (r *ownReader) goesOn(indent int) bool {
	if r.pos == len(r.text) || r.spaces() != indent {
		return false
	}
	r.pos += indent
	return true
}

// lineValue reads a value up to the end of its line, and moves to the next line.
func (r *ownReader) lineValue() *Node {
	v := r.value(false)
	if v == nil || !r.endLine() {
		return nil
	}
	return v
}

// spaces returns how many spaces are at pos.
func (r *ownReader) spaces() int {
	i := r.pos
	for i < len(r.text) && r.text[i] == ' ' {
		i++
	}
	return i - r.pos
}

// endLine moves to the beginning of the next line. It reports false if the line does not end at pos.
func (r *ownReader) endLine() bool {
	if r.pos == len(r.text) {
		return true
	}
	if r.text[r.pos] != '\n' {
		return false
	}
	r.pos++
	r.line++
	r.margin = r.pos
	return true
}

// value reads a value that begins at pos and ends on the same line.
func (r *ownReader) value(flow bool) *Node {
	switch r.at(r.pos) {
	case '\'', '"':
		return r.quoted()
	case '[':
		return r.flowCollection(SequenceNode, "!!seq", ']')
	case '{':
		return r.flowCollection(MappingNode, "!!map", '}')
	}
	return r.plain(flow)
}

// flowCollection reads a list between brackets or a mapping between braces, which are on one line.
func (r *ownReader) flowCollection(kind NodeKind, tag string, end byte) *Node {
	n, children := r.openNode(kind, tag, FlowStyle)
	if n == nil {
		return nil
	}
	for r.pos++; r.at(r.pos) != end || len(r.open) > children; {
		if kind == MappingNode {
			key := r.key()
			if key == nil || r.at(r.pos) != ' ' {
				return nil
			}
			r.open = append(r.open, key)
			r.pos++
		}
		value := r.value(true)
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		if r.at(r.pos) != ',' {
			break
		}
		r.pos++
		r.pos += r.spaces()
	}
	if r.at(r.pos) != end {
		return nil
	}
	r.pos++
	return r.closeNode(n, children)
}

// key reads a key and its colon, which a space or the end of the line follows.
func (r *ownReader) key() *Node {
	end := r.keyEnd()
	if end < 0 {
		return nil
	}
	text := r.text[r.pos:end]
	tag := ownTag(text)
	if tag == "" {
		return nil
	}
	n := r.node(ScalarNode, tag, 0)
	n.Value = text
	r.pos = end + 1
	return n
}

// keyEnd returns where the colon of the key at pos is, or -1 if no key is there. A key is a word of ASCII letters,
// digits, _ and -.
func (r *ownReader) keyEnd() int {
	i := r.pos
	if c := r.at(i); c != '_' && (c < 'A' || !isAlphanumeric(c)) {
		return -1
	}
	for i++; i < len(r.text) && (r.text[i] == '_' || r.text[i] == '-' || isAlphanumeric(r.text[i])); i++ {
		continue
	}
	if r.at(i) != ':' || i-r.pos > maxOwnKey {
		return -1
	}
	if c := r.at(i + 1); c != ' ' && c != '\n' {
		return -1
	}
	return i
}

// plain reads a scalar without quotes. Between brackets it ends before a comma or a bracket, and elsewhere with the
// line.
func (r *ownReader) plain(flow bool) *Node {
	end, beyond := r.plainEnd(flow)
	if end <= r.pos || r.text[end-1] == ' ' {
		return nil
	}
	text := r.text[r.pos:end]
	if first := text[0]; first < 0x80 && !isAlphanumeric(first) && strings.IndexByte("_/.($", first) < 0 {
		return nil
	}
	tag := ownTag(text)
	if tag == "" {
		return nil
	}
	n := r.node(ScalarNode, tag, 0)
	n.Value = text
	r.pos = end
	r.margin += beyond
	return n
}

// plainEnd returns where the plain scalar at pos ends, and how many bytes it has beyond one for each character. It
// returns -1 if the scalar is of another form.
func (r *ownReader) plainEnd(flow bool) (end, beyond int) {
	for i := r.pos; i < len(r.text); i++ {
		switch c := r.text[i]; plainClass[c] {
		case ordinary:
		case continuation:
			beyond++
		case foreign:
			return -1, 0
		case lineBreak:
			if flow {
				return -1, 0
			}
			return i, beyond
		case flowEnd:
			if flow {
				return i, beyond
			}
		case flowForeign:
			if flow {
				return -1, 0
			}
		case hash:
			if i > 0 && r.text[i-1] == ' ' {
				return -1, 0
			}
		case colon:
			if next := r.at(i + 1); next == ' ' || next == '\n' || flow && plainClass[next] == flowEnd {
				return -1, 0
			}
		}
	}
	if flow {
		return -1, 0
	}
	return len(r.text), beyond
}

// The classes of bytes in a plain scalar.
const (
	ordinary     = iota
	continuation // not the first byte of a character
	foreign      // not in cairn's own form
	lineBreak
	flowEnd     // ends a scalar between brackets
	flowForeign // between brackets not in cairn's own form
	hash
	colon
)

var plainClass = func() (class [256]byte) {
	for c := 0x80; c < 0xC0; c++ {
		class[c] = continuation
	}
	class['\t'], class['\r'], class['\n'] = foreign, foreign, lineBreak
	class[','], class[']'], class['}'] = flowEnd, flowEnd, flowEnd
	class['?'], class['['], class['{'] = flowForeign, flowForeign, flowForeign
	class['#'], class[':'] = hash, colon
	return class
}()

// quoted reads a scalar in quotes, of the kind that is at pos.
func (r *ownReader) quoted() *Node {
	quote, style := r.text[r.pos], SingleQuotedStyle
	if quote == '"' {
		style = DoubleQuotedStyle
	}
	n := r.node(ScalarNode, "!!str", style)
	from, escaped := r.pos+1, false
	for i := from; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\' && quote == '"', c == '\'' && c == quote && r.at(i+1) == '\'':
			escaped = true
			i++
		case c == quote:
			n.Value = r.text[from:i]
			r.pos = i + 1
			if escaped && quote == '\'' {
				n.Value = strings.ReplaceAll(n.Value, "''", "'")
			} else if escaped {
				if n.Value, escaped = unescape(n.Value); !escaped {
					return nil
				}
			}
			return n
		case c < ' ':
			return nil
		case plainClass[c] == continuation:
			r.margin++
		}
	}
	return nil
}

// unescape replaces the escapes that this package writes. It reports false for others.
func unescape(s string) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++ // doubleQuoted made sure that something follows
		switch s[i] {
		case '"', '\\':
			b.WriteByte(s[i])
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'u':
			if len(s) < i+5 {
				return "", false
			}
			code, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
			if err != nil || utf16.IsSurrogate(rune(code)) {
				return "", false
			}
			b.WriteRune(rune(code))
			i += 4
		default:
			return "", false
		}
	}
	return b.String(), true
}

// ownTag returns the tag that yaml.v3 finds for a plain scalar, which must begin as plain wants it. It returns ""
// for numbers and dates that cairn does not write, and for what might be one.
func ownTag(s string) string {
	if first := s[0]; first != '.' && (first < '0' || first > '9') {
		switch s {
		case "true", "True", "TRUE", "false", "False", "FALSE":
			return "!!bool"
		case "null", "Null", "NULL":
			return "!!null"
		}
		return "!!str"
	}
	switch {
	case isDecimal(s):
		return "!!int"
	case isInstant(s):
		return "!!timestamp"
	case s == ".":
		return "!!str"
	case s[0] == '.' && notText[strings.ToLower(s)]:
		return "" // infinity, or not a number
	}
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || !numberByte[c] {
			return "!!str"
		}
	}
	return ""
}

// isDecimal reports whether s is a whole number as cairn writes it.
func isDecimal(s string) bool {
	return len(s) <= 18 && (s[0] != '0' || len(s) == 1) && strings.Trim(s, "0123456789") == ""
}

// isInstant reports whether s is a time as cairn writes it: 2026-06-21T10:00:00Z.
func isInstant(s string) bool {
	if len(s) != len("0000-00-00T00:00:00Z") || s[10] != 'T' || s[19] != 'Z' {
		return false
	}
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// numberByte has every character that yaml.v3 takes in a number or a date that begins with a digit or a dot, and more:
// those of numeric, by which the writer decides on quotes.
var numberByte = func() (is [0x80]bool) {
	for _, c := range []byte("0123456789+-._:, ABCDEFabcdefOoXxTtZz") {
		is[c] = true
	}
	return is
}()

// bytesPerNode is about how many bytes of YAML stand for one node.
const bytesPerNode = 10

// Of nodes these many are allocated first, so that a file of another form, which shows that early in most cases, costs
// little; and at most so many at a time.
const (
	firstNodes = 16
	mostNodes  = 512
)

// node makes a node that begins at pos.
func (r *ownReader) node(kind NodeKind, tag string, style Style) *Node {
	if len(r.nodes) == 0 {
		size := firstNodes
		if r.begun {
			size = r.ahead()
		}
		r.nodes, r.begun = make([]Node, size), true
	}
	n := &r.nodes[0]
	r.nodes = r.nodes[1:]
	n.Kind, n.Tag, n.Style = kind, tag, style
	n.Line, n.Column = r.line, r.pos-r.margin+1
	return n
}

// openNode makes a collection that begins at pos, and returns how many children of others are open. The node is nil if
// the collection is nested too deep.
func (r *ownReader) openNode(kind NodeKind, tag string, style Style) (n *Node, children int) {
	if r.depth++; r.depth > maxOwnDepth {
		return nil, 0
	}
	return r.node(kind, tag, style), len(r.open)
}

// closeNode gives a collection its children: those that were opened since there were this many.
func (r *ownReader) closeNode(n *Node, children int) *Node {
	r.depth--
	count := len(r.open) - children
	if count == 0 {
		return n
	}
	if len(r.links) < count {
		r.links = make([]*Node, max(count, r.ahead()))
	}
	n.Content = r.links[:count:count]
	r.links = r.links[count:]
	copy(n.Content, r.open[children:])
	r.open = r.open[:children]
	return n
}

// ahead guesses how many nodes are still to come.
func (r *ownReader) ahead() int {
	return min(8+(len(r.text)-r.pos)/bytesPerNode, mostNodes)
}
