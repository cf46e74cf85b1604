package format

import (
	"fmt"
	"strings"
	"testing"
)

// entry is a log entry as package store writes it.
func entry(did string) Value {
	return Flow{Map{{"who", String("human:lee")}, {"at", Plain("2026-06-22T09:00:00Z")}, {"did", String(did)}}}
}

// appended is an edit that adds items to a list of old ones.
func appended(path Path, old int, values ...Value) Edit {
	var items []Item
	for i := range old {
		items = append(items, Old(i))
	}
	for _, v := range values {
		items = append(items, NewItem(v))
	}
	return SetSeq(path, items...)
}

// editTests has edits of files in testdata, and all that each changes, as a diff without context.
var editTests = []struct {
	name, file string
	edit       Edit
	diff       string
}{
	{"a status changes one line", "task.md", Set(Path{"status"}, String("done")), `
-status: in_progress
+status: done`},
	{"a comment behind the value stays", "task.md", Set(Path{"priority"}, Int(3)), `
-priority: 1                      # 0 (drop everything) to 4 (someday)
+priority: 3                      # 0 (drop everything) to 4 (someday)`},
	{"a provenance entry is one line more", "task.md", appended(Path{"provenance"}, 2, entry("noted")), `
+  - {who: 'human:lee', at: 2026-06-22T09:00:00Z, did: noted}`},
	{"a result inside a list", "task.md", Set(Path{"checks", 1, "result"}, String("pass")), `
-    result: pending
+    result: pass`},
	{"a new key follows the one before it in order", "task.md", Set(Path{"commit"}, String("abc")), `
+commit: abc`},
	{"a new key of an item follows its last", "task.md", Set(Path{"checks", 0, "by"}, String("human:shah")), `
+    by: human:shah`},
	{"a key with a comment is emptied", "task.md", Remove(Path{"assignee"}), `
-assignee: agent:claude-1         # until Friday
+assignee:         # until Friday`},
	{"a key without one goes", "task.md", Remove(Path{"title"}), `
-title: Add idempotency keys`},
	{"a label joins a list on one line", "task.md", appended(Path{"labels"}, 1, String("api")), `
-labels: [payments]
+labels: [payments, api]`},
	{"a list on one line is emptied", "task.md", SetSeq(Path{"deps"}), `
-deps: [PROJ-01j8x1aaaaaabc]      # must be closed before this may start
+deps: []      # must be closed before this may start`},
	{"a check goes with its lines, its comments stay", "task.md", SetSeq(Path{"checks"}, Old(1)), `
-  - desc: tests pass
-    cmd: go test ./internal/payments
-    cwd: .                       # relative to the repository root
-    timeout: 300                 # seconds
-    result: pass                 # pending | pass | fail
+  # relative to the repository root
+  # seconds
+  # pending | pass | fail`},
	{"a check is added", "task.md", appended(Path{"checks"}, 2, Map{{"desc", String("lint")}, {"cmd", String("make lint")}}), `
+  - desc: lint
+    cmd: make lint`},
	{"a key that holds a list becomes scalar", "task.md", Set(Path{"provenance"}, String("none")), `
-provenance:
-  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}
-  - {who: 'agent:claude-1', at: 2026-06-21T10:05:00Z, did: claimed}
+provenance: none`},
	{"setting what is there changes nothing", "task.md", Set(Path{"labels"}, Seq{String("payments")}), ``},
	{"removing what is not there changes nothing", "task.md", Remove(Path{"nobody", "home"}), ``},

	{"double quotes are kept", "handwritten.md", Set(Path{"status"}, String("done")), `
-status: "backlog"   # quoted
+status: "done"   # quoted`},
	{"single quotes are kept", "handwritten.md", Set(Path{"id"}, String("PROJ-003")), `
-"id": 'PROJ-002'
+"id": 'PROJ-003'`},
	{"single quotes give way to a line break", "handwritten.md", Set(Path{"id"}, String("a\nb")), `
-"id": 'PROJ-002'
+"id": "a\nb"`},
	{"a folded scalar becomes a line", "handwritten.md", Set(Path{"title"}, String("Short")), `
-title: >-
-  Fold the long
-  title over lines
+title: Short`},
	{"an empty value is filled", "handwritten.md", Set(Path{"assignee"}, String("human:lee")), `
-assignee:
+assignee: human:lee`},
	{"a literal scalar leaves its comment", "handwritten.md", Set(Path{"notes"}, String("none")), `
-notes: |+   # keep what follows
-  first line
-  # not a comment
-
-  last line
-
+notes: none   # keep what follows`},
	{"a plain scalar over several lines", "handwritten.md", Set(Path{"long"}, String("short")), `
-long: a plain scalar
-  that goes on
-
-  for several lines
+long: short`},
	{"an item at the column of its key", "handwritten.md", appended(Path{"labels"}, 3, String("four")), `
+- four`},
	{"an item with a comment goes, the comment stays", "handwritten.md", SetSeq(Path{"labels"}, Old(0), Old(2)), `
-- 'two'    # the second
+# the second`},
	{"items change places", "handwritten.md", SetSeq(Path{"labels"}, Old(2), Old(0), Old(1)), `
-- one
-- 'two'    # the second
 
 - "three"
+- one
+- 'two'    # the second`},
	{"one item of a list", "handwritten.md", Set(Path{"labels", 1}, String("zwei")), `
-- 'two'    # the second
+- 'zwei'    # the second`},
	{"a list over several lines takes one more", "handwritten.md", appended(Path{"deps"}, 2, String("PROJ-003")), `
+  PROJ-003,`},
	{"a list over several lines loses its last", "handwritten.md", SetSeq(Path{"deps"}, Old(0)), `
-  'PROJ-000',`},
	{"a list over several lines loses its first, the comment stays", "handwritten.md", SetSeq(Path{"deps"}, Old(1)), `
-  PROJ-001,   # the first
+  # the first`},
	{"a list over several lines is emptied", "handwritten.md", SetSeq(Path{"deps"}), `
-deps: [
-  PROJ-001,   # the first
-  'PROJ-000',
-]
+deps: []
+  # the first`},
	{"a result in wide indentation", "handwritten.md", Set(Path{"checks", 0, "result"}, String("pass")), `
-    result: pending
+    result: pass`},
	{"a result on one line", "handwritten.md", Set(Path{"checks", 1, "result"}, String("pass")), `
-- {desc: on one line, cmd: make lint, result: pending}
+- {desc: on one line, cmd: make lint, result: pass}`},
	{"a key on one line", "handwritten.md", Set(Path{"checks", 1, "by"}, String("a: b")), `
-- {desc: on one line, cmd: make lint, result: pending}
+- {desc: on one line, cmd: make lint, result: pending, by: 'a: b'}`},
	{"an empty list becomes a list of lines", "handwritten.md", appended(Path{"provenance"}, 0, entry("created")), `
-provenance: []
+provenance:
+  - {who: 'human:lee', at: 2026-06-22T09:00:00Z, did: created}`},
	{"a list with a comment becomes a scalar", "handwritten.md", Set(Path{"labels"}, Seq{String("x")}), `
-labels:
-- one
-- 'two'    # the second
-
-- "three"
+labels: [x]
+  # the second`},
	{"an alias is replaced", "handwritten.md", Set(Path{"reviewer"}, String("human:lee")), `
-reviewer: *who
+reviewer: human:lee`},
	{"a new key goes behind a block scalar", "indented.md", Set(Path{"assignee"}, String("human:lee")), `
+assignee: human:lee`},

	{"a tab behind the colon", "indented.md", Set(Path{"id"}, String("T-2")), "\n-id:\tT-1\n+id:\tT-2"},
	{"a text with characters of all sizes", "indented.md", Set(Path{"title"}, String("日本語 \"😀\"")), `
-title: "Ünïcode 日本語 😀, \"quoted\", and a backslash \\"
+title: "日本語 \"😀\""`},
	{"spaces in a list stay", "indented.md", appended(Path{"extra", "nested", "deeper"}, 3, Int(4)), `
-        deeper: [a,  b,c]
+        deeper: [a,  b,c, 4]`},
	{"the middle of a list goes", "indented.md", SetSeq(Path{"extra", "nested", "deeper"}, Old(0), Old(2)), `
-        deeper: [a,  b,c]
+        deeper: [a, c]`},
	{"a key between braces is filled", "indented.md", Set(Path{"extra", "nested", "map", "z"}, Bool(true)), `
-        map: {x: 1, "y": 'two', z: }
+        map: {x: 1, "y": 'two', z: true}`},
	{"a key between braces goes", "indented.md", Remove(Path{"extra", "nested", "map", "x"}), `
-        map: {x: 1, "y": 'two', z: }
+        map: {"y": 'two', z: }`},
	{"a list inside a list", "indented.md", appended(Path{"extra", "list", 1}, 2, String("x")), `
+        - x`},
	{"the first of a list inside a list goes", "indented.md", Remove(Path{"extra", "list", 1, 0}), `
-      - - inner
-        - list
+      - - list`},
	{"an empty item is filled", "indented.md", Set(Path{"extra", "list", 2}, String("x")), `
-      -
+      - x`},
	{"keys that are missing on the way", "indented.md", Set(Path{"extra", "a", "b"}, Int(1)), `
+    a:
+      b: 1`},
	{"an entry in lines gets a line", "indented.md", appended(Path{"provenance"}, 2, entry("noted")), `
+    - {who: 'human:lee', at: 2026-06-22T09:00:00Z, did: noted}`},
	{"the first key of an item", "indented.md", Remove(Path{"provenance", 1, "who"}), `
-    - who: agent:claude-1
-      at: 2026-06-21T10:05:00Z
+    - at: 2026-06-21T10:05:00Z`},

	{"a status in a flow root", "flowroot.md", Set(Path{"status"}, String("done")), `
-{id: T-9, status: backlog, checks: [{desc: a, result: pending}], provenance: [
+{id: T-9, status: done, checks: [{desc: a, result: pending}], provenance: [`},
	{"a new key in a flow root", "flowroot.md", Set(Path{"title"}, String("x, y")), `
-{id: T-9, status: backlog, checks: [{desc: a, result: pending}], provenance: [
+{id: T-9, title: 'x, y', status: backlog, checks: [{desc: a, result: pending}], provenance: [`},
	{"an entry in a flow root", "flowroot.md", appended(Path{"provenance"}, 1, entry("noted")), `
+  {who: 'human:lee', at: 2026-06-22T09:00:00Z, did: noted},`},

	{"a body takes on the line endings", "task.md", SetBody("\nNew.\n"), `
-Prose intent. The engine never edits the body.
-
----
-
-A rule above, and more prose below.
+New.`},
}

func TestEdit(t *testing.T) {
	files := fixtures(t)
	for _, tt := range editTests {
		t.Run(tt.name, func(t *testing.T) {
			src := files[tt.file]
			got := mustEdit(t, mustParse(t, src), tt.edit)
			want := strings.TrimPrefix(tt.diff, "\n")
			if diff := diffLines(src, got); diff != want {
				t.Errorf("the edit changed:\n%s\nwant:\n%s", diff, want)
			}
		})
	}
}

// An edit makes the same change to a file however the file was saved.
func TestEditKeepsEndings(t *testing.T) {
	files := fixtures(t)
	for _, tt := range editTests {
		want := mustEdit(t, mustParse(t, files[tt.file]), tt.edit)
		for variant, change := range variants {
			if _, isBody := tt.edit.(bodyEdit); isBody && variant == "no final newline" {
				continue // the body comes with its own
			}
			t.Run(tt.name+"/"+variant, func(t *testing.T) {
				got := mustEdit(t, mustParse(t, change(files[tt.file])), tt.edit)
				if got != change(want) {
					t.Errorf("got:\n%q\nwant:\n%q", got, change(want))
				}
			})
		}
	}
}

func TestOrderIsForTopLevelKeys(t *testing.T) {
	got := mustEdit(t, mustParse(t, "---\nx:\n  id: a\n  z: b\n---\n"), Set(Path{"x", "title"}, String("T")))
	if want := "---\nx:\n  id: a\n  z: b\n  title: T\n---\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A missing key is added after the key that comes before it in order, wherever that one is.
func TestOrderOfNewKeys(t *testing.T) {
	got := mustEdit(t, mustParse(t, "---\nlabels: [x]\ntitle: T\nmine: 1\nid: a\n---\n"), Set(Path{"status"}, String("done")),
		Set(Path{"unknown"}, Int(1)), Set(Path{"provenance"}, Seq{entry("created")}))
	want := `---
labels: [x]
provenance:
  - {who: 'human:lee', at: 2026-06-22T09:00:00Z, did: created}
title: T
status: done
mine: 1
id: a
unknown: 1
---
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// refusedEdits has edits that would change more than their own lines, or that make no sense, with the error of each.
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
		"line 3, column 7: cannot change deps: the value is an alias of another value"},
	{"the path leads through an alias", "x: &c {result: a}\nchecks: [*c]\n", Set(Path{"checks", 0, "result"}, String("b")),
		"line 3, column 10: cannot change checks[0].result: the value is an alias of another value"},
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
	{"a list expected, a text found", "deps: a\n", SetSeq(Path{"deps"}, NewItem(String("b"))),
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

func mustEdit(t testing.TB, d *Doc, edits ...Edit) string {
	t.Helper()
	next, err := d.Edit(order, edits...)
	if err != nil {
		t.Fatalf("edit: %v", err)
	}
	return string(next.Bytes())
}

// diffLines returns the lines from the first to the last that differ, as diff prints them.
func diffLines(before, after string) string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	for _, op := range script(a, b) {
		out.WriteString(op)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// script is the shortest edit script from a to b.
func script(a, b []string) []string {
	switch {
	case len(a) == 0 && len(b) == 0:
		return nil
	case len(a) == 0:
		return append([]string{"+" + b[0]}, script(a, b[1:])...)
	case len(b) == 0:
		return append([]string{"-" + a[0]}, script(a[1:], b)...)
	case a[0] == b[0]:
		return append([]string{" " + a[0]}, script(a[1:], b[1:])...)
	}
	drop, add := script(a[1:], b), script(a, b[1:])
	if len(drop) <= len(add) {
		return append([]string{"-" + a[0]}, drop...)
	}
	return append([]string{"+" + b[0]}, add...)
}
