package format

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
	case '\'':
		return r.singleQuoted()
	case '"':
		return r.doubleQuoted()
	case '[':
		return r.flowSequence()
	case '{':
		return r.flowMapping()
	}
	return r.plain(flow)
}

// flowSequence reads a list between brackets, which are on one line.
func (r *ownReader) flowSequence() *Node {
	s, children := r.openNode(SequenceNode, "!!seq", FlowStyle)
	if s == nil {
		return nil
	}
	for r.pos++; ; {
		if r.at(r.pos) == ']' && len(r.open) == children {
			break
		}
		item := r.value(true)
		if item == nil {
			return nil
		}
		r.open = append(r.open, item)
		if !r.comma() {
			break
		}
	}
	if r.at(r.pos) != ']' {
		return nil
	}
	r.pos++
	return r.closeNode(s, children)
}

// flowMapping reads a mapping between braces, which are on one line.
func (r *ownReader) flowMapping() *Node {
	m, children := r.openNode(MappingNode, "!!map", FlowStyle)
	if m == nil {
		return nil
	}
	for r.pos++; ; {
		if r.at(r.pos) == '}' && len(r.open) == children {
			break
		}
		key := r.key()
		if key == nil || r.at(r.pos) != ' ' {
			return nil
		}
		r.pos++
		value := r.value(true)
		if value == nil {
			return nil
		}
		r.open = append(r.open, key, value)
		if !r.comma() {
			break
		}
	}
	if r.at(r.pos) != '}' {
		return nil
	}
	r.pos++
	return r.closeNode(m, children)
}

// comma reports whether a comma is at pos, and moves behind it and the spaces that follow.
func (r *ownReader) comma() bool {
	if r.at(r.pos) != ',' {
		return false
	}
	r.pos++
	r.pos += r.spaces()
	return true
}
