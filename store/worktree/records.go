package worktree

import (
	"context"

	"github.com/cairn-tasks/cairn/store/layout"
)

// CommitRecords commits what cairn wrote under .cairn in a work tree, and nothing else of what is uncommitted there: the checks of a task may have left
// files. Hooks do not run, as for every commit that holds records alone. It returns whether there was something to commit, and the errors of Verify.
func (w *Worktrees) CommitRecords(ctx context.Context, t Tree, message string) (committed bool, err error) {
	if err := w.Verify(ctx, t); err != nil {
		return false, err
	}
	before, err := w.tip(ctx, t)
	if err != nil {
		return false, err
	}
	there, err := w.opened(t.Path)
	if err != nil {
		return false, err
	}
	if err := w.commitPaths(ctx, t.Path, message, layout.Layout{Root: t.Root, Repo: there}.InRepo(layout.Folder)); err != nil {
		return false, err
	}
	after, err := w.tip(ctx, t)
	return after != before, err
}
