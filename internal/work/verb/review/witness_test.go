package review_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// A pass that the branch records for exactly its files was never earned: the merge runs the command.
func TestSlowMergeRunsTheChecksItself(t *testing.T) {
	slowtest.Skip(t)
	for _, strategy := range []string{"merge", "squash", "rebase"} {
		for name, closes := range map[string]bool{"an open task": false, "a task closed on its branch": true} {
			t.Run(name+", "+strategy, func(t *testing.T) {
				h := newHome(t)
				id := h.create(args{"title": "Add a roof", "checks": []args{check("roof", "tiles")}})
				tree := h.work(id, map[string]string{"roof": "tiles\n"})
				if closes {
					_, err := verbtest.Call[verb.Task](t, h.in(tree.Root).Workspace, "transition", args{"id": id, "to": "done"})
					h.wantCode(err, "")
				}
				h.git(tree.Path, "rm", "-qf", "roof")
				h.write(tree.Path, "straw", "straw\n")
				h.git(tree.Path, "add", "--all")
				h.git(tree.Path, "commit", "-qm", "straw will do")
				there := h.in(tree.Root).store()
				fingerprint := gates.Fingerprint(gates.WorkTree(t.Context(), there))
				storetest.Forge(t, there, kind.Tasks, id, func(now task.Task) task.Task {
					run := &task.Run{Results: []record.CheckResult{{Check: now.Checks[0].Key(id), Result: record.Pass}}, Tree: fingerprint, Commit: there.Head(t.Context()).Commit}
					now, _, _ = task.RecordRun(now, run, record.Stamp{Who: "agent:fake-1", At: time.Now()})
					return now
				})
				h.git(tree.Path, "commit", "-qam", "it passed")
				before := h.git(h.Dir, "rev-parse", "main")
				_, err := h.apply(id, "merge", args{"strategy": strategy})
				h.wantCode(err, record.ChecksFailed)
				if now := h.git(h.Dir, "rev-parse", "main"); now != before {
					t.Error("the base moved")
				}
			})
		}
	}
}

// What a reviewer said of the branch here is known, whatever became of the branch since: nothing is merged, approved or
// begun on it, until it is said again or its author approves the work.
func TestSlowVerdictsThatABranchHasLost(t *testing.T) {
	slowtest.Skip(t)
	for name, lose := range map[string]func(h home, tree worktree.Tree){
		"checked out": func(h home, tree worktree.Tree) {
			h.git(tree.Path, "checkout", "-q", "HEAD^", "--", ".cairn")
			h.git(tree.Path, "commit", "-qm", "tidy")
		},
		"reset":    func(h home, tree worktree.Tree) { h.git(tree.Path, "reset", "-q", "--hard", "HEAD^") },
		"reverted": func(h home, tree worktree.Tree) { h.git(tree.Path, "revert", "--no-edit", "HEAD") },
		"amended": func(h home, tree worktree.Tree) {
			h.git(tree.Path, "checkout", "-q", "HEAD^", "--", ".cairn")
			h.git(tree.Path, "commit", "-q", "--amend", "--allow-empty", "-m", "tidy")
		},
		"rebased away": func(h home, tree worktree.Tree) {
			h.git(tree.Path, "reset", "-q", "--hard", "main")
			h.write(tree.Path, "roof", "tiles\n")
			h.git(tree.Path, "add", "--all")
			h.git(tree.Path, "commit", "-qm", "once more")
		},
		"not committed": func(h home, tree worktree.Tree) {
			h.git(tree.Path, "reset", "-q", "--soft", "HEAD^")
			h.git(tree.Path, "checkout", "-q", "HEAD", "--", ".cairn")
		},
		"by hand": func(h home, tree worktree.Tree) {
			path := filepath.Join(tree.Root, ".cairn", "tasks", string(tree.Task)+".md")
			var kept []string
			for line := range strings.Lines(storetest.ReadFile(h.T, path)) {
				if !strings.Contains(line, "did: rejected") {
					kept = append(kept, line)
				}
			}
			storetest.WriteFile(h.T, path, strings.Join(kept, ""))
			h.git(tree.Path, "commit", "-qam", "tidy")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			id := h.create(args{"title": "Add a roof"})
			tree := h.work(id, map[string]string{"roof": "tiles\n"})
			h.git(tree.Path, "add", "--all")
			h.git(tree.Path, "commit", "-qm", "handed over")
			_, err := h.as("human:ann").apply(id, "reject", args{"text": "it leaks"})
			h.wantCode(err, "")
			h.git(tree.Path, "add", "--all")
			h.git(tree.Path, "commit", "-qm", "sent back")
			lose(h, tree)
			for _, action := range []string{"merge", "approve"} {
				_, err = h.apply(id, action, nil)
				h.wantCode(err, record.Conflict)
				if !strings.Contains(err.Error(), "it leaks") {
					t.Errorf("%s says %v", action, err)
				}
			}
			_, err = h.as("human:ann").apply(id, "approve", nil) // who said it may think better of it
			h.wantCode(err, "")
			if h.git(h.Dir, "status", "--porcelain") != "" { // the record here was the newest
				h.git(h.Dir, "commit", "-qam", "approved")
			}
			_, err = h.apply(id, "merge", nil)
			want := record.Code("")
			if slices.Contains([]string{"checked out", "reverted", "by hand"}, name) {
				want = record.ChecksFailed // a commit of the branch has the rejection, and a later one lacks it
			}
			h.wantCode(err, want)
		})
	}
}

// An approval that was withdrawn does not come back with the files of before.
func TestSlowAnApprovalThatWasWithdrawn(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "reviewer": "human:ann"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	ann := h.as("human:ann")
	_, err := ann.apply(id, "approve", nil)
	h.wantCode(err, "")
	h.git(tree.Path, "add", "--all")
	h.git(tree.Path, "commit", "-qm", "approved")
	_, err = verbtest.Call[verb.Task](t, ann.in(tree.Root).Workspace, "attest", args{"id": id, "check": "0", "pass": false, "text": "I looked again"})
	h.wantCode(err, "")
	h.git(tree.Path, "checkout", "-q", "HEAD", "--", ".cairn")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.Conflict)
	_, err = ann.apply(id, "reject", args{"text": "I looked again"}) // said once more it is in the record
	h.wantCode(err, "")
	_, err = h.apply(id, "merge", nil)
	if code := record.CodeOf(err); code == "" {
		t.Error("it was merged")
	}
}

// A verdict on an attempt that was given up is none on the next.
func TestSlowVerdictsOnAnotherAttempt(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof"})
	tree := h.work(id, map[string]string{"roof": "straw\n"})
	_, err := h.as("human:ann").apply(id, "reject", args{"text": "straw"})
	h.wantCode(err, "")
	h.git(tree.Path, "reset", "-q", "--hard", "main")
	if _, err := verbtest.Call[any](t, h.Workspace, "worktree_remove", args{"id": id, "force": true}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	tree, err = h.trees().Make(t.Context(), id, "", "")
	h.wantCode(err, "")
	h.write(tree.Path, "roof", "tiles\n")
	_, err = h.trees().Commit(t.Context(), tree, "tiles")
	h.wantCode(err, "")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, "")
}

// What a reviewer said of an attempt that is given up, and made of the task meanwhile, is in the task that is left.
func TestSlowVerdictsComeAlong(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof"})
	h.work(id, map[string]string{"roof": "straw\n"})
	_, err := h.as("human:ann").apply(id, "reject", args{"text": "It leaks"})
	h.wantCode(err, "")
	verbtest.Must(t, h.Workspace, "note", args{"id": id, "text": "Mind the chimney"})
	verbtest.Must(t, h.Workspace, "update", args{"id": id, "priority": "1"})
	if _, err := verbtest.Call[any](t, h.Workspace, "job_discard", args{"id": id}); err != nil {
		t.Fatal(err)
	}
	s, err := h.Open()
	h.wantCode(err, "")
	left, err := kind.Tasks.Get(s, id)
	h.wantCode(err, "")
	note := left.Provenance.Last().Text
	if !strings.Contains(note, "human:ann sent it back: It leaks") || !strings.Contains(note, "Mind the chimney") || left.Priority != 1 {
		t.Errorf("priority %d, and %q", left.Priority, note)
	}
}
