package frontmatter

import (
	"sync"

	"gopkg.in/yaml.v3"
)

// Kind says how a file is laid out.
type Kind int

// The kinds of file.
const (
	Markdown Kind = iota // YAML between two --- lines, then a body
	YAML                 // YAML and nothing else
)

// Larger files than these are refused. They hold for the result of an edit too.
const (
	MaxFile  = 4 << 20 // bytes in a file
	MaxFront = 1 << 20 // bytes of YAML in it
	MaxDepth = 64      // collections inside one another
)

// Doc is a parsed file. It never changes; its nodes must not be changed by the caller.
type Doc struct {
	*text
	kind Kind
	body int        // offset of the body
	root *yaml.Node // the top mapping

	aliased bool // there are aliases; known once the tree was checked

	keys  func() map[string]int // where each top-level key stands in root.Content
	found *memberCache
}

// Parse reads a file. Any error is an *Error.
//
// Beyond what YAML forbids it refuses duplicate keys, keys that are not plain text, line breaks that only some readers see,
// directives, conflict markers, more than one YAML document, nesting over MaxDepth, aliases that form a cycle or expand
// without measure, NUL and invalid UTF-8.
// It keeps src: the caller must not change it afterwards.
func Parse(src []byte, kind Kind) (*Doc, error) {
	d, err := parse(src, kind)
	if err != nil {
		return nil, err // not d, err: a nil *Error must not become a non-nil error
	}
	return d, nil
}

func parse(src []byte, kind Kind) (*Doc, *Error) {
	d, err := parseUnchecked(src, kind)
	if err != nil {
		return nil, err
	}
	if err := d.checkTree(); err != nil {
		return nil, err
	}
	return d, nil
}

// parseUnchecked leaves it open whether the tree is safe to walk, and whether its keys each name one value.
func parseUnchecked(src []byte, kind Kind) (*Doc, *Error) {
	if err := checkFile(src); err != nil {
		return nil, err
	}
	from, to, body, err := cut(src, kind)
	if err != nil {
		return nil, err
	}
	if err := checkFront(src, from, to); err != nil {
		return nil, err
	}
	if err := checkBreaks(src[:body]); err != nil {
		return nil, err
	}
	d := &Doc{text: newText(src, from, to), kind: kind, body: body, found: &memberCache{}}
	if d.root, err = d.readTree(); err != nil {
		return nil, err
	}
	d.keys = sync.OnceValue(func() map[string]int { return keyPlaces(d.root) })
	return d, nil
}

// Bytes returns the file, exactly as it was parsed. The caller must not change it.
func (d *Doc) Bytes() []byte { return d.src }

// Kind returns how the file is laid out.
func (d *Doc) Kind() Kind { return d.kind }

// Front returns the YAML: what stands between the --- lines, or the whole of a YAML file.
func (d *Doc) Front() []byte { return d.src[d.from:d.to] }

// Body returns everything after the line that closes the front matter. A YAML file has none.
func (d *Doc) Body() []byte { return d.src[d.body:] }

// Root returns the top mapping. It is never nil: a document without keys has an empty one.
func (d *Doc) Root() *yaml.Node { return d.root }

// Get returns the value of a top-level key, or nil if there is no such key. A key without a value has a null node.
func (d *Doc) Get(key string) *yaml.Node {
	if i := d.pair(key); i >= 0 {
		return d.root.Content[i+1]
	}
	return nil
}

// pair is pairOf for the top mapping.
func (d *Doc) pair(key string) int {
	if len(d.root.Content) <= manyKeys {
		return pairOf(d.root, key)
	}
	if i, ok := d.keys()[key]; ok {
		return i
	}
	return -1
}

// manyKeys is how many keys and values are looked through one by one.
const manyKeys = 64

// keyPlaces is what pairOf returns for each key of a mapping.
func keyPlaces(m *yaml.Node) map[string]int {
	at := make(map[string]int, len(m.Content)/2)
	for i := len(m.Content) - 2; i >= 0; i -= 2 { // of a key that stands twice the first
		at[m.Content[i].Value] = i
	}
	return at
}

// Line returns the line of the file that a node of this document begins on.
func (d *Doc) Line(n *yaml.Node) int {
	return d.line(d.start(n))
}

// pairOf returns the index in m.Content of a key, or -1.
func pairOf(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}
