package store_test

import (
	"fmt"
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
	storetest.WriteTask(t, s, "PROJ-2", "checks:", "  - {desc: all, cmd: make test, cwd: .}", "  - {desc: web, cmd: make test, cwd: web}")
	s = storetest.Open(t, s.Root)
	got, err := s.Commands(t.Context(), s)
	storetest.WantCode(t, err, "")
	var listed []string
	for _, c := range got {
		listed = append(listed, fmt.Sprint(c.Where, c.Cmd, " ", c.Cwd))
	}
	want := []string{"[config.yaml]make lint ", "[config.yaml]make deps ", "[PROJ-1 PROJ-2]make test ", "[PROJ-2]make test web"}
	if !slices.Equal(listed, want) {
		t.Errorf("got %q, want %q", listed, want)
	}
	if harmless, err = s.Harmless(t.Context()); err != nil || harmless {
		t.Errorf("a workspace with commands is harmless: %v (%v)", harmless, err)
	}
}
