package format

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"gopkg.in/yaml.v3"
)

// hostile has front matter that two readers might read differently. Each must be refused, or have the same keys to a
// second reader of YAML 1.2.
var hostile = []string{
	// keys in what one of the readers takes for a comment, a text or a line of its own
	"id: T-1 # c\u0085status: done\n", "id: T-1 # c\u2028status: done\n", "id: T-1 # c\u2029status: done\n", "id: T-1 # c\rstatus: done\n",
	"#\u0085status: done\n", "id: 'a\u2028status: done'\n", "id: |\n  a\u0085status: done\n", "id: a\u0085status: done\n", "# c\r\n# d\rstatus: done\n",
	"id: \"a\r\nstatus: done\"\n", "id: a#b\nstatus: done\n", "id: 'a'#status: done\nx: 1\n", "{id: \"a\"#, status: done\n}\n", "[a]#\n",
	"id: |\n  a\n # status: done\nx: 1\n", "id: |2\n   a\n  status: done\n", "id: >-\n\n  a\n\n  status: done\n", "id: |+1\n status: done\n",
	"id: a\\\nstatus: done\n", "id: \"a\\\n  status: done\"\n", "id: a\n\tstatus: done\n", "id:\ta\nstatus:\tdone\n", "id: \"a\n# status: done\n b\"\n",
	"id: a # b\n  status: done\n", "id: 'it''s # a'\nstatus: done\n", "id: \"\\\"\"\nstatus: \"\\\\\"\nx: 1\n",
	// anchors, aliases and tags on keys and values
	"&id status: done\n", "&status id: a\n", "x: &status id\n*status : done\n", "x: &id status\n*id: done\n", "{&status id: a}\n", "- &status id: a\n",
	"x: [&status id: a]\n", "x: &status: a\n", "x: [&status: a]\n", "x: &a.status b\n", "x: &a b\ny: [*a.status]\n", "x: &done in_progress\nstatus: *done\n",
	"!!str status: done\n", "! status: done\n", "!x status: done\n", "!!binary c3RhdHVz: done\n", "{!!str status: done}\n", "x: {!!str,status: done}\n",
	"!<tag:yaml.org,2002:str> status: done\n", "? !!str status\n: done\n", "? &a status\n: done\n", "x: !!set {status, id}\n", "x: !!set\n  ? status\n  ? id\n",
	"x: !!omap [status: a, id: b]\n", "x: &a {status: done}\n<<: *a\n", "<<: {status: done}\n", "\"<<\": {status: done}\n", "!!merge <<: {status: done}\n",
	"x: &a {status: done}\ny: {<<: *a, id: b}\n", "&a\nstatus: done\n", "!!map\nstatus: done\n", "--- !!map\nstatus: done\n", "--- &a\nstatus: done\n", "x:\n  &a\n  status: done\n",
	// keys that are no text to somebody
	"1: a\n", "'1': a\n\"1\": b\n", "1: a\n'1': b\n", "0x1: a\n1: b\n", "01: a\n1: b\n", "1.0: a\n1: b\n", "1_0: a\n10: b\n", "0b1: a\n", "0o7: a\n", "+1: a\n1: b\n", "1e1: a\n",
	"~: a\nnull: b\n", "null: a\n'null': b\n", "Null: a\n", ": a\n", "? \n: a\n", "true: a\nTrue: b\n", "yes: a\non: b\n", "y: a\nn: b\n", "no: a\n'no': b\n",
	".inf: a\n.Inf: b\n", ".nan: a\n.NaN: b\n", "2026-01-01: a\n", "2026-01-01: a\n2026-01-01T00:00:00Z: b\n", "x: {1: a, 01: b}\n", "x:\n  - ~: a\n", "1:1: a\n", "190:20:30: a\n",
	// keys in quotes, with escapes, and in other letters
	"\"st\\x61tus\": done\n", "\"st\\u0061tus\": done\nstatus: a\n", "\"status\\0\": a\nstatus: b\n", "\"status\\_\": a\n", "\"\\tstatus\": a\n", "' status': a\nstatus : b\n",
	"'status ': a\nstatus: b\n", "\"a\\/b\": c\n", "'a\n  b': c\n", "\"a\\\n  b\": c\n", "? 'a\n  b'\n: c\n", "? |\n  status\n: a\n", "? >-\n  status\n: a\n", "? a\n  b\n: c\n",
	"caf\u00e9: a\ncafe\u0301: b\n", "status\u200b: a\nstatus: b\n", "\u202estatus: a\n", "\uff53tatus: a\nstatus: b\n", "status\u00a0: a\nstatus: b\n", "\u2060status: a\n",
	"\"\\uFEFFstatus\": a\n", "status\ufe0f: a\n", "status\u00ad: a\n", "\U000e0073status: a\n", "'': a\n\"\": b\n", "'it''s': a\n\"it's\": b\n", "STATUS: a\nstatus: b\n",
	// question marks, braces and brackets
	"? status\n: done\n", "? status\n", "? [status]\n: done\n", "? {status: done}\n", "? status: done\n: a\n", "?status: done\n", "? - status\n: a\n", "{? status: done}\n", "{? status, x: a}\n",
	"[status: done]\n", "x: [status: done]\n", "x: [? status: done]\n", "x: [status, : done]\n", "{status:done}\n", "{status:,x: a}\n", "{status: ,x: a}\n", "{\"status\":done}\n", "{'status':done,x: a}\n",
	"{\"status\": done,}\n", "{status, x: a}\n", "{status: done, status}\n", "{x: {status: done}, y: [a, {status: b}]}\n", "{\nstatus\n: done\n}\n", "{\n  \"status\"\n  :done\n}\n", "{x: a,\n# c\nstatus: b}\n",
	"{x: http://a, y: b:c, z: d}\n", "x: [a:b, c::d, :e]\n", "x: {a::b: c}\n", "x: {a:: b}\n", "x: {:a: b}\n", "{x: a\n,status: b}\n", "x: [a\n, {status: b}\n]\n", "x: {-a: b, -: c}\n", "x: {a#b: c, d: e#f}\n",
	"x: [ { a: b }, { c: d } ]\n", "x: {a: {b: {c: [d: e]}}}\n", "x: {\"a\":\"b\",\"c\":[\"d\"]}\n", "x: {a: 'b''c', 'd': e}\n", "x: [a b: c d]\n", "x: {a b: c d}\n", "x: { }\ny: [ ]\n",
	// colons, dashes and indentation
	"a:b: c\n", "a::b: c\n", "a: : b\n", "a:: b\n", ":a: b\n", "::: b\n", "a:b\n", "-a: b\n", "- a: b\n", "-: b\n", "--- a\n", "---a: b\n", "...a: b\n", "x:\n- a: b\n- c: d\n", "x:\n  - - a: b\n    - c: d\n",
	"x:\n  -\n    a: b\n", "x:\n  - a: b\n    c: d\n   # e\n  - f: g\n", "x:\n   a: b\ny:\n c: d\n", " a: b\n c: d\n", "a: b\n  c: d\n", "x:\n a\n b\ny: c\n", "x: a\n b\n c\ny: d\n", "x:\n  a:\n  b: c\n d: e\n",
	"x: 'a: b'\ny: \"c: d\"\n", "x: a: b\n", "x: 'a': b\n", "'a':b\n", "'a' : b\n\"c\"  : d\n", "a\t: b\n", "a b  c: d\n", "a # b: c\n", "a #b: c\n", "a: b #c: d\ne: f\n", "a: #b\n  c: d\n", "a: |#b\n c\n", "a: | # b\n c\nd: e\n",
	// documents and directives
	"%YAML 1.1\n---\nstatus: done\n", "%YAML 1.2\n---\nstatus: done\n", "%TAG ! tag:x,2000:\n---\nstatus: !a done\n", "a: b\n...\nc: d\n", "a: b\n...\n", "a: b\n... # c\n", "--- {a: b}\n", "a: b\n--- # c\n", "a: b\n--- c\n", "--- |\n a\n", "a: 'b\n---\nc'\n",
	"a: |\n  %b: c\n%d: e\n", "%a: b\n", "a:\n%b: c\n", "\ufeffa: b\n", "a: b\n\ufeffc: d\n", "\ufeff# c\na: b\n", "@a: b\n", "`a: b\n", "a: @b\n", "a: %b\n", "*a: b\n", "!a: b\n", "&a: b\n", "|a: b\n", ">a: b\n", "'a: b\n", "#a: b\n", "=: b\n", "<: b\n", "a: =\n",
}

// In everything that Parse accepts, another YAML parser finds the same keys at the same paths, or it refuses the file.
func TestTwoReadersSeeTheSameKeys(t *testing.T) {
	both := 0
	for _, src := range hostile {
		for _, put := range positions {
			if wantSameKeys(t, put(src)) {
				both++
			}
		}
	}
	for _, src := range corpus(t) {
		if d, err := Parse(src, Markdown); err == nil && wantSameKeys(t, d.Front()) {
			both++
		}
	}
	t.Logf("%d of the files are read by both parsers", both)
	if both < 400 {
		t.Errorf("both parsers read only %d of the files", both)
	}
}

// positions put YAML where it may be in front matter: alone, and below keys that cairn knows.
var positions = []func(string) []byte{
	func(s string) []byte { return []byte(s) },
	func(s string) []byte {
		return []byte("id: T-1\nchecks:\n  - desc: d\n    more:\n" + indented(s, 6) + "title: a\n")
	},
	func(s string) []byte { return []byte("provenance:\n  -\n" + indented(s, 4) + "  - {did: created}\n") },
	func(s string) []byte {
		return []byte("provenance:\n  - {did: noted, x: [" + strings.TrimSuffix(s, "\n") + "]}\n")
	},
	func(s string) []byte {
		return []byte("provenance:\n  - {did: noted, " + strings.TrimSuffix(s, "\n") + ", text: a}\n")
	},
}

func indented(s string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(spaces(n) + line)
	}
	return b.String()
}

func FuzzTwoReaders(f *testing.F) {
	for _, src := range hostile {
		for _, put := range positions {
			f.Add(put(src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { wantSameKeys(t, src) })
}

// wantSameKeys fails the test if both parsers accept the YAML and find different keys. It reports whether both accept
// it.
func wantSameKeys(t *testing.T, src []byte) bool {
	t.Helper()
	d, err := Parse(src, YAML)
	if err != nil {
		return false
	}
	theirs, ok := othersKeys(src)
	if !ok {
		return false
	}
	if ours := keysOf(d.root, ""); !slices.Equal(ours, theirs) && !misread.Match(src) {
		t.Errorf("%q\ngot  %q\nwant %q, as the other parser", src, ours, theirs)
	}
	return true
}

// misread matches what the other parser gets wrong according to YAML 1.2: a colon inside a text between brackets, a
// text that begins with dots, a tag before a time or before nothing, a dash with nothing after it, a tab inside a text,
// and a text that ends like a merge key.
var misread = regexp.MustCompile(`(?m)[\[{].*[^"']:[^\s,\]}]|^\.\.\.\S|!\S*[ \t]*([\r\n]|$)|!\S*[ \t]+\d{4}-|-\s*([\r\n]|$)|\t|[^\s\[{,]<<`)

// keysOf returns the path of every key. The keys of an alias are returned only where they are written.
func keysOf(n *yaml.Node, path string) (keys []string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			at := fmt.Sprintf("%s.%q", path, n.Content[i].Value)
			keys = append(append(keys, at), keysOf(n.Content[i+1], at)...)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			keys = append(keys, keysOf(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	return keys
}

// othersKeys does the same with another parser of YAML 1.2. It returns false for what that parser refuses.
func othersKeys(src []byte) (keys []string, ok bool) {
	defer func() {
		if recover() != nil {
			keys, ok = nil, false // it panicked
		}
	}()
	file, err := parser.ParseBytes(bytes.TrimPrefix(src, []byte(bom)), 0)
	if err != nil {
		return nil, false
	}
	for _, doc := range file.Docs {
		keys = append(keys, nodeKeys(doc.Body, "")...)
	}
	return keys, true
}

func nodeKeys(n ast.Node, path string) (keys []string) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			keys = append(keys, nodeKeys(pair, path)...)
		}
	case *ast.MappingValueNode:
		at := fmt.Sprintf("%s.%q", path, keyOf(n.Key))
		keys = append(append(keys, at), nodeKeys(n.Value, at)...)
	case *ast.SequenceNode:
		for i, item := range n.Values {
			keys = append(keys, nodeKeys(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case *ast.AnchorNode:
		return nodeKeys(n.Value, path)
	case *ast.TagNode:
		return nodeKeys(n.Value, path)
	}
	return keys
}

// keyOf returns the text of a key, with a prefix if it is not plain text.
func keyOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.MappingKeyNode:
		if key, ok := n.Value.(ast.MapKeyNode); ok {
			return keyOf(key)
		}
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.MergeKeyNode:
		return "<<"
	}
	if tok := n.GetToken(); tok != nil && tok.Type != token.ImplicitNullType {
		return "no plain text: " + tok.Value
	}
	return "no plain text"
}
