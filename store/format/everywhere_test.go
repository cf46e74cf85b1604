package format

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"gopkg.in/yaml.v3"
)

// Every value of every file in testdata can be set and removed and, if it is a list, extended, reordered and emptied.
// The only refusals are for values that an alias uses, and for comments between brackets, which have no line to stay
// on.
func TestEditEverywhere(t *testing.T) {
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			d := mustParse(t, change(src))
			for _, e := range editsOf(d.Root(), nil) {
				_, err := d.Edit(order, e)
				if err == nil || strings.Contains(err.Error(), "through the alias") {
					continue
				}
				if name == "flowroot.md" && strings.Contains(err.Error(), "a comment would be lost") {
					continue
				}
				t.Errorf("%s, %s: %T: %v", name, variant, e, err)
			}
		}
	}
}

// editsOf returns edits of the value at path, and of everything in it.
func editsOf(n *yaml.Node, path Path) []Edit {
	var edits []Edit
	if len(path) > 0 {
		edits = append(edits, Remove(path), Set(path, String("new")), Set(path, Seq{Map{{"a", Int(1)}, {"b", Int(2)}}}), Set(path, Flow{Map{{"a", Int(1)}}}))
	}
	if n.Kind == yaml.MappingNode {
		edits = append(edits, Set(step(path, "brand new"), String("a: b")), Set(step(path, "brand new"), Map{{"a", Seq{Map{{"b", Int(1)}}}}}))
		for i := 0; i < len(n.Content); i += 2 {
			edits = append(edits, editsOf(n.Content[i+1], step(path, n.Content[i].Value))...)
		}
	}
	if n.Kind == yaml.SequenceNode {
		edits = append(edits, listEdits(path, len(n.Content))...)
		for i, c := range n.Content {
			edits = append(edits, editsOf(c, step(path, i))...)
		}
	}
	return edits
}

func listEdits(path Path, n int) []Edit {
	var reversed, doubled []Item
	for i := range n {
		reversed = append([]Item{Old(i)}, reversed...)
		doubled = append(doubled, NewItem(Map{{"a", Int(i)}}), Old(i))
	}
	return []Edit{
		appended(path, n, String("new"), entry("noted")),
		SetSeq(path), SetSeq(path, reversed...), SetSeq(path, doubled...), SetSeq(path, NewItem(String("only"))),
	}
}

func step(path Path, s any) Path {
	return append(append(Path{}, path...), s)
}

// Edits that are made in one step give the same bytes as when they are made one after another.
func TestSlowEditsTogetherAreThoseInTurn(t *testing.T) {
	slowtest.Skip(t)
	compared := 0
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			d := mustParse(t, change(src))
			all := editsOf(d.Root(), nil)
			for i := range all {
				var first *Doc // the first edit of each pair, made in turn
				for _, j := range []int{i + 1, i + 7, i + 29, i + 83} {
					pair := []Edit{all[i], all[j%len(all)]}
					if !independent(pair) {
						continue
					}
					got, err := editor{d, order}.apply(pair...)
					if err != nil {
						continue
					}
					if first == nil {
						first, err = editor{d, order}.apply(pair[0])
					}
					var want *Doc
					if err == nil {
						want, err = editor{first, order}.apply(pair[1])
					}
					if err != nil {
						t.Fatalf("%s, %s: together %s and %s can be changed, in turn not: %v", name, variant, pair[0].path(), pair[1].path(), err)
					}
					compared++
					if !bytes.Equal(got.Bytes(), want.Bytes()) {
						t.Fatalf("%s, %s: %T of %s and %T of %s give\n%s\nand in turn\n%s", name, variant, pair[0], pair[0].path(), pair[1], pair[1].path(), got.Bytes(), want.Bytes())
					}
				}
			}
		}
	}
	t.Logf("%d pairs of edits", compared)
	if compared < 500 {
		t.Errorf("only %d pairs of edits were made together", compared)
	}
}

// shapes has small files in shapes that people write, and the whole result of setting status to done.
var shapes = []struct{ name, src, want string }{
	{"plain", "status: a\n", "status: done\n"},
	{"an empty value", "status:\nx: 1\n", "status: done\nx: 1\n"},
	{"an empty value with a comment", "status: # c\nx: 1\n", "status: done # c\nx: 1\n"},
	{"an empty value with a tab and a comment", "status:\t# c\n", "status: done\t# c\n"},
	{"an empty value with blanks", "status:   \nx: 1\n", "status: done   \nx: 1\n"},
	{"null", "status: ~ # c\n", "status: done # c\n"},
	{"a space before the colon", "status : a\n", "status : done\n"},
	{"a tag", "status: !!str a # c\n", "status: done # c\n"},
	{"a tag and nothing", "status: !!null # c\nx: 1\n", "status: done # c\nx: 1\n"},
	{"an anchor that nobody uses", "status: &s a\n", "status: done\n"},
	{"an anchor and a tag on a line of their own", "status: &s !!map # c\n  a: b\nx: 1\n", "status: done # c\nx: 1\n"},
	{"the value on the next line", "status:\n  a\nx: 1\n", "status: done\nx: 1\n"},
	{"the value on the next line, behind a comment", "status: # c\n  a\nx: 1\n", "status: done # c\nx: 1\n"},
	{"the value below a comment line", "status:\n  # c\n  a # d\n", "status: done # d\n  # c\n"},
	{"quoted over two lines", "status: 'a\n  b' # c\n", "status: 'done' # c\n"},
	{"double quoted with escapes", "status: \"a \\\" # \\\\\" # c\n", "status: \"done\" # c\n"},
	{"single quoted with a quote", "status: 'it''s # a' # c\n", "status: 'done' # c\n"},
	{"plain with a hash and a colon", "status: a#b:c # d\n", "status: done # d\n"},
	{"plain over lines with comments behind", "status: a\n  b # c\n# d\nx: 1\n", "status: done # c\n# d\nx: 1\n"},
	{"a literal with an indicator", "status: |2-\n   a\n\n  b\n# c\nx: 1\n", "status: done\n# c\nx: 1\n"},
	{"a literal with a hash at its end", "status: |\n  a\n  # b\nx: 1\n", "status: done\nx: 1\n"},
	{"an empty literal", "status: |\nx: 1\n", "status: done\nx: 1\n"},
	{"a literal that keeps blank lines", "status: |+\n  a\n\n\nx: 1\n", "status: done\nx: 1\n"},
	{"a literal that does not", "status: |\n  a\n\n\nx: 1\n", "status: done\n\n\nx: 1\n"},
	{"a list with comments", "status: # a\n  - b # c\n  # d\n  - e\nx: 1\n", "status: done # a\n  # c\n  # d\nx: 1\n"},
	{"a mapping", "status:\n  a: b\n  c:\n    - d\n# e\n", "status: done\n# e\n"},
	{"a list between brackets over lines", "status: [a,\n  b] # c\n", "status: done # c\n"},
	{"brackets inside quotes", "status: [\"]\", ']', a]\n", "status: done\n"},
	{"a bracket in a comment", "status: [a, # ]\n  b]\n", "status: done # ]\n"},
	{"pairs without braces", "status: [a: b, c: d]\n", "status: done\n"},
	{"braces close to the text", "{\"status\":\"a\",\"x\":1}\n", "{\"status\":\"done\",\"x\":1}\n"},
	{"a key between braces without a value", "{status: , x: 1}\n", "{status: done, x: 1}\n"},
	{"a key with a question mark", "? status\n: a\n", "? status\n: done\n"},
	{"a key in quotes", "'status': a\n", "'status': done\n"},
	{"an alias", "x: &x a\nstatus: *x # c\n", "x: &x a\nstatus: done # c\n"},
	{"line breaks of Unicode above, escaped", "x: \"a\\N\\L\\P\\u0085\\u2028 b\"\nstatus: a\n", "x: \"a\\N\\L\\P\\u0085\\u2028 b\"\nstatus: done\n"},
	{"characters before it on the line", "{日本: 😀, status: a}\n", "{日本: 😀, status: done}\n"},
	{"missing, between others", "id: a\n\nlabels: [x]\n", "id: a\nstatus: done\n\nlabels: [x]\n"},
	{"missing, behind a literal", "id: |+\n  a\n\nlabels: [x]\n", "id: |+\n  a\n\nstatus: done\nlabels: [x]\n"},
	{"missing, behind an empty value", "id: # c\nlabels: [x]\n", "id: # c\nstatus: done\nlabels: [x]\n"},
	{"missing, nothing before it", "labels: [x]\n", "labels: [x]\nstatus: done\n"},
	{"missing, in an order that is not the canonical one", "labels: [x]\nid: a\n", "labels: [x]\nid: a\nstatus: done\n"},
	{"missing, nothing at all", "", "status: done\n"},
	{"missing, only a comment", "# c\n", "# c\nstatus: done\n"},
	{"missing, empty braces", "{}\n", "{status: done}\n"},
}

func TestShapes(t *testing.T) {
	for _, tt := range shapes {
		for variant, change := range variants {
			t.Run(tt.name+"/"+variant, func(t *testing.T) {
				got := mustEdit(t, mustParse(t, change("---\n"+tt.src+"---\n")), Set(Path{"status"}, String("done")))
				if want := change("---\n" + tt.want + "---\n"); got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}

// A YAML file may end without a line break, and an edit keeps that.
func TestShapesAsYAML(t *testing.T) {
	for _, tt := range shapes {
		if tt.src == "" {
			continue // an empty file is refused
		}
		for variant, change := range variants {
			t.Run(tt.name+"/"+variant, func(t *testing.T) {
				d, err := Parse([]byte(change(tt.src)), YAML)
				if err != nil {
					t.Fatal(err)
				}
				got := mustEdit(t, d, Set(Path{"status"}, String("done")))
				if want := change(tt.want); got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}
