package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Find returns the work tree that is recorded for a task, and false if none is. It runs no git; Verify tells whether it is still there.
func (w *Worktrees) Find(_ context.Context, id task.ID) (Tree, bool, error) {
	m, ok, err := w.read(id)
	if err != nil || !ok || !m.Ready || m.Removing != "" {
		return Tree{}, false, err
	}
	return w.tree(m), true, nil
}

// Verify returns nil if a work tree is as it was made: its folder is there, it is a work tree of this clone, git's commands find its top
// from there, its branch is checked out, and the commit that its work began at is among the branch's. Else it returns CONFLICT, or GIT if
// git cannot tell: a person has moved it, or uses it for something else, and it is not to be worked in.
func (w *Worktrees) Verify(ctx context.Context, t Tree) error {
	there, err := w.opened(t.Path)
	if err != nil {
		return task.Errorf(task.Conflict, "the work tree of %s is not at %s any more", t.Task, t.Path).
			WithHint("git worktree list shows where it is; %s tells what is known of it", task.CallTo("worktree_list"))
	}
	if !there.Linked() || there.CommonDir != w.repo.CommonDir {
		return theirs(t, "is not a work tree of this clone")
	}
	m, ok, err := w.read(t.Task)
	if err != nil {
		return err
	}
	if !ok || m.Path != t.Path || m.GitDir != layout.GitDirOf(there) {
		return theirs(t, "is not the one that was made for it")
	}
	head, err := there.Head(ctx)
	if err != nil {
		return err
	}
	if head.Branch != t.Branch {
		return theirs(t, "has "+checkedOut(head)+" checked out, and not "+t.Branch)
	}
	if top, err := there.TopLevel(ctx); err != nil || filepath.Clean(filepath.FromSlash(top)) != t.Path {
		return theirs(t, "is taken by git for "+top)
	}
	if ok, err := w.ancestor(ctx, t.BaseCommit, head.Commit); err != nil || !ok {
		return theirs(t, "does not contain the commit that its work began at, "+short(t.BaseCommit))
	}
	return nil
}

func theirs(t Tree, why string) error {
	return task.Errorf(task.Conflict, "the work tree of %s, %s, %s", t.Task, t.Path, why).
		WithHint("what a person changed there is left alone; to go on, check out %s there again", t.Branch)
}

// checkedOut names what is checked out.
func checkedOut(h git.Head) string {
	if h.Branch == "" {
		return "the commit " + short(h.Commit)
	}
	return h.Branch
}

func short(commit string) string { return commit[:min(12, len(commit))] }
