package live_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

var proj1 = record.ID("PROJ-1").Ref()

// put keeps a state of a record.
func put(t *testing.T, s *store.Store, state session.State) {
	t.Helper()
	storetest.WantCode(t, s.Put(state), "")
}

// team is a clone with two worktrees: one on the branch main, where the task is open, and one on the branch other,
// where it was closed.
func team(t *testing.T) (here, there *store.Store) {
	t.Helper()
	repo := storetest.NewRepo(t)
	here = storetest.NewAt(t, repo)
	storetest.WriteTask(t, here, "PROJ-1")
	storetest.CommitAll(t, here)
	there = storetest.Open(t, storetest.LinkWorktree(t, repo))
	storetest.WantCode(t, storetest.NewActor(there, "human:lee").Move("PROJ-1", "done"), "")
	return here, there
}

// A state is dropped when neither a worktree nor a branch of the clone lacks what it says, and not before.
func TestSlowDropCaughtUp(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	for _, tt := range []struct {
		name  string
		do    func(t *testing.T, here, there *store.Store)
		drops bool
	}{
		{"another worktree lacks it", func(*testing.T, *store.Store, *store.Store) {}, false},
		{"another worktree lacks it, and it is committed", func(t *testing.T, _, there *store.Store) { storetest.CommitAll(t, there) }, false},
		{"only a branch lacks it", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "branch", "old")
			storetest.Git(t, here.Root, "merge", "-q", "other")
		}, false},
		{"every worktree has it, and no branch yet", func(t *testing.T, here, there *store.Store) {
			src, err := os.ReadFile(storetest.TaskFile(there, "PROJ-1"))
			storetest.WantCode(t, err, "")
			storetest.WriteFile(t, storetest.TaskFile(here, "PROJ-1"), string(src))
		}, false},
		{"it was merged", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "other")
		}, true},
		{"it was merged, and its branch and worktree are gone", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "--squash", "other")
			storetest.CommitAll(t, here)
			storetest.Git(t, here.Root, "worktree", "remove", there.Root)
			storetest.Git(t, here.Root, "branch", "-q", "-D", "other")
		}, true},
		{"it was merged, and somebody holds the task", func(t *testing.T, here, there *store.Store) {
			storetest.WantCode(t, storetest.NewActor(there, "human:lee").Move("PROJ-1", "in_progress"), "")
			storetest.WantCode(t, storetest.NewActor(there, "human:lee").Claim("PROJ-1"), "")
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "other")
		}, false},
		{"the task is broken in another worktree", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "other")
			storetest.WriteFile(t, storetest.TaskFile(here, "PROJ-1"), "---\nid: [\n---\n")
		}, false},
		{"it was merged, and the other worktree cannot be read", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "other")
			storetest.WriteFile(t, filepath.Join(there.Root, ".git"), "not for us")
		}, false},
		{"a session that ended is active in another worktree", func(t *testing.T, here, there *store.Store) {
			storetest.WriteSession(t, there, "ses-1", "PROJ-1")
			put(t, here, session.State{Ref: proj1, Ended: []string{"ses-1"}})
		}, false},
		{"a session that ended is active on a branch", func(t *testing.T, here, there *store.Store) {
			storetest.WriteSession(t, there, "ses-1", "PROJ-1")
			storetest.CommitAll(t, there)
			storetest.Git(t, there.Root, "switch", "-q", "--detach", "main")
			put(t, here, session.State{Ref: proj1, Ended: []string{"ses-1"}})
		}, false},
		{"a session that ended is known nowhere", func(t *testing.T, here, _ *store.Store) {
			put(t, here, session.State{Ref: proj1, Ended: []string{"ses-1"}})
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			here, there := team(t)
			tt.do(t, here, there)
			dropped, err := here.DropCaughtUp(t.Context())
			storetest.WantCode(t, err, "")
			if (dropped == 1) != tt.drops || layout.Exists(here.Live.Claim(proj1)) == tt.drops {
				t.Errorf("%d dropped", dropped)
			}
		})
	}
}

// Outside git there is one file, which has it all.
func TestDropCaughtUpOutsideGit(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Move("PROJ-1", "done"), "")
	dropped, err := s.DropCaughtUp(t.Context())
	storetest.WantCode(t, err, "")
	if dropped != 1 || layout.Exists(s.Live.Claim(proj1)) {
		t.Errorf("%d dropped", dropped)
	}
}

// A note, a claim that was let go, and a task that is new leave no state: nobody can be behind them.
func TestWhatCarriesNothingFurtherLeavesNoState(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	id, err := a.Create("New")
	storetest.WantCode(t, err, "")
	storetest.WantCode(t, a.Note(id, "x"), "")
	storetest.WantCode(t, a.Claim(id), "")
	storetest.WantCode(t, a.Release(id), "")
	if layout.Exists(s.Live.Claim(id.Ref())) {
		t.Error("there is a state")
	}
}

// What a worktree waits for in vain is found by looking for it everywhere in the clone.
func TestSlowStranded(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	removeWorktree := func(t *testing.T, here, there *store.Store) {
		storetest.Git(t, here.Root, "worktree", "remove", "--force", there.Root)
	}
	for _, tt := range []struct {
		name     string
		do       func(t *testing.T, here, there *store.Store)
		stranded bool
	}{
		{"the worktree has it", func(*testing.T, *store.Store, *store.Store) {}, false},
		{"the branch has it, and is checked out nowhere", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			removeWorktree(t, here, there)
		}, false},
		{"the branch has it, under another name", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			removeWorktree(t, here, there)
			storetest.Git(t, here.Root, "branch", "-m", "other", "renamed")
		}, false},
		{"only a remote branch has it", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			removeWorktree(t, here, there)
			storetest.Git(t, here.Root, "update-ref", "refs/remotes/origin/other", "other")
			storetest.Git(t, here.Root, "branch", "-q", "-D", "other")
		}, false},
		{"it is stashed", func(t *testing.T, here, there *store.Store) {
			storetest.Git(t, there.Root, "stash", "-q")
			removeWorktree(t, here, there)
		}, false},
		{"it is stashed below something else", func(t *testing.T, _, there *store.Store) {
			storetest.Git(t, there.Root, "stash", "-q")
			storetest.WriteFile(t, filepath.Join(there.Root, "file"), "")
			storetest.Git(t, there.Root, "stash", "-q", "--include-untracked")
		}, false},
		{"it was merged", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, here.Root, "merge", "-q", "other")
		}, false},
		{"it may be in a file that is broken", func(t *testing.T, _, there *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(there, "PROJ-1"), "---\nid: [\n---\n")
		}, false},
		{"everybody has the task in that state", func(t *testing.T, here, there *store.Store) {
			closed := strings.Replace(storetest.TaskText("PROJ-1"), "backlog", "done", 1)
			storetest.WriteFile(t, storetest.TaskFile(here, "PROJ-1"), closed)
			storetest.WriteFile(t, storetest.TaskFile(there, "PROJ-1"), closed)
		}, false},
		{"it was reset", func(t *testing.T, _, there *store.Store) { storetest.Git(t, there.Root, "reset", "-q", "--hard") }, false},
		{"its worktree was removed before it was committed", removeWorktree, true},
		{"its worktree was deleted behind git's back", func(t *testing.T, _, there *store.Store) {
			if err := os.RemoveAll(there.Root); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"its branch was deleted unmerged", func(t *testing.T, here, there *store.Store) {
			storetest.CommitAll(t, there)
			removeWorktree(t, here, there)
			storetest.Git(t, here.Root, "branch", "-q", "-D", "other")
		}, true},
		{"it was committed without a branch", func(t *testing.T, _, there *store.Store) {
			storetest.Git(t, there.Root, "switch", "-q", "--detach")
			storetest.CommitAll(t, there)
			storetest.Git(t, there.Root, "switch", "-q", "other")
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			here, there := team(t)
			tt.do(t, here, there)
			found, err := here.Stranded(t.Context())
			storetest.WantCode(t, err, "")
			if stranded := len(found) == 1; stranded != tt.stranded {
				t.Fatalf("found %+v", found)
			}
			if tt.stranded && (found[0].Ref != proj1 || found[0].Status != "done" || found[0].Branch != "other") {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// What is stranded keeps a task from being claimed, until it is dropped by name.
func TestDropProgress(t *testing.T) {
	here, there := team(t)
	storetest.Git(t, there.Root, "switch", "-q", "--detach", "--discard-changes", "main")
	storetest.Git(t, here.Root, "branch", "-q", "-D", "other")
	storetest.WantCode(t, storetest.NewActor(here, "agent:a").Claim("PROJ-1"), record.Elsewhere)
	found, err := here.Stranded(t.Context())
	storetest.WantCode(t, err, "")
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	storetest.WantCode(t, here.DropProgress(t.Context(), proj1, found[0].Entry), "")
	storetest.WantCode(t, here.DropProgress(t.Context(), proj1, found[0].Entry), record.NotFound)
	storetest.WantCode(t, storetest.NewActor(here, "agent:a").Claim("PROJ-1"), "")
	storetest.WantClean(t, here)
}

// Cleaning up what killed writers left drops such states too.
func TestSweepDropsWhatIsCaughtUp(t *testing.T) {
	t.Parallel()
	here, there := team(t)
	storetest.CommitAll(t, there)
	storetest.Git(t, here.Root, "merge", "-q", "other")
	for _, left := range []bool{false, true} {
		if left {
			storetest.WriteFile(t, filepath.Join(here.Live.Trash(), ".PROJ-9.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"), "left")
		}
		storetest.WantCode(t, here.Sweep(t.Context()), "")
		if layout.Exists(here.Live.Claim(proj1)) == left {
			t.Errorf("with a leftover %t: the state is there: %t", left, !left)
		}
	}
}
