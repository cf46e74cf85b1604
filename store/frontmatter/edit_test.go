package frontmatter

import (
	"strings"
	"testing"
)

// entry is a provenance entry as the engine writes it.
func entry(did string) Value {
	return Flow{Map{{"who", String("human:lee")}, {"at", Plain("2026-06-22T09:00:00Z")}, {"did", String(did)}}}
}

// appended is every old item and then new ones.
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

// Each row is an edit of a file in testdata and the whole of the difference it makes, as a diff without context.
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

// An edit does the same to a file however it was saved.
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

// A missing key goes behind the key that comes before it in order, wherever that one stands.
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

func mustEdit(t testing.TB, d *Doc, edits ...Edit) string {
	t.Helper()
	next, err := d.Edit(order, edits...)
	if err != nil {
		t.Fatalf("edit: %v", err)
	}
	return string(next.Bytes())
}

// diffLines returns the lines that differ, as diff prints them, with unchanged lines between them only where a change
// surrounds a blank one.
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
