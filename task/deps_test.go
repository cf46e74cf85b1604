package task_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// Who may take away what a task waits for: it takes a reason while that is open, and once work began a person or a maintainer too.
func TestTakingDepsAway(t *testing.T) {
	const reason = "it waits for the other one"
	find := graph(node("A-2", "backlog"), node("A-3", "done"))
	waiting := func(status task.Status) task.Task {
		one := created()
		one.Deps = []task.ID{"A-2", "A-3", "A-4"}
		if status != one.Status {
			one = one.With(task.Entry{Who: claude, At: now, Did: task.Transitioned, From: one.Status, To: status})
			one.Status = status
		}
		return one
	}
	for _, tt := range []struct {
		name   string
		status task.Status
		may    bool // the caller is a person, or a maintainer
		reason string
		remove []task.ID
		want   task.Code
	}{
		{"an open one, while planning, with a reason", "backlog", false, reason, []task.ID{"A-2"}, ""},
		{"an open one, while planning, without", "backlog", false, "", []task.ID{"A-2"}, task.InvalidInput},
		{"a blank is no reason", "backlog", true, " \n", []task.ID{"A-2"}, task.InvalidInput},
		{"an open one once work began", "in_progress", false, reason, []task.ID{"A-2"}, task.Forbidden},
		{"an open one once work began, by who may", "in_progress", true, reason, []task.ID{"A-2"}, ""},
		{"an open one once work began, by who may, without a reason", "in_progress", true, "", []task.ID{"A-2"}, task.InvalidInput},
		{"one that is closed", "in_progress", false, "", []task.ID{"A-3"}, ""},
		{"one that does not exist", "in_progress", false, "", []task.ID{"A-4"}, ""},
		{"a closed one and an open one", "in_progress", false, "", []task.ID{"A-3", "A-2"}, task.Forbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := waiting(tt.status)
			after, entry, err := flow.Update(before, task.Edit{RemoveDeps: tt.remove, MayWeaken: tt.may}, task.Proof{}, find, saying(claude, tt.reason))
			wantCode(t, err, tt.want)
			if err != nil {
				return
			}
			if !slices.Equal(entry.RemoveDeps, tt.remove) || entry.Deps != task.DepsHash(after.ID, after.Deps) {
				t.Errorf("the entry tells of %v, and %s", entry.RemoveDeps, entry.Deps)
			}
			if got := entry.WithDeps(before.Deps); !slices.Equal(got, after.Deps) {
				t.Errorf("by the entry the deps become %v, and they are %v", got, after.Deps)
			}
		})
	}
}

// The hash of deps is that of one task's, in whatever order and however often they stand there.
func TestDepsHash(t *testing.T) {
	base := task.DepsHash("A-1", []task.ID{"A-2", "A-3"})
	if got := task.DepsHash("A-1", []task.ID{"A-3", "A-2", "A-3"}); got != base {
		t.Error("order or repetition counts")
	}
	for name, other := range map[string]string{
		"another task": task.DepsHash("A-9", []task.ID{"A-2", "A-3"}),
		"one fewer":    task.DepsHash("A-1", []task.ID{"A-2"}),
		"none":         task.DepsHash("A-1", nil),
	} {
		if other == base {
			t.Errorf("%s has the same hash", name)
		}
	}
}
