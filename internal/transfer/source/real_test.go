package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
)

// batchOf reads files that a test has as texts.
func batchOf(t *testing.T, name string, files ...source.File) source.Batch {
	t.Helper()
	s, err := source.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fileOf(name, text string) source.File { return source.File{Name: name, Data: []byte(text)} }

func refsOf(items []transfer.Item) (out []string) {
	for _, it := range items {
		out = append(out, it.Ref)
	}
	return out
}

func wantRefs(t *testing.T, items []transfer.Item, want ...string) {
	t.Helper()
	if got := refsOf(items); !slices.Equal(got, want) {
		t.Fatalf("the items are %q, not %q", got, want)
	}
}

func wantLoss(t *testing.T, it transfer.Item, field string) {
	t.Helper()
	if !slices.ContainsFunc(it.LeftOut, func(l transfer.Loss) bool { return strings.HasPrefix(l.Field, field) }) {
		t.Errorf("%s says nothing of %q: %v", it.Ref, field, it.LeftOut)
	}
}

// An id that is given twice, as projects have them that were edited by many hands, loses no task: the second gets a ref
// of its own, which is the same whenever it is read again, and the first keeps the id.
func TestIDsThatAreGivenTwice(t *testing.T) {
	master := fileOf("tasks.json", `{"master":{"tasks":[{"id":7,"title":"Modes","subtasks":[
		{"id":7,"title":"Name them"},{"id":7,"title":"Switch them"},{"id":7,"title":"Switch them"},{"id":8,"title":"Tell of them","dependencies":[7]}]}]}}`)
	items := batchOf(t, "taskmaster", master).Items
	wantRefs(t, items, refsOf(batchOf(t, "taskmaster", master).Items)...)
	if len(items) != 5 || items[1].Ref != "master/7.7" || !strings.HasPrefix(items[2].Ref, "master/7.7~") || items[3].Ref != items[2].Ref+".2" {
		t.Fatalf("the items are %q", refsOf(items))
	}
	if !slices.Equal(items[4].Deps, []string{"master/7.7"}) || items[2].Parent != "master/7" {
		t.Errorf("the deps are %q, and the parent is %q", items[4].Deps, items[2].Parent)
	}
	wantLoss(t, items[2], "an id that another has too")

	of := func(title string) string { return "---\nid: BACK-4\ntitle: " + title + "\nstatus: To Do\n---\n" }
	items = batchOf(t, "backlog", fileOf("tasks/back-4 - new.md", of("New")), fileOf("archive/tasks/back-4 - old.md", of("Old"))).Items
	if len(items) != 2 || items[0].Ref != "BACK-4" || !strings.HasPrefix(items[1].Ref, "BACK-4~") || items[1].State != transfer.Dropped {
		t.Errorf("the items are %+v", items)
	}

	items = batchOf(t, "tk", fileOf("a.md", "---\nid: a-1\n---\n# One\n"), fileOf("b.md", "---\nid: a-1\n---\n# Two\n")).Items
	if len(items) != 2 || items[0].Ref != "a-1" || !strings.HasPrefix(items[1].Ref, "a-1~") {
		t.Errorf("the items are %q", refsOf(items))
	}

	two := batchOf(t, "taskwarrior", fileOf("tasks.json", `[{"uuid":"u","description":"old","status":"pending"}][{"uuid":"u","description":"new","status":"completed"}]`))
	if len(two.Items) != 1 || two.Items[0].Title != "new" || len(two.Aside) != 1 {
		t.Errorf("of two exports it reads %+v", two)
	}
}

// Issues of beads may stand below several others, of which some are gone, and say in two ways what they wait for.
func TestEdgesOfBeads(t *testing.T) {
	items := batchOf(t, "beads", fileOf("issues.jsonl", `{"id":"b-1.1","title":"x","dependencies":[{"depends_on_id":"b-9","type":"parent-child"},{"depends_on_id":"b-1","type":"parent-child"},{"depends_on_id":"b-2","type":"blocked-by"}]}
{"id":"b-1","title":"up"}
{"id":"b-2","title":"first"}
`)).Items
	if it := items[0]; it.Parent != "b-1" || !slices.Equal(it.Deps, []string{"b-2"}) {
		t.Errorf("the parent is %q, and the deps are %q", it.Parent, it.Deps)
	}
	wantLoss(t, items[0], "a second parent")
	wantLoss(t, batchOf(t, "beads", fileOf("issues.jsonl", `{"id":"b-1","title":"x","dependencies":{"b-2":"blocks"}}`)).Items[0], "dependencies")
}

// In a list of boxes only those are criteria: points below one say more of it.
func TestPointsBelowACriterion(t *testing.T) {
	it := batchOf(t, "backlog", fileOf("completed/back-1 - x.md", `---
id: BACK-1
title: x
status: Done
updated_date: '2026-01-09'
completed_date: '2026-01-05'
---
## Acceptance Criteria
- [x] #1 it asks in this order:
  1. the name
  2. the folder
- [x] #2 it ends
`)).Items[0]
	want := []string{"it asks in this order: 1. the name 2. the folder", "it ends"}
	if !slices.Equal(it.Acceptance, want) || it.Closed != "2026-01-05" {
		t.Errorf("the criteria are %q, closed %s", it.Acceptance, it.Closed)
	}
}
