package format

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"
)

// seed adds the files in testdata in all variants, the shapes of everywhere_test.go, the refusals of parse_test.go, and
// package store's corpus of files.
func seed(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	for _, src := range fixtures(f) {
		for _, change := range variants {
			f.Add([]byte(change(src)))
		}
	}
	for _, tt := range shapes {
		f.Add([]byte("---\n" + tt.src + "---\n"))
	}
	for _, tt := range refusals {
		if len(tt.src) < 1000 {
			f.Add([]byte(tt.src))
		}
	}
}

// corpus returns the files that package store tests with, good and refused ones.
func corpus(t testing.TB) [][]byte {
	t.Helper()
	var files [][]byte
	for _, kind := range []string{"good", "refused"} {
		names, err := filepath.Glob(filepath.Join("../kind/testdata/corpus", kind, "*.md"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s files in the corpus (%v)", kind, err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, src)
		}
	}
	return files
}

// What parses is returned byte for byte, and what fails returns nothing.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, kind := range []Kind{Markdown, YAML} {
			d, err := Parse(src, kind)
			if err != nil {
				mustBeError(t, err)
				if d != nil {
					t.Fatal("a document came with an error")
				}
				continue
			}
			if !bytes.Equal(d.Bytes(), src) {
				t.Fatal("the bytes differ")
			}
			if d.Root() == nil || d.Root().Kind != yaml.MappingNode {
				t.Fatal("the root is not a mapping")
			}
			checkSpans(t, d)
		}
	})
}

// An edit of any file is refused with an *Error, or it changes what it names and nothing else.
func FuzzEdit(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, kind := range []Kind{Markdown, YAML} {
			d, err := Parse(src, kind)
			if err != nil {
				continue
			}
			for _, e := range fuzzEdits(d) {
				mustEditAlone(t, d, e)
			}
		}
	})
}

func fuzzEdits(d *Doc) []Edit {
	edits := []Edit{
		Set(Path{"status"}, String("done")),
		Set(Path{"status"}, Seq{Map{{"a", Int(1)}}}),
		Remove(Path{"status"}),
		Set(Path{"checks", 0, "result"}, String("pass")),
		Remove(Path{"checks", 0}),
	}
	if p := d.Get("provenance"); p == nil || p.Kind == yaml.SequenceNode {
		n := 0
		if p != nil {
			n = len(p.Content)
		}
		edits = append(edits, appended(Path{"provenance"}, n, entry("noted")))
	}
	if labels := d.Get("labels"); labels != nil && labels.Kind == yaml.SequenceNode && len(labels.Content) > 0 {
		edits = append(edits, SetSeq(Path{"labels"}, NewItem(String("new")), Old(len(labels.Content)-1)))
	}
	return edits
}

func mustEditAlone(t *testing.T, d *Doc, e Edit) {
	before := bytes.Clone(d.Bytes())
	next, err := d.Edit(order, e)
	if !bytes.Equal(before, d.Bytes()) {
		t.Fatal("the edit changed its source")
	}
	if err != nil {
		mustBeError(t, err)
		return
	}
	if !bytes.Equal(next.Body(), d.Body()) {
		t.Fatalf("%T: the body changed", e)
	}
	for i := 0; i+1 < len(d.Root().Content); i += 2 {
		key := d.Root().Content[i].Value
		if key == e.path()[0] {
			continue
		}
		if v := next.Get(key); v == nil || !same(d.Root().Content[i+1], v) {
			t.Fatalf("%T of %s changed %q:\n%q\n%q", e, e.path(), key, d.Bytes(), next.Bytes())
		}
	}
}

func mustBeError(t *testing.T, err error) {
	var e *Error
	if !errors.As(err, &e) || e.Msg == "" || e.Line < 0 {
		t.Fatalf("not a proper error: %#v", err)
	}
}

// checkSpans checks that every node ends after its beginning and inside the YAML.
func checkSpans(t *testing.T, d *Doc) {
	var visit func(n *yaml.Node, in nesting)
	visit = func(n *yaml.Node, in nesting) {
		if from, to := d.start(n), d.end(n, in); from > to || from < d.from || to > d.to {
			t.Fatalf("%q lies at [%d, %d) of [%d, %d)", n.Value, from, to, d.from, d.to)
		}
		for _, c := range n.Content {
			visit(c, d.nestingIn(n, in))
		}
	}
	visit(d.root, topLevel)
}
