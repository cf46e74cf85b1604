package tasks_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// An optional field is declared in one line of task.Optional, and is known wherever a field is.
func TestOptionalFieldsAreKnownEverywhere(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	call := func(name string, in verbtest.Args) verb.Task {
		got, err := verbtest.Call[verb.Task](t, w, name, in)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	milestone := verbtest.Must(t, w, "milestone_add", verbtest.Args{"title": "Open the shop"}).ID
	for _, f := range task.OptionalFields() {
		sample := map[task.FieldType]string{task.FieldDuration: "2h", task.FieldText: "x", task.FieldNumber: "3", task.FieldBoolean: "true",
			task.FieldDate: "2026-06-21", task.FieldActor: "human:ada", task.FieldURL: "https://a.example", "rhythm": "weekly", task.FieldMilestone: milestone}[f.Type]
		if f.Type == task.FieldChoice {
			sample = f.Choices[0]
		}
		if f.Doc == "" || sample == "" || !slices.Contains(kind.Tasks.Keys(), f.Name) || !slices.Contains(tasks.OrderNames(), f.Name) {
			t.Errorf("%s is not declared whole, or is no key or no order", f.Name)
		}
		made := call("create", verbtest.Args{"title": "x", f.Name: sample})
		if got := made.Value(f.Name); got != sample {
			t.Errorf("create: %s is %q", f.Name, got)
		}
		if got, err := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{"where": f.Name + "=" + sample, "sort": f.Name}); err != nil || got.Total != 1 {
			t.Errorf("list finds %d tasks by %s (%v)", got.Total, f.Name, err)
		}
		changed := call("update", verbtest.Args{"id": made.ID, f.Name: ""})
		if last := changed.Provenance[len(changed.Provenance)-1]; changed.Value(f.Name) != "" || !slices.Contains(last.Fields, f.Name) {
			t.Errorf("update: %s is %q, and its entry names %q", f.Name, changed.Value(f.Name), last.Fields)
		}
		left := call("update", verbtest.Args{"id": made.ID, "title": "y"})
		if left.Value(f.Name) != "" {
			t.Errorf("update of the title sets %s", f.Name)
		}
	}
}
