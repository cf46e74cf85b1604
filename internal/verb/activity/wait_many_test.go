package activity

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
	"pgregory.net/rapid"
)

// Whatever changes, a wait that judges only what was touched finds what one finds that judges all tasks.
func TestWaitsJudgeOnlyWhatWasTouched(t *testing.T) {
	s := storetest.New(t)
	watching := &verb.Workspace{Dir: s.Root, Actor: verb.As("agent:a"), Now: time.Now, Reads: &verb.SharedReads{}}
	defer watching.Reads.Close()
	filters := []WaitIn{{}, {Ready: true}, {Status: "backlog"}, {Label: "x"}, {Ready: true, Label: "x"}, {Parent: "PROJ-1"}, {Status: "done"}}
	waits := make([]*manyTasks, len(filters))
	before := make([]snapshot, len(filters))
	for i, in := range filters {
		waits[i] = manyOf(t, watching, s, in)
		before[i] = readOf(t, waits[i])
	}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 3).Draw(r, "changes") {
			changeTask(t, r, s)
		}
		alone := &verb.Workspace{Dir: s.Root, Actor: verb.As("agent:a"), Now: time.Now}
		for i, in := range filters {
			got, want := readOf(t, waits[i]), readOf(t, manyOf(t, alone, s, in))
			if got.cursor != want.cursor || got.met != want.met || len(got.rows) != len(want.rows) {
				r.Fatalf("%+v: a wait that went on has %d rows, %s; a new one %d, %s", in, len(got.rows), got.cursor, len(want.rows), want.cursor)
			}
			whole := before[i]
			whole.among = nil // compared row by row
			if got, want := before[i].missing(got), whole.missing(got); got != want {
				r.Fatalf("%+v: a task is missing: %v, and by the files %v", in, got, want)
			}
			before[i] = got
		}
	})
	for _, path := range storetest.NamesIn(t, s.Dir("tasks")) {
		storetest.Remove(t, s.Dir("tasks")+"/"+path) // the graph makes no sense, and each test is judged at its end
	}
}

func manyOf(t *testing.T, w *verb.Workspace, s *store.Store, in WaitIn) *manyTasks {
	t.Helper()
	m, err := watchMany(w, s, in)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readOf(t *testing.T, m *manyTasks) snapshot {
	t.Helper()
	found, err := m.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changeTask writes a task that depends on others, or takes one away.
func changeTask(t *testing.T, r *rapid.T, s *store.Store) {
	draw := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(r, what) }
	ids := []string{"PROJ-1", "PROJ-2", "PROJ-3", "PROJ-4"}
	id := draw("id", ids...)
	path := storetest.TaskFile(s, record.ID(id))
	if draw("what", "write", "write", "write", "remove") == "remove" {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	text := fmt.Sprintf("---\nid: %s\ntitle: T\nstatus: %s\nlabels: [%s]\nparent: %s\ndeps: [%s]\nprovenance: []\n---\n", id,
		draw("status", "backlog", "done", "in_progress"), draw("label", "x", "y"), draw("parent", "PROJ-1", "PROJ-9"), draw("dep", append(ids, "PROJ-9")...))
	storetest.WriteFile(t, path, text)
}
