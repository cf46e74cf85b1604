package verbtest

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// CommitAll commits what is there in a repository that PrepareJobs made.
func CommitAll(t testing.TB, w *verb.Workspace) {
	t.Helper()
	storetest.Identify(t, w.Dir)
	storetest.Git(t, w.Dir, "add", "--all")
	storetest.Git(t, w.Dir, "commit", "-q", "-m", "work")
}

// MoveToBranch commits the tasks on a new branch of a repository that PrepareJobs made, and takes them away here.
func MoveToBranch(t testing.TB, w *verb.Workspace, branch string) {
	t.Helper()
	storetest.Identify(t, w.Dir)
	storetest.Git(t, w.Dir, "switch", "-q", "-c", branch)
	storetest.Git(t, w.Dir, "add", ".cairn/tasks")
	storetest.Git(t, w.Dir, "commit", "-q", "-m", "tasks")
	storetest.Git(t, w.Dir, "switch", "-q", "main")
}

// MakeWorktree commits what is there in a repository that PrepareJobs made, and makes the work tree of a task, which
// holds nothing that is not committed and merged.
func MakeWorktree(t testing.TB, w *verb.Workspace, id record.ID) worktree.Tree {
	t.Helper()
	CommitAll(t, w)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	trees, err := worktree.Open(s.Layout, worktree.Options{Setting: s.Config.Worktrees})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trees.Make(t.Context(), id, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
