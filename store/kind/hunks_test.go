package kind_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const disputed = `---
id: T-1
title: Lay the foundation
status: backlog
checks:
  - {desc: it holds, cmd: make hold}
provenance:
  - {who: 'human:a', at: 2026-06-20T10:00:00Z, did: created}
---

Four trucks.
`

func edited(t *testing.T, note string, pairs ...string) []byte {
	t.Helper()
	text := strings.Replace(disputed, "did: created}\n", "did: created}\n  - {who: 'human:a', at: 2026-06-21T10:00:00Z, did: noted, text: "+note+"}\n", 1)
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}

// Each place in which two versions differ is named by its key, or as the text, and either side can be taken of each; the
// entries of both sides are there whatever is taken.
func TestChoose(t *testing.T) {
	flow, path := kind.DefaultConfig().Flow, ".cairn/tasks/T-1.md"
	ours := edited(t, "ours", "Lay the foundation", "Lay it deep", "make hold", "make hold-1", "Four", "Five")
	theirs := edited(t, "theirs", "Lay the foundation", `"Lay it: first"`, "make hold", "make hold-2", "Four", "Six")
	c := kind.Tasks.Choose(path, []byte(disputed), ours, theirs, flow)
	var fields []string
	for _, d := range c.Differences {
		fields = append(fields, d.Field+": "+d.Ours+" | "+d.Theirs)
	}
	want := []string{
		"title: Lay it deep | Lay it: first",
		"checks: - {desc: it holds, cmd: make hold-1} | - {desc: it holds, cmd: make hold-2}",
		"text: Five trucks. | Six trucks.",
	}
	if strings.Join(fields, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(fields, "\n"), strings.Join(want, "\n"))
	}
	stamp := record.Stamp{Who: "human:b", At: time.Date(2026, 6, 22, 10, 0, 0, 0, time.UTC), Text: "chosen"}
	nobody := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	settled, err := kind.Tasks.Settled(path, c.With([]bool{false, true, false}), [2][]byte{ours, theirs}, flow, nobody, stamp)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"title: Lay it deep\n", "make hold-2", "Five trucks.", "text: ours}", "text: theirs}", "text: chosen}"} {
		if strings.Count(string(settled), part) != 1 {
			t.Errorf("%q is there %d times in\n%s", part, strings.Count(string(settled), part), settled)
		}
	}
	if _, err := kind.Tasks.Settled(path, c.Marked(), [2][]byte{ours, theirs}, flow, nobody, stamp); record.CodeOf(err) != record.BadFile {
		t.Errorf("with markers: %v", err)
	}
}

// A text that lacks entries of a side gets them back, and a state that no entry accounts for becomes a move.
func TestSettledHasEveryEntry(t *testing.T) {
	flow, path := kind.DefaultConfig().Flow, ".cairn/tasks/T-1.md"
	moved := edited(t, "theirs", "did: noted, text: theirs", "did: transitioned, from: backlog, to: in_progress", "status: backlog", "status: in_progress")
	ours := edited(t, "ours")
	stamp := record.Stamp{Who: "human:b", At: time.Date(2026, 6, 22, 10, 0, 0, 0, time.UTC), Text: "chosen"}
	nobody := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	settled, err := kind.Tasks.Settled(path, ours, [2][]byte{ours, moved}, flow, nobody, stamp)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"text: ours}", "to: in_progress}", "status: in_progress\n", "text: chosen}"} {
		if !strings.Contains(string(settled), part) {
			t.Errorf("%q is not in\n%s", part, settled)
		}
	}
	back, err := kind.Tasks.Settled(path, []byte(strings.Replace(string(moved), "status: in_progress", "status: backlog", 1)), [2][]byte{ours, moved}, flow, nobody, stamp)
	if err != nil || !strings.Contains(string(back), "did: transitioned, from: in_progress, to: backlog, text: chosen}") {
		t.Errorf("%v\n%s", err, back)
	}
}
