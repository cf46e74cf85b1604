package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Untouched reports whether nothing was done in a work tree: its branch is where it began, and nothing is uncommitted
// but files of the record for which own holds. It returns the errors of Verify.
func (w *Worktrees) Untouched(ctx context.Context, t Tree, own func(path string) bool) (bool, error) {
	_, untouched, err := w.leftovers(ctx, t, own)
	return untouched, err
}

// leftovers are the changes in a work tree in which nothing was done.
func (w *Worktrees) leftovers(ctx context.Context, t Tree, own func(path string) bool) (all []git.Change, untouched bool, err error) {
	there, err := w.on(t).verified(ctx)
	if err != nil {
		return nil, false, err
	}
	tip, err := w.on(t).tip(ctx)
	if err != nil || tip != t.BaseCommit {
		return nil, false, err
	}
	if _, others, err := w.uncommitted(ctx, there); err != nil || len(others) > 0 {
		return nil, false, err
	}
	all, err = there.Changes(ctx, git.Looks{})
	for _, c := range all {
		if err != nil || !own(c.Path) {
			return nil, false, err
		}
	}
	return all, true, err
}

// Forget takes back what is uncommitted of the record in a work tree in which nothing was done, so that it can be
// removed. It reports whether it did, and otherwise changes nothing. It returns the errors of Verify.
func (w *Worktrees) Forget(ctx context.Context, t Tree, own func(path string) bool) (bool, error) {
	if err := w.mayWrite(); err != nil {
		return false, err
	}
	all, untouched, err := w.leftovers(ctx, t, own)
	if err != nil || !untouched {
		return false, err
	}
	for _, c := range all {
		if c.Untracked {
			err = problem.IO(disk.RemoveFile(filepath.Join(t.Path, filepath.FromSlash(c.Path))))
		} else {
			_, err = git.Writing{}.Run(ctx, t.Path, "checkout", "--quiet", "HEAD", "--", c.Path)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
