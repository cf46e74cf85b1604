package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/session"
)

// A checker that finds nothing proves nothing, so everything that Verify looks for is put before it.
func TestVerifyFinds(t *testing.T) {
	const temp = ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"
	for _, row := range []struct {
		name   string
		damage func(t *testing.T, s *Store)
		path   string // of the problem, from .cairn
		says   string
	}{
		{"a session without its task", func(t *testing.T, s *Store) { handSession(t, s, "ses-1", "PROJ-9") }, "sessions/ses-1.yaml", "PROJ-9 does not exist"},
		{"the marker of a writer", func(t *testing.T, s *Store) { wantCode(t, s.setDirty(true), "") }, "local/write.dirty", "killed"},
		{"a temporary file among the tasks", func(t *testing.T, s *Store) { writeFile(t, filepath.Join(s.TasksDir(), temp), "") }, "tasks/" + temp, "temporary"},
		{"a temporary file among the claims", func(t *testing.T, s *Store) { writeFile(t, filepath.Join(s.Layout.Live, "claims", temp), "") }, "local/claims/" + temp, "temporary"},
		{"an announcement that nobody settled", func(t *testing.T, s *Store) {
			record(t, s, session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: session.Reach{Status: "done", Worktree: s.Worktree, Entry: "0123"}}})
		}, "local/claims/PROJ-1.json", "never settled"},
		{"a record of a task that does not exist", func(t *testing.T, s *Store) {
			record(t, s, session.Record{Task: "PROJ-9", Reaches: []session.Reach{{Status: "done", Worktree: s.Worktree, Entry: "0123"}}})
		}, "local/claims/PROJ-9.json", "PROJ-9 does not exist"},
		{"a record that says nothing", func(t *testing.T, s *Store) { record(t, s, session.Record{Task: "PROJ-1"}) }, "local/claims/PROJ-1.json", "says nothing"},
		{"a record that cannot be read", func(t *testing.T, s *Store) { writeFile(t, s.Layout.record("PROJ-1"), "{") }, "local/claims/PROJ-1.json", "cannot be read"},
		{"a heartbeat of a session that does not exist", func(t *testing.T, s *Store) {
			wantCode(t, s.writeJSON(s.heartbeat("ses-9"), session.Heartbeat{Session: "ses-9"}), "")
		}, "local/live/ses-9.json", "ses-9 does not exist"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStoreAt(t, t.TempDir())
			handWrite(t, s, "PROJ-1")
			wantCode(t, s.prepareLive(), "")
			row.damage(t, s)
			problems, err := s.Verify(t.Context())
			wantCode(t, err, "")
			if len(problems) != 1 || problems[0].Path != ".cairn/"+row.path || !strings.Contains(problems[0].Message, row.says) {
				t.Errorf("finds %+v", problems)
			}
		})
	}
}

// What lies on another branch, or in another worktree, is not missing.
func TestVerifyKnowsBranchesAndWorktrees(t *testing.T) {
	repo := newRepo(t)
	here, there := newStoreAt(t, repo), newStoreAt(t, linkWorktree(t, repo))
	a := newActor(there, "agent:a")
	id, err := a.create("In the other worktree")
	wantCode(t, err, "")
	_, err = a.begin(id)
	wantCode(t, err, "")
	verifyClean(t, here)
	verifyClean(t, there)

	runGit(t, there.Root, "add", ".")
	runGit(t, there.Root, "commit", "-q", "-m", "work")
	runGit(t, there.Root, "checkout", "-q", "-b", "elsewhere", "main")
	newStoreAt(t, there.Root)
	verifyClean(t, here)
}

func handSession(t *testing.T, s *Store, id, about string) {
	t.Helper()
	writeFile(t, s.session(id), "id: "+id+"\ntask: "+about+"\nactor: human:lee\nstatus: active\nstarted_at: 2026-06-21T10:00:00Z\n")
}

func record(t *testing.T, s *Store, r session.Record) {
	t.Helper()
	wantCode(t, s.writeJSON(s.Layout.record(r.Task), r), "")
}

// Sweep takes away what it says it does, and nothing else: a write that nobody can judge yet stays announced.
func TestSweep(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	handWrite(t, s, "PROJ-1")
	wantCode(t, s.prepareLive(), "")
	writeFile(t, filepath.Join(s.TasksDir(), ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"), "torn")
	writeFile(t, s.Layout.record("PROJ-1"), "{")
	writeFile(t, s.heartbeat("ses-9"), "{")
	writeFile(t, s.task("PROJ-2"), "---\nid: [\n---\n")
	announced := session.Record{Task: "PROJ-2", Intent: &session.Intent{Reach: session.Reach{Status: "done", Worktree: s.Worktree, Entry: "0123"}}}
	record(t, s, announced)
	wantCode(t, s.setDirty(true), "")
	wantLeftovers(t, s, 5)
	wantCode(t, s.Sweep(t.Context()), "")
	wantLeftovers(t, s, 1)
	if r := s.record("PROJ-2"); r == nil || r.Intent == nil {
		t.Error("the announcement is gone, and whether it came is not known")
	}
	handWrite(t, s, "PROJ-2")
	wantCode(t, s.Sweep(t.Context()), "")
	wantLeftovers(t, s, 0)
}

func wantLeftovers(t *testing.T, s *Store, want int) {
	t.Helper()
	left, err := s.Leftovers(t.Context())
	wantCode(t, err, "")
	if len(left) != want {
		t.Errorf("%d leftovers and not %d: %+v", len(left), want, left)
	}
}
