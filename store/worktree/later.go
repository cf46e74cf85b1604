package worktree

import (
	"context"

	"github.com/cairn-tasks/cairn/task"
)

// Merge says how the work of a task goes into its base.
type Merge struct {
	Base     string // short name of a local branch; "" for the one that the work tree was made for
	Strategy string // merge, squash or rebase; "" is merge
	Message  string // of the commit; "" for one that names the task
	// Gate is called in the throw-away work tree, with its top, once the work is merged there and before it is committed. It runs what
	// must pass, and may write under .cairn: that becomes part of the commit. If it fails, nothing is merged, and its error returns.
	Gate func(ctx context.Context, dir string) error
}

// Standing is what is known of a recorded work tree, and why it stays.
type Standing struct {
	Tree
	Reasons []Reason `json:"reasons"` // why it cannot be removed; empty if it can
}

// Reason is a reason why a work tree is not removed.
type Reason struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Forced  bool   `json:"forced,omitempty"` // removing it with force does so nevertheless
}

func later() error { return task.Errorf(task.Git, "this comes within the hour") }

// Apply applies a patch.
func (w *Worktrees) Apply(context.Context, Tree, []byte) error { return later() }

// List lists the work trees.
func (w *Worktrees) List(context.Context) ([]Standing, error) { return nil, later() }

// Remove removes the work tree of a task.
func (w *Worktrees) Remove(context.Context, task.ID, bool) error { return later() }

// Rebase rebases a branch.
func (w *Worktrees) Rebase(context.Context, Tree, string) error { return later() }

// Merge merges a branch.
func (w *Worktrees) Merge(context.Context, Tree, Merge) (string, error) { return "", later() }

// Push pushes a branch.
func (w *Worktrees) Push(context.Context, Tree, string) error { return later() }
