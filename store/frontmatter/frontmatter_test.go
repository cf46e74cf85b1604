package frontmatter

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// order is a canonical order of keys, like that of tasks.
var order = []string{"id", "title", "status", "priority", "labels", "assignee", "parent", "deps", "checks", "provenance"}

// A parsed file prints back byte for byte, whatever its line endings.
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

// variants are the ways in which a file may be saved. Each must come out of an edit as it went in.
var variants = map[string]func(string) string{
	"LF":   func(s string) string { return s },
	"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	"BOM":  func(s string) string { return bom + s },
	"no final newline": func(s string) string {
		return strings.TrimSuffix(s, "\n")
	},
}
