package review_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// away is a task whose files are in another repository, with a branch there that has a roof.
func away(t *testing.T, h home, checks ...args) (record.ID, string, *worktree.Worktrees, worktree.Tree) {
	t.Helper()
	other := storetest.RealPath(t, storetest.NewRepo(t))
	h.git(other, "commit", "--allow-empty", "-qm", "begin")
	rel, err := filepath.Rel(h.Dir, other)
	if err != nil {
		t.Fatal(err)
	}
	h.write(h.Dir, ".cairn/config.yaml", "repos:\n  - {name: web, path: '"+filepath.ToSlash(rel)+"'}\n")
	files, err := h.store().Files(task.Task{Repo: "web"})
	if err == nil {
		err = files.Trust("human:lee", h.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	id := h.create(args{"title": "Add a roof", "repo": "web", "checks": checks})
	verbtest.ApproveAll(t, h.Workspace)
	trees, err := work.TreesOf(h.store(), h.here(id), h.Now)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trees.Make(t.Context(), id, "", "")
	if err != nil {
		t.Fatal(err)
	}
	h.write(tree.Path, "roof", "tiles\n")
	if _, err := trees.Commit(t.Context(), tree, "a roof"); err != nil {
		t.Fatal(err)
	}
	return id, other, trees, tree
}

// A merge into another repository that was cut off before the task was closed is closed by the same call.
func TestSlowAMergeElsewhereThatWasCutOffIsClosed(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id, other, trees, tree := away(t, h, check("roof", "tiles"))
	merged, err := trees.Merge(t.Context(), tree, worktree.Merge{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.apply(id, "merge", nil)
	if err != nil || out.MergedCommit != merged || h.here(id).Status != "done" {
		t.Errorf("merged %+v, %s: %v", out, h.here(id).Status, err)
	}
	if status := h.git(other, "status", "--porcelain"); status != "" {
		t.Errorf("the checkout there is not clean:\n%s", status)
	}
}

// A merge that was cut off before the close, and whose files have changed in the base since, merges nothing twice and
// conflicts with nothing: the same call closes the task.
func TestSlowAMergeElsewhereThatWasCutOffAndConflictsSinceIsClosed(t *testing.T) {
	slowtest.Skip(t)
	for _, strategy := range []string{worktree.BySquash, worktree.ByRebase} {
		t.Run(strategy, func(t *testing.T) {
			h := newHome(t)
			id, other, trees, tree := away(t, h, check("roof", "slate"))
			h.git(other, "commit", "--allow-empty", "-qm", "meanwhile")
			if _, err := trees.Merge(t.Context(), tree, worktree.Merge{Strategy: strategy}); err != nil {
				t.Fatal(err)
			}
			h.write(other, "roof", "slate\n")
			h.git(other, "commit", "-qam", "a better roof")
			before := h.git(other, "rev-parse", "main")
			_, err := h.apply(id, "merge", args{"strategy": strategy})
			h.wantCode(err, "")
			if now := h.git(other, "rev-parse", "main"); now != before || h.here(id).Status != "done" {
				t.Errorf("main there is at %s, was %s; the task is %s", now, before, h.here(id).Status)
			}
		})
	}
}

// A check that fails on what is merged into another repository leaves its base as it was, and the task open.
func TestSlowARefusedMergeElsewhereChangesNothing(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id, other, trees, tree := away(t, h, check("roof", "tiles"), args{"desc": "no door", "cmd": "test ! -e door"})
	before := h.git(other, "rev-parse", "main")
	h.write(tree.Path, "door", "wood\n")
	if _, err := trees.Commit(t.Context(), tree, "a door"); err != nil {
		t.Fatal(err)
	}
	_, err := h.apply(id, "merge", nil)
	h.wantCode(err, "CHECKS_FAILED")
	if !strings.Contains(err.Error(), "no door") {
		t.Errorf("it does not say which check failed: %v", err)
	}
	if now := h.git(other, "rev-parse", "main"); now != before || h.here(id).Status == "done" {
		t.Errorf("main there is at %s, was %s; the task is %s", now, before, h.here(id).Status)
	}
}

// held is a check that passes once a file is there, and says by another file that it runs.
func held(t *testing.T) (check args, runs func(), release func()) {
	t.Helper()
	dir := storetest.RealPath(t, t.TempDir())
	began, pass := filepath.ToSlash(filepath.Join(dir, "began")), filepath.ToSlash(filepath.Join(dir, "pass"))
	runs = func() {
		t.Helper()
		for range 200 {
			if _, err := os.Stat(began); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error("the check does not run")
	}
	release = func() { storetest.WriteFile(t, pass, "") }
	return args{"desc": "held", "cmd": "touch " + began + "; until test -e " + pass + "; do sleep 0.05; done; rm " + began + " " + pass}, runs, release
}

// What is said of the work while its merge is tested is asked again before the base moves, in this repository and in
// another: it is not merged past a rejection that came meanwhile.
func TestSlowARejectionDuringAMerge(t *testing.T) {
	slowtest.Skip(t)
	for _, there := range []bool{false, true} {
		t.Run(map[bool]string{false: "here", true: "in another repository"}[there], func(t *testing.T) {
			h := newHome(t)
			check, runs, release := held(t)
			repo := h.Dir
			var id record.ID
			if there {
				id, repo, _, _ = away(t, h, check)
			} else {
				id = h.create(args{"title": "Add a roof", "checks": []args{check}})
				release()
				h.work(id, map[string]string{"roof": "tiles\n"})
			}
			before := h.git(repo, "rev-parse", "main")
			refused := make(chan error)
			go func() { _, err := h.apply(id, "merge", nil); refused <- err }()
			runs()
			_, err := h.as("human:ann").apply(id, "reject", args{"text": "it leaks"})
			release()
			h.wantCode(err, "")
			err = <-refused
			h.wantCode(err, record.Conflict)
			if !strings.Contains(err.Error(), "rejected by human:ann") {
				t.Errorf("the refusal is %v", err)
			}
			if now := h.git(repo, "rev-parse", "main"); now != before {
				t.Errorf("the base is at %s, was %s", now, before)
			}
		})
	}
}

// A rejection that the record has lost stops a merge in another repository too.
func TestSlowALostRejectionElsewhere(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id, _, _, _ := away(t, h)
	_, err := h.as("human:ann").apply(id, "reject", args{"text": "it leaks"})
	h.wantCode(err, "")
	h.git(h.Dir, "checkout", "-q", ".cairn")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, record.Conflict)
	if !strings.Contains(err.Error(), "it leaks") {
		t.Errorf("the refusal is %v", err)
	}
}

// A branch in another repository that changes what is of a workspace there is not merged: a link, or in a subfolder.
func TestSlowNoWorkspaceIsMergedElsewhere(t *testing.T) {
	slowtest.Skip(t)
	for _, name := range []string{".cairn", "sub/.cairn/config.yaml"} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			id, _, trees, tree := away(t, h)
			h.write(tree.Path, name, "prefix: X\n")
			if _, err := trees.Commit(t.Context(), tree, "more"); err != nil {
				t.Fatal(err)
			}
			_, err := h.apply(id, "merge", nil)
			h.wantCode(err, record.ChecksFailed)
			if !strings.Contains(err.Error(), name) {
				t.Errorf("the refusal is %v", err)
			}
		})
	}
}
