package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
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

// Standing is what is known of a recorded work tree, and why it stays.
type Standing struct {
	Tree
	Reasons []Reason `json:"reasons"` // why it is not removed; empty if it can be
}

// Reason is a reason why a work tree is not removed.
type Reason struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Forced  bool   `json:"forced,omitempty"` // force removes it nevertheless
}

// List lists the recorded work trees.
func (w *Worktrees) List(context.Context) ([]Standing, error) { return nil, nil }

// Remove removes the work tree of a task.
func (w *Worktrees) Remove(context.Context, task.ID, bool) error {
	return task.Errorf(task.Busy, "removal is not decided yet").WithHint("it stays")
}
