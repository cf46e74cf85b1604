package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A checker that finds nothing proves nothing, so everything that Verify looks for is put before it.
func TestVerifyFinds(t *testing.T) {
	const temp = ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"
	for _, row := range []struct {
		name   string
		damage func(t *testing.T, s *store.Store)
		path   string // of the problem, from .cairn
		says   string
	}{
		{"a session without its task", func(t *testing.T, s *store.Store) { storetest.WriteSession(t, s, "ses-1", "PROJ-9") }, "sessions/ses-1.yaml", "PROJ-9 does not exist"},
		{"the log of a writer", func(t *testing.T, s *store.Store) { storetest.WantCode(t, s.Mark(), "") }, "local/write.redo", "killed"},
		{"a complete log", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.Live.Redo(), store.LogText(s.Worktree, store.Redo{}))
		}, "local/write.redo", "killed"},
		{"a temporary file among the tasks", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), temp), "")
		}, "tasks/" + temp, "temporary"},
		{"a temporary file among the proposals", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("plans"), temp), "")
		}, "plans/" + temp, "temporary"},
		{"a temporary file among the claims", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Live.Claims(), temp), "")
		}, "local/claims/" + temp, "temporary"},
		{"the state of a task that does not exist", func(t *testing.T, s *store.Store) {
			made := session.Progress{Status: "done", Worktree: s.Worktree, Entry: "0123"}
			putState(t, s, session.State{Ref: record.ID("PROJ-9").Ref(), Progress: []session.Progress{made}})
		}, "local/claims/PROJ-9.json", "PROJ-9 does not exist"},
		{"a state that says nothing", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.Live.Claim(proj1), `{"ref": {"kind": "task", "id": "PROJ-1"}}`)
		}, "local/claims/PROJ-1.json", "says nothing"},
		{"a state that cannot be read", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.Live.Claim(proj1), "{")
		}, "local/claims/PROJ-1.json", "cannot be read"},
		{"a heartbeat of a session that does not exist", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, s.Live.Heartbeat("ses-9"), `{"session": "ses-9"}`)
		}, "local/live/ses-9.json", "ses-9 does not exist"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			storetest.WantCode(t, s.MakeLive(), "")
			row.damage(t, s)
			problems, err := storetest.Verify(t.Context(), s)
			storetest.WantCode(t, err, "")
			if len(problems) != 1 || problems[0].Path != ".cairn/"+row.path || !strings.Contains(problems[0].Message, row.says) {
				t.Errorf("finds %+v", problems)
			}
		})
	}
}

// What lies on another branch, or in another worktree, is not missing.
func TestVerifyKnowsBranchesAndWorktrees(t *testing.T) {
	repo := storetest.NewRepo(t)
	here, there := storetest.NewAt(t, repo), storetest.NewAt(t, storetest.LinkWorktree(t, repo))
	a := storetest.NewActor(there, "agent:a")
	id, err := a.Create("In the other worktree")
	storetest.WantCode(t, err, "")
	_, err = a.Begin(id)
	storetest.WantCode(t, err, "")
	storetest.WantClean(t, here)
	storetest.WantClean(t, there)

	storetest.Git(t, there.Root, "add", ".")
	storetest.Git(t, there.Root, "commit", "-q", "-m", "work")
	storetest.Git(t, there.Root, "checkout", "-q", "-b", "elsewhere", "main")
	storetest.NewAt(t, there.Root)
	storetest.WantClean(t, here)
}

// putState keeps a state of a record.
func putState(t *testing.T, s *store.Store, state session.State) {
	t.Helper()
	storetest.WantCode(t, s.Put(state), "")
}

// Sweep takes away what it says it does, and nothing else: a write that was decided is brought to its end, and what a
// person has made of its file meanwhile stays.
func TestSweep(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.WantCode(t, s.MakeLive(), "")
	storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"), "torn")
	storetest.WriteFile(t, s.Live.Claim(proj1), "{")
	storetest.WriteFile(t, s.Live.Heartbeat("ses-9"), "{")
	killedAt(t, disk.Rename, storetest.TaskFile(s, "PROJ-2"), func() {
		_ = storetest.NewActor(s, "agent:a").Note("PROJ-2", "unheard")
	})
	broken := "---\nid: [\n---\n"
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), broken)
	wantLeftovers(t, s, 5) // with the temporary file of the note
	storetest.WantCode(t, s.Sweep(t.Context()), "")
	wantLeftovers(t, s, 0)
	if got := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-2")); got != broken {
		t.Errorf("what a person wrote became\n%s", got)
	}
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.WantOverwritten(t, s, "PROJ-2", "noted unheard")
}

func wantLeftovers(t *testing.T, s *store.Store, want int) {
	t.Helper()
	left, err := s.Leftovers(t.Context())
	storetest.WantCode(t, err, "")
	if len(left) != want {
		t.Errorf("got %d leftovers, want %d: %+v", len(left), want, left)
	}
}
