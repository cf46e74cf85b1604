package task_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// What a check stands on is what it said where the work began, unless a person has said otherwise since.
func TestGuarding(t *testing.T) {
	on := func(guards ...string) task.Check {
		return task.Check{Desc: "it adds up", Cmd: "sh sums.sh", Guards: guards}
	}
	was := task.Task{ID: "T-1", Checks: []task.Check{on("sums.sh")}}
	other := task.Check{Desc: "it opens", Cmd: "sh open.sh", Guards: []string{"open.sh"}}
	for name, row := range map[string]struct {
		by    record.Actor // who changed the list last; "" for nobody
		said  task.Check   // what the list was then
		check task.Check
		want  string
	}{
		"nobody said so":               {"", task.Check{}, on("README.md"), "sums.sh"},
		"an agent said so":             {"agent:bob", on("README.md"), on("README.md"), "sums.sh"},
		"a person said so":             {"human:ada", on("README.md"), on("README.md"), "README.md"},
		"a person said something else": {"human:ada", on("sums.sh"), on("README.md"), "sums.sh"},
		"it was not there before":      {"agent:bob", other, other, "open.sh"},
	} {
		now := task.Task{ID: "T-1", Checks: []task.Check{row.check}}
		if row.by != "" {
			now.Provenance = []record.Entry{{Who: row.by, Did: record.Updated, Checks: []string{row.said.Hash("T-1")}}}
		}
		if got := now.Guarding(row.check, was).Guards; !slices.Equal(got, []string{row.want}) {
			t.Errorf("%s: it stands on %q, want %s", name, got, row.want)
		}
	}
}
