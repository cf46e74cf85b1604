package frontmatter

import (
	"fmt"
	"strings"
	"testing"
)

// Each row is an edit that cannot be made without touching more than its own lines, or that makes no sense, and what is
// said instead.
var refusedEdits = []struct {
	name, src string
	edit      Edit
	want      string
}{
	{"the value is used elsewhere", "deps: &d [a]\nother: *d\n", appended(Path{"deps"}, 1, String("b")),
		"line 2, column 7: cannot change deps without touching other lines: line 3 uses it through the alias *d"},
	{"a part of the value is used elsewhere", "deps: [&d a]\nother: *d\n", Set(Path{"deps"}, String("b")),
		"line 2, column 8: cannot change deps without touching other lines: line 3 uses it through the alias *d"},
	{"the value stands inside one that is used elsewhere", "checks: &c [{result: a}]\nother: *c\n", Set(Path{"checks", 0, "result"}, String("b")),
		"line 2, column 9: cannot change checks[0].result without touching other lines: line 3 uses it through the alias *c"},
	{"an item that goes is used elsewhere", "deps: [&d a, b]\nother: *d\n", SetSeq(Path{"deps"}, Old(1)),
		"line 2, column 8: cannot change deps without touching other lines: line 3 uses it through the alias *d"},
	{"an item that goes is used by one that stays", "deps: [&d a, *d]\n", SetSeq(Path{"deps"}, Old(1)),
		"line 2, column 8: cannot change deps without touching other lines: line 2 uses it through the alias *d"},
	{"a list that is an alias", "other: &d [a]\ndeps: *d\n", appended(Path{"deps"}, 1, String("b")),
		"line 3, column 7: cannot change deps: the value is an alias of another one"},
	{"the way leads through an alias", "x: &c {result: a}\nchecks: [*c]\n", Set(Path{"checks", 0, "result"}, String("b")),
		"line 3, column 10: cannot change checks[0].result: the value is an alias of another one"},
	{"a comment has no line to stay on", "{x: 1, deps: [ # why\n  a]}\n", Set(Path{"deps"}, String("b")),
		"line 2: cannot change deps without touching other lines: a comment would be lost or changed"},
	{"a key of a word", "status: a\n", Set(Path{"status", "x"}, Int(1)),
		`line 2, column 9: cannot change status.x: this is not a mapping, so it has no key "x"`},
	{"an item of a mapping", "checks: {a: b}\n", Set(Path{"checks", 0}, Int(1)),
		"line 2, column 9: cannot change checks[0]: this is not a list, so it has no item 0"},
	{"an item that is not there", "checks: [a]\n", Set(Path{"checks", 1}, Int(1)),
		"line 2, column 9: cannot change checks[1]: the list has no item 1"},
	{"an item of a missing list", "a: b\n", Set(Path{"checks", 0}, Int(1)),
		"cannot change checks[0]: there is no list to change item 0 of"},
	{"a list that is none", "deps: a\n", SetSeq(Path{"deps"}, NewItem(String("b"))),
		"line 2, column 7: cannot change deps: the value is not a list"},
	{"an old item that is not there", "deps: [a]\n", SetSeq(Path{"deps"}, Old(1)),
		"cannot change deps: old item 1 is not there, or used twice"},
	{"an old item twice", "deps: [a]\n", SetSeq(Path{"deps"}, Old(0), Old(0)),
		"cannot change deps: old item 0 is not there, or used twice"},
	{"no path", "a: b\n", Set(nil, Int(1)), "cannot change a document as a whole: the path is empty"},
	{"a duplicate key in the new value", "a: b\n", Set(Path{"x"}, Map{{"k", Int(1)}, {"k", Int(2)}}),
		`line 5, column 3: cannot change x: duplicate key "k", first on line 4`},
	{"text that is not UTF-8", "a: b\n", Set(Path{"a"}, String("\xff")),
		"cannot change a: the new text is not valid UTF-8"},
	{"too much text", "a: b\n", Set(Path{"a"}, String(strings.Repeat("x", MaxFront))),
		"line 1: cannot change a: the front matter has 1048580 bytes; at most 1048576 are read"},
}

func TestRefusedEdits(t *testing.T) {
	for _, tt := range refusedEdits {
		t.Run(tt.name, func(t *testing.T) {
			next, err := mustParse(t, "---\n"+tt.src+"---\n").Edit(order, tt.edit)
			if next != nil {
				t.Error("a document came with the refusal")
			}
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// If one of several edits is refused, none is made.
func TestEditsTogether(t *testing.T) {
	d := mustParse(t, "---\nstatus: a\n---\n")
	next, err := d.Edit(order, Set(Path{"status"}, String("b")), Set(Path{"status", "x"}, Int(1)))
	if next != nil || err == nil || d.Get("status").Value != "a" {
		t.Errorf("got %v, %v", next, err)
	}
	want := "---\ntitle: T\nstatus: b\nassignee: c\n---\n\nNew.\n"
	got := mustEdit(t, mustParse(t, "---\ntitle: T\n---\n"), Set(Path{"assignee"}, String("c")),
		Set(Path{"status"}, String("b")), SetBody("\nNew.\n"))
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
