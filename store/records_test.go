package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// team is a clone with two worktrees: one on the branch main, where the task is open, and one on the branch other, where it
// was closed.
func team(t *testing.T) (here, there *Store) {
	t.Helper()
	repo := newRepo(t)
	here = newStoreAt(t, repo)
	handWrite(t, here, "PROJ-1")
	commitAll(t, here)
	there = reopen(t, linkWorktree(t, repo))
	wantCode(t, newActor(there, "human:lee").move("PROJ-1", "done"), "")
	return here, there
}

func commitAll(t testing.TB, s *Store) {
	t.Helper()
	runGit(t, s.Worktree, "add", "--all")
	runGit(t, s.Worktree, "commit", "-q", "--allow-empty", "-m", "work")
}

// A record is dropped when neither a worktree nor a branch of the clone lacks what it says, and not before.
func TestDropCaughtUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		do    func(t *testing.T, here, there *Store)
		drops bool
	}{
		{"another worktree lacks it", func(*testing.T, *Store, *Store) {}, false},
		{"another worktree lacks it, and it is committed", func(t *testing.T, _, there *Store) { commitAll(t, there) }, false},
		{"only a branch lacks it", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			runGit(t, here.Root, "branch", "old")
			runGit(t, here.Root, "merge", "-q", "other")
		}, false},
		{"every worktree has it, and no branch yet", func(t *testing.T, here, there *Store) {
			src, err := os.ReadFile(there.task("PROJ-1"))
			wantCode(t, err, "")
			writeFile(t, here.task("PROJ-1"), string(src))
		}, false},
		{"it was merged", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			runGit(t, here.Root, "merge", "-q", "other")
		}, true},
		{"it was merged, and its branch and worktree are gone", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			runGit(t, here.Root, "merge", "-q", "--squash", "other")
			commitAll(t, here)
			runGit(t, here.Root, "worktree", "remove", there.Root)
			runGit(t, here.Root, "branch", "-q", "-D", "other")
		}, true},
		{"it was merged, and somebody holds the task", func(t *testing.T, here, there *Store) {
			wantCode(t, newActor(there, "human:lee").move("PROJ-1", "in_progress"), "")
			wantCode(t, newActor(there, "human:lee").claim("PROJ-1"), "")
			commitAll(t, there)
			runGit(t, here.Root, "merge", "-q", "other")
		}, false},
		{"the task is broken in another worktree", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			runGit(t, here.Root, "merge", "-q", "other")
			writeFile(t, here.task("PROJ-1"), "---\nid: [\n---\n")
		}, false},
		{"a session that ended is active in another worktree", func(t *testing.T, here, there *Store) {
			handSession(t, there, "ses-1", "PROJ-1")
			record(t, here, session.Record{Task: "PROJ-1", Ended: []string{"ses-1"}})
		}, false},
		{"a session that ended is active on a branch", func(t *testing.T, here, there *Store) {
			handSession(t, there, "ses-1", "PROJ-1")
			commitAll(t, there)
			runGit(t, there.Root, "switch", "-q", "--detach", "main")
			record(t, here, session.Record{Task: "PROJ-1", Ended: []string{"ses-1"}})
		}, false},
		{"a session that ended is known nowhere", func(t *testing.T, here, _ *Store) {
			record(t, here, session.Record{Task: "PROJ-1", Ended: []string{"ses-1"}})
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			here, there := team(t)
			tt.do(t, here, there)
			dropped, err := here.DropCaughtUp(t.Context())
			wantCode(t, err, "")
			if (dropped == 1) != tt.drops || exists(here.Layout.record("PROJ-1")) == tt.drops {
				t.Errorf("%d dropped", dropped)
			}
		})
	}
}

// Outside git there is one file, which has it all.
func TestDropCaughtUpOutsideGit(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	wantCode(t, newActor(s, "human:lee").move("PROJ-1", "done"), "")
	dropped, err := s.DropCaughtUp(t.Context())
	wantCode(t, err, "")
	if dropped != 1 || exists(s.Layout.record("PROJ-1")) {
		t.Errorf("%d dropped", dropped)
	}
}

// A note, a claim that was let go, and a task that is new leave no record: nobody can be behind them.
func TestWhatCarriesNothingFurtherLeavesNoRecord(t *testing.T) {
	s := newStore(t)
	a := newActor(s, "agent:a")
	id, err := a.create("New")
	wantCode(t, err, "")
	wantCode(t, a.note(id, "x"), "")
	wantCode(t, a.claim(id), "")
	wantCode(t, a.release(id), "")
	if exists(s.Layout.record(id)) {
		t.Error("there is a record")
	}
}

// What a worktree waits for in vain is found by looking for it everywhere in the clone.
func TestStrandedRecords(t *testing.T) {
	t.Parallel()
	removeWorktree := func(t *testing.T, here, there *Store) {
		runGit(t, here.Root, "worktree", "remove", "--force", there.Root)
	}
	for _, tt := range []struct {
		name     string
		do       func(t *testing.T, here, there *Store)
		stranded bool
	}{
		{"the worktree has it", func(*testing.T, *Store, *Store) {}, false},
		{"the branch has it, and is checked out nowhere", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			removeWorktree(t, here, there)
		}, false},
		{"the branch has it, under another name", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			removeWorktree(t, here, there)
			runGit(t, here.Root, "branch", "-m", "other", "renamed")
		}, false},
		{"only a remote branch has it", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			removeWorktree(t, here, there)
			runGit(t, here.Root, "update-ref", "refs/remotes/origin/other", "other")
			runGit(t, here.Root, "branch", "-q", "-D", "other")
		}, false},
		{"it is stashed", func(t *testing.T, here, there *Store) {
			runGit(t, there.Root, "stash", "-q")
			removeWorktree(t, here, there)
		}, false},
		{"it is stashed below something else", func(t *testing.T, _, there *Store) {
			runGit(t, there.Root, "stash", "-q")
			writeFile(t, filepath.Join(there.Root, "file"), "")
			runGit(t, there.Root, "stash", "-q", "--include-untracked")
		}, false},
		{"it was merged", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			runGit(t, here.Root, "merge", "-q", "other")
		}, false},
		{"it may be in a file that is broken", func(t *testing.T, _, there *Store) {
			writeFile(t, there.task("PROJ-1"), "---\nid: [\n---\n")
		}, false},
		{"everybody has the task in that state", func(t *testing.T, here, there *Store) {
			closed := strings.Replace(taskText("PROJ-1"), "backlog", "done", 1)
			writeFile(t, here.task("PROJ-1"), closed)
			writeFile(t, there.task("PROJ-1"), closed)
		}, false},
		{"it was reset", func(t *testing.T, _, there *Store) { runGit(t, there.Root, "reset", "-q", "--hard") }, true},
		{"its worktree was removed before it was committed", removeWorktree, true},
		{"its worktree was deleted behind git's back", func(t *testing.T, _, there *Store) {
			if err := os.RemoveAll(there.Root); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"its branch was deleted unmerged", func(t *testing.T, here, there *Store) {
			commitAll(t, there)
			removeWorktree(t, here, there)
			runGit(t, here.Root, "branch", "-q", "-D", "other")
		}, true},
		{"it was committed without a branch", func(t *testing.T, _, there *Store) {
			runGit(t, there.Root, "switch", "-q", "--detach")
			commitAll(t, there)
			runGit(t, there.Root, "switch", "-q", "other")
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			here, there := team(t)
			tt.do(t, here, there)
			found, err := here.StrandedRecords(t.Context())
			wantCode(t, err, "")
			if stranded := len(found) == 1; stranded != tt.stranded {
				t.Fatalf("found %+v", found)
			}
			if tt.stranded && (found[0].Task != "PROJ-1" || found[0].Status != "done" || found[0].Branch != "other") {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// What is stranded keeps a task from being claimed, until it is dropped by name.
func TestDropRecord(t *testing.T) {
	here, there := team(t)
	runGit(t, there.Root, "reset", "-q", "--hard")
	wantCode(t, newActor(here, "agent:a").claim("PROJ-1"), task.Elsewhere)
	found, err := here.StrandedRecords(t.Context())
	wantCode(t, err, "")
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	wantCode(t, here.DropRecord(t.Context(), "PROJ-1", found[0].Entry), "")
	wantCode(t, here.DropRecord(t.Context(), "PROJ-1", found[0].Entry), task.NotFound)
	wantCode(t, newActor(here, "agent:a").claim("PROJ-1"), "")
	verifyClean(t, here)
}

// An announced write that a killed process left behind is settled by the file of the worktree that it was meant for, from
// whichever worktree the next write comes.
func TestSettleInAnotherWorktree(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, here, there *Store)
		want task.Code // of a claim by somebody else
	}{
		{"it came", func(*testing.T, *Store, *Store) {}, task.AlreadyClaimed},
		{"it never came", func(t *testing.T, _, there *Store) { runGit(t, there.Root, "checkout", "-q", "--", ".") }, ""},
		{"it came, and the branch was left since", func(t *testing.T, _, there *Store) {
			commitAll(t, there)
			runGit(t, there.Root, "switch", "-q", "--detach", "main")
		}, ""},
		{"it came, and the worktree was removed", func(t *testing.T, here, there *Store) {
			runGit(t, here.Root, "worktree", "remove", "--force", there.Root)
		}, ""},
		{"it came, and another clone lies there by now", func(t *testing.T, here, there *Store) {
			runGit(t, here.Root, "worktree", "remove", "--force", there.Root)
			runGit(t, here.Root, "clone", "-q", here.Root, there.Root)
		}, ""},
		{"it came, and its file was broken since", func(t *testing.T, _, there *Store) {
			writeFile(t, there.task("PROJ-1"), "---\nid: [\n---\n")
		}, task.AlreadyClaimed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo := newRepo(t)
			here := newStoreAt(t, repo)
			handWrite(t, here, "PROJ-1")
			handWrite(t, here, "PROJ-2")
			commitAll(t, here)
			there := reopen(t, linkWorktree(t, repo))
			wantCode(t, newActor(there, "agent:a").claim("PROJ-1"), "")
			announceAgain(t, there, "PROJ-1")
			tt.do(t, here, there)
			wantCode(t, newActor(here, "human:lee").note("PROJ-2", "the next write"), "")
			wantCode(t, newActor(here, "agent:b").claim("PROJ-1"), tt.want)
		})
	}
}

// announceAgain takes a claim back to where a process that is killed before it can settle it leaves it.
func announceAgain(t *testing.T, s *Store, id task.ID) {
	t.Helper()
	one, err := s.Get(id)
	wantCode(t, err, "")
	r := *s.record(id)
	reach := session.Reach{Status: one.Status, Branch: "other", Worktree: s.Worktree, Entry: one.Provenance.Last().Hash()}
	record(t, s, session.Record{Task: id, Intent: &session.Intent{Lease: r.Lease, Reach: reach, Rest: slices.Clone(r.Reaches)}})
	wantCode(t, s.setDirty(true), "")
}
