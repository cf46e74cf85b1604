package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// order is a canonical order of keys, like that of tasks.
var order = []string{"id", "title", "status", "priority", "labels", "assignee", "parent", "deps", "checks", "provenance"}

// Bytes returns what Parse was given, byte for byte, whatever its line endings.
func TestParsePrintsBack(t *testing.T) {
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			t.Run(name+"/"+variant, func(t *testing.T) {
				src := change(src)
				d := mustParse(t, src)
				if !bytes.Equal(d.Bytes(), []byte(src)) {
					t.Error("the bytes differ")
				}
				if d.Get("status") == nil {
					t.Error("no status")
				}
			})
		}
	}
}

func TestDocParts(t *testing.T) {
	d := mustParse(t, "\ufeff---  \nid: T-1\nstatus: done\n---\n\nBody.\n---\nMore.\n")
	if got := string(d.Front()); got != "id: T-1\nstatus: done\n" {
		t.Errorf("front matter %q", got)
	}
	if got := string(d.Body()); got != "\nBody.\n---\nMore.\n" {
		t.Errorf("body %q", got)
	}
	if got := d.Line(d.Get("status")); got != 3 {
		t.Errorf("status on line %d, want 3", got)
	}
	if d.Get("missing") != nil {
		t.Error("a key that is not there has a value")
	}
}

func TestDocumentWithoutKeys(t *testing.T) {
	for _, src := range []string{"---\n---\n", "---\n# only a comment\n---\n", "---\n{}\n---\n"} {
		if d := mustParse(t, src); d.Root() == nil || len(d.Root().Content) != 0 {
			t.Errorf("%q: want an empty mapping", src)
		}
	}
}

func TestNew(t *testing.T) {
	d, err := New(Markdown, Map{
		{"id", String("PROJ-01j8x2k7q7f3az")},
		{"title", String("Yes: it's \"done\"\n")},
		{"priority", Int(1)},
		{"labels", Seq{String("a"), String("no"), String("b, c")}},
		{"deps", Seq{}},
		{"checks", Seq{
			Map{{"desc", String("tests pass")}, {"cmd", String("go test ./...")}, {"env", Seq{Map{{"A", Bool(true)}}}}},
			Map{{"desc", String("reviewed")}, {"type", String("manual")}},
		}},
		{"provenance", Seq{Flow{Map{{"who", String("human:shah")}, {"at", Plain("2026-06-21T10:00:00Z")}, {"did", String("created")}}}}},
	}, "\nProse.\n")
	if err != nil {
		t.Fatal(err)
	}
	want := `---
id: PROJ-01j8x2k7q7f3az
title: "Yes: it's \"done\"\n"
priority: 1
labels: [a, 'no', 'b, c']
deps: []
checks:
  - desc: tests pass
    cmd: go test ./...
    env:
      - A: true
  - desc: reviewed
    type: manual
provenance:
  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}
---

Prose.
`
	if got := string(d.Bytes()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLineOf(t *testing.T) {
	d, err := Parse([]byte("---\n# a comment\nid: A-1\nlabels:\n  - a\n\n  - b\nchecks:\n  - desc: x\n    cmd: y\nsame: &x {k: v}\nother: *x\nlone: a\nempty:\n---\nbody\n"), Markdown)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		path Path
		want int
	}{
		{"a key", Path{"id"}, 3},
		{"a key with its value below", Path{"labels"}, 4},
		{"an item of a list", Path{"labels", 1}, 7},
		{"a key in an item", Path{"checks", 0, "cmd"}, 10},
		{"a key behind an alias", Path{"other", "k"}, 11},
		{"an item of what is no list", Path{"lone", 0}, 13},
		{"a key of what is empty", Path{"empty", "k"}, 14},
		{"an item that is not there", Path{"labels", 2}, 4},
		{"a key that is not in the item", Path{"checks", 0, "result"}, 9},
		{"a key that is not there", Path{"title"}, 3},
		{"no path", nil, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.LineOf(tt.path); got != tt.want {
				t.Errorf("line %d, want %d", got, tt.want)
			}
		})
	}
}

func TestUnmerged(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"nothing", "", 0},
		{"a conflict", "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n", 5},
		{"a conflict with the base between", "<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n", 4},
		{"a conflict with CRLF", "<<<<<<< ours\r\nb\r\n=======\r\nc\r\n>>>>>>> theirs\r\n", 4},
		{"a conflict behind a heading", "A\n=======\n<<<<<<< ours\n=======\n>>>>>>> theirs", 6},
		{"one half", "<<<<<<< ours\nb\n=======\n", 0},
		{"indented, as a quotation", "  <<<<<<< ours\n  =======\n  >>>>>>> theirs\n", 0},
		{"the other way round", ">>>>>>> theirs\n=======\n<<<<<<< ours\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte("---\na: 1\n---\n"+tt.body), Markdown)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Unmerged(); got != tt.want {
				t.Errorf("line %d, want %d", got, tt.want)
			}
		})
	}
}

func mustParse(t testing.TB, src string) *Doc {
	t.Helper()
	d, err := Parse([]byte(src), Markdown)
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return d
}

// fixtures returns the files in testdata by name.
func fixtures(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in testdata (%v)", err)
	}
	found := map[string]string{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(src)
	}
	return found
}

// variants are ways in which a file may be saved. An edit must keep each of them.
var variants = map[string]func(string) string{
	"LF":   func(s string) string { return s },
	"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	"BOM":  func(s string) string { return bom + s },
	"no final newline": func(s string) string {
		return strings.TrimSuffix(s, "\n")
	},
}
