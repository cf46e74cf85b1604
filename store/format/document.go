package format

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"
)

// Kind says how a file is laid out.
type Kind int

// The kinds of file.
const (
	Markdown Kind = iota // YAML between two --- lines, then a body
	YAML                 // YAML and nothing else
)

// Larger files are refused, and so is an edit whose result would be larger.
const (
	MaxFile  = 4 << 20 // bytes in a file
	MaxFront = 1 << 20 // bytes of YAML in it
	MaxDepth = 64      // collections inside one another
)

// Doc is a parsed file. It never changes; callers must not change its nodes.
type Doc struct {
	*locator
	kind    Kind
	body    int  // offset of the body
	own     bool // the YAML is in cairn's own form
	aliased bool // the YAML has aliases; set by checkTree

	keysOnce sync.Once
	keys     map[string]int // the index in root.Content of each top-level key; made when they are first needed
}

// Parse reads a file. Any error is an *Error.
//
// Beyond what YAML forbids it refuses duplicate keys, keys that are not plain text, line breaks that only some readers
// see, directives, conflict markers, more than one YAML document, nesting over MaxDepth, aliases that form a cycle or
// expand to too many values, NUL, also as an escape, and invalid UTF-8.
//
// It keeps src: the caller must not change it afterwards.
func Parse(src []byte, kind Kind) (*Doc, error) { return orError(parse(src, kind)) }

// orError is a result whose error is nil where there is no *Error.
func orError(d *Doc, err *Error) (*Doc, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

func parse(src []byte, kind Kind) (*Doc, *Error) {
	d, err := parseUnchecked(src, kind)
	if err != nil {
		return nil, err
	}
	if err := checkTree(d); err != nil {
		return nil, err
	}
	return d, nil
}

// parseUnchecked is parse without checkTree: the tree may contain cycles and duplicate keys.
func parseUnchecked(src []byte, kind Kind) (*Doc, *Error) {
	d, err := split(src, kind)
	if err != nil {
		return nil, err
	}
	if d.root = ownTree(d.Front()); d.root != nil {
		d.own = true
	} else if d.root, err = yamlTree(d.locator); err != nil {
		return nil, err
	}
	return d, nil
}

// split is what parse does before the YAML is read. The document has no root yet.
func split(src []byte, kind Kind) (*Doc, *Error) {
	if err := checkFile(src); err != nil {
		return nil, err
	}
	from, to, body, err := splitFile(src, kind)
	if err != nil {
		return nil, err
	}
	if err := checkFront(src, from, to); err != nil {
		return nil, err
	}
	if err := checkBreaks(src[:body]); err != nil {
		return nil, err
	}
	return &Doc{locator: &locator{scanner: scanner{&lineTable{src: src, from: from, to: to}}}, kind: kind, body: body}, nil
}

// New makes a document. Its lines end in LF; body is kept as it is, so it usually begins with an empty line. A YAML
// file has no body.
func New(kind Kind, front Map, body string) (*Doc, error) {
	return orError(build(kind, front, body))
}

func build(kind Kind, front Map, body string) (*Doc, *Error) {
	text := ""
	if len(front) > 0 {
		text = joinLines(blockLines(front), 0, "\n")
	}
	switch {
	case kind == Markdown:
		text = "---\n" + text + "---\n" + body
	case body != "":
		return nil, &Error{Msg: "a YAML file has no body"}
	case text == "":
		text = "{}\n"
	}
	d, err := parse([]byte(text), kind)
	if err != nil {
		return nil, err
	}
	if !same(front.node(), d.root) || string(d.Body()) != body {
		return nil, &Error{Msg: "the new document " + errMeaning.Error()}
	}
	return d, nil
}

// Bytes returns the file, exactly as it was parsed. The caller must not change it.
func (d *Doc) Bytes() []byte { return d.src }

// Kind returns how the file is laid out.
func (d *Doc) Kind() Kind { return d.kind }

// Own reports whether the YAML is in the form that cairn itself writes, which is read many times faster than any other.
func (d *Doc) Own() bool { return d.own }

// Front returns the YAML: what is between the --- lines, or the whole of a YAML file.
func (d *Doc) Front() []byte { return d.src[d.from:d.to] }

// Body returns everything after the line that closes the front matter. A YAML file has none.
func (d *Doc) Body() []byte { return d.src[d.body:] }

// Root returns the top mapping. It is never nil: a document without keys has an empty one.
func (d *Doc) Root() *Node { return d.root }

// Get returns the value of a top-level key, or nil if there is no such key. A key without a value has a null node.
func (d *Doc) Get(key string) *Node {
	if i := d.keyIndex(key); i >= 0 {
		return d.root.Content[i+1]
	}
	return nil
}

// Line returns the line of the file that a node of this document begins on.
func (d *Doc) Line(n *Node) int {
	return d.line(d.start(n))
}

// Unmerged returns the line on which a conflict that git left in the body begins, or 0 if there is none. Only a
// complete one counts, with all three markers in order at the beginning of lines: the body is prose, and may mention
// markers.
func (d *Doc) Unmerged() int {
	order := []string{firstMarker, middleMarker, lastMarker}
	begin, next := 0, 0
	for i := d.body; i < len(d.src); i = afterLine(d.src, i) {
		if !bytes.HasPrefix(d.src[i:], []byte(order[next])) {
			continue
		}
		if next == 0 {
			begin = i
		}
		if next++; next == len(order) {
			return fileLine(d.src, begin)
		}
	}
	return 0
}

// manyKeys is the length of root.Content above which keys are found by a map.
const manyKeys = 64

// keyIndex is keyIndex for the top mapping, fast for large ones.
func (d *Doc) keyIndex(key string) int {
	if len(d.root.Content) <= manyKeys {
		return keyIndex(d.root, key)
	}
	d.keysOnce.Do(func() {
		d.keys = make(map[string]int, len(d.root.Content)/2)
		for i := len(d.root.Content) - 2; i >= 0; i -= 2 { // backward, so that the first of two equal keys is kept
			d.keys[d.root.Content[i].Value] = i
		}
	})
	if i, ok := d.keys[key]; ok {
		return i
	}
	return -1
}

// Error is the only kind of error of this package: why a document cannot be read, or cannot be changed.
type Error struct {
	Line   int // 1-based line of the file; 0 if the error concerns the file as a whole
	Column int // 1-based column in characters; 0 if not known
	Msg    string

	// Incomplete says that the file is empty or ends inside its front matter, as it does while another program is
	// writing it. Reading again a moment later may succeed.
	Incomplete bool

	// TooLarge says that the file, or the result of an edit, is over a limit.
	TooLarge bool

	// Conflict says that the YAML contains git's markers of an unfinished merge.
	Conflict bool

	// Duplicate says that a mapping has the same key twice.
	Duplicate bool

	// Missing says that the document lacks a required key. This package sets it nowhere; it is for callers.
	Missing bool
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Msg
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	default:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
	}
}

// errorAt makes an error that points at src[i].
func errorAt(src []byte, i int, msg string) *Error {
	line := max(bytes.LastIndexByte(src[:i], '\n'), bytes.LastIndexByte(src[:i], '\r')) + 1
	column := utf8.RuneCount(bytes.TrimPrefix(src[line:i], []byte(bom))) + 1
	return &Error{Line: fileLine(src, i), Column: column, Msg: msg}
}

// errorAt makes an error that points at a node.
func (l *locator) errorAt(n *Node, msg string) *Error {
	return errorAt(l.src, l.start(n), msg)
}

// cannotChange says why the value at a path cannot be changed.
func cannotChange(path Path, cause *Error) *Error {
	return withPrefix("cannot change "+path.String()+": ", cause)
}

// cannotChangeAlone says why the value at a path, which exists, cannot be changed without changing something else.
func cannotChangeAlone(path Path, cause *Error) *Error {
	return withPrefix("cannot change "+path.String()+" without touching other lines: ", cause)
}

func withPrefix(prefix string, cause *Error) *Error {
	return &Error{Line: cause.Line, Column: cause.Column, Msg: prefix + cause.Msg, TooLarge: cause.TooLarge}
}
