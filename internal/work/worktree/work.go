package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// work is what was done for one task: its work tree, and the branch that is checked out there.
type work struct {
	*clone
	tree Tree
}

// on is the work in a work tree.
func (c *clone) on(t Tree) work { return work{c, t} }

// tip is the newest commit of the branch.
func (w work) tip(ctx context.Context) (string, error) {
	tip, err := w.branchTip(ctx, w.tree.Branch)
	if err == nil && tip == "" {
		err = record.Errorf(record.Conflict, "the branch %s of %s is not there any more", w.tree.Branch, w.tree.Task).
			WithHint("git reflog may still name its commits")
	}
	return tip, err
}

// Verify returns nil if a work tree is as it was made: its folder is there, it is a work tree of this clone, git's
// commands find its top from there, its branch is checked out, and that branch contains the commit that the work began
// at. Else a person has moved the work tree or uses it for something else, and nothing may work in it: it returns
// CONFLICT. It returns GIT if git cannot tell.
func (w *Worktrees) Verify(ctx context.Context, t Tree) error { return w.on(t).verify(ctx) }

func (w work) verify(ctx context.Context) error {
	there, err := opened(w.tree.Path)
	if err != nil {
		return record.Errorf(record.Conflict, "the work tree of %s is not at %s any more", w.tree.Task, w.tree.Path).
			WithHint("git worktree list shows where it is; %s tells what is known of it", record.CallTo("worktree_list"))
	}
	if !w.isOurs(there) {
		return w.changed("is not a work tree of this clone")
	}
	m, ok, err := w.records().read(w.tree.Task)
	if err != nil {
		return err
	}
	if !ok || m.Path != w.tree.Path || m.GitDir != layout.GitDirOf(there) {
		return w.changed("is not the one that was made for it")
	}
	head, err := there.Head(ctx)
	if err != nil {
		return err
	}
	if head.Branch != w.tree.Branch {
		return w.changed("has " + checkedOut(head) + " checked out, and not " + w.tree.Branch)
	}
	if top, err := there.TopLevel(ctx); err != nil || filepath.Clean(filepath.FromSlash(top)) != w.tree.Path {
		return w.changed("is not the work tree that git finds there, which is " + top)
	}
	if ok, err := w.isAncestor(ctx, w.tree.BaseCommit, head.Commit); err != nil || !ok {
		return w.changed("does not contain the commit that its work began at, " + short(w.tree.BaseCommit))
	}
	return nil
}

// changed is the error of a work tree that a person has changed.
func (w work) changed(what string) error {
	return record.Errorf(record.Conflict, "the work tree of %s, %s, %s", w.tree.Task, w.tree.Path, what).
		WithHint("what a person changed there is left alone; to go on, check out %s there again", w.tree.Branch)
}

// checkedOut names what is checked out.
func checkedOut(h git.Head) string {
	if h.Branch == "" {
		return "the commit " + short(h.Commit)
	}
	return h.Branch
}
