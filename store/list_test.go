package store_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// What lists tasks keeps none of their long bodies, however many there are.
func TestListsHoldNoLongBodies(t *testing.T) {
	storetest.WantLean(t, func(s *store.Store) (any, error) { return all(kind.Tasks.List(t.Context(), s)) })
}

func all(tasks []task.Task, _ []problem.Problem, err error) (any, error) { return tasks, err }

// Commands lists every command that trusting a workspace lets run, those of the config too.
func TestCommands(t *testing.T) {
	s := storetest.New(t)
	harmless, err := s.Harmless(t.Context())
	storetest.WantCode(t, err, "")
	if !harmless {
		t.Error("an empty workspace is not harmless")
	}
	storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\ndefault_checks:\n  - {desc: lint, cmd: make lint}\nworktree_setup: make deps\n")
	storetest.WriteTask(t, s, "PROJ-1", "checks:", "  - {desc: tests, cmd: make test}", "  - {desc: read, type: manual}")
	s = storetest.Open(t, s.Root)
	got, err := s.Commands(t.Context(), s)
	storetest.WantCode(t, err, "")
	if want := []store.Command{{"config.yaml", "make lint"}, {"config.yaml", "make deps"}, {"PROJ-1", "make test"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if harmless, err = s.Harmless(t.Context()); err != nil || harmless {
		t.Errorf("a workspace with commands is harmless: %v (%v)", harmless, err)
	}
}
