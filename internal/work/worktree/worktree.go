package worktree

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Options say where work trees lie and what else is known about them.
type Options struct {
	Setting  string                    // worktrees of the config: the folder around all; "" for a folder beside the repository
	StateDir string                    // the state folder of the user, where it says whether the clone is trusted; "" if the caller has asked
	Driver   string                    // the command of the merge driver; "" for that of this program or, in others, the one that is installed
	Now      func() time.Time          // the clock; nil for that of the system
	Busy     func(id record.ID) string // why something works in the work tree of a task, such as "job job-… runs"; "" if nothing does
}

// Worktrees are the work trees of the tasks of one workspace.
type Worktrees struct{ *clone }

// Open returns the work trees of a workspace. It starts no process and writes nothing. It returns GIT outside a
// repository.
func Open(l layout.Layout, o Options) (*Worktrees, error) {
	if l.Repo == nil {
		return nil, record.Errorf(record.Git, "the workspace is not in a git repository, and work trees are git's").WithHint("git init makes it one")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Busy == nil {
		o.Busy = func(record.ID) string { return "" }
	}
	return &Worktrees{&clone{l, l.Repo, o}}, nil
}

// Tree is the work tree of a task.
type Tree struct {
	Task       record.ID `json:"task"`
	Path       string    `json:"path"`        // its top
	Root       string    `json:"root"`        // the workspace in it: Path, or a folder in it
	Branch     string    `json:"branch"`      // short name
	Base       string    `json:"base"`        // the branch that its work goes to; short name
	BaseCommit string    `json:"base_commit"` // the commit that the work began at, or was rebased onto
}

// Branch is the name of the branch of a task.
func Branch(id record.ID) string { return "cairn/" + string(id) }

// Find returns the work tree that is recorded for a task, and false if none is. It runs no git; Verify tells whether it
// is still there.
func (w *Worktrees) Find(_ context.Context, id record.ID) (Tree, bool, error) {
	m, ok, err := w.records().read(id)
	if err != nil || !ok || !m.Ready || m.Removing != "" {
		return Tree{}, false, err
	}
	return w.treeOf(m), true, nil
}

// Fingerprint is the fingerprint of the tree of a commit or a branch, without what lies under .cairn: what an approval
// is bound to.
func (w *Worktrees) Fingerprint(ctx context.Context, rev string) (string, error) {
	return w.repo.Objects().Fingerprint(ctx, rev)
}

// Resolve returns the commit of a branch, a tag or another name; "" if there is none.
func (w *Worktrees) Resolve(ctx context.Context, rev string) (string, error) {
	return w.repo.Commit(ctx, rev)
}
