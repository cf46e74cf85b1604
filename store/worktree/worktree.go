package worktree

import (
	"context"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/filelock"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/trust"
	"github.com/cairn-tasks/cairn/task"
)

// Options say where work trees lie and what else is known about them.
type Options struct {
	Setting  string                  // worktrees of the config: the folder around all; "" for a folder beside the repository
	StateDir string                  // the state folder of the user, where it says whether the clone is trusted; "" if the caller has asked
	Driver   string                  // the command of the merge driver; "" for that of this program or, in others, the one that is installed
	Now      func() time.Time        // the clock; nil for that of the system
	Busy     func(id task.ID) string // why something works in the work tree of a task, such as "job job-… runs"; "" if nothing does
}

// Worktrees are the work trees of the tasks of one workspace.
type Worktrees struct {
	layout layout.Layout
	repo   *git.Repo
	o      Options
}

// Open returns the work trees of a workspace. It starts no process and writes nothing. It returns GIT outside a repository.
func Open(l layout.Layout, o Options) (*Worktrees, error) {
	if l.Repo == nil {
		return nil, task.Errorf(task.Git, "the workspace is not in a git repository, and work trees are git's").WithHint("git init makes it one")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Busy == nil {
		o.Busy = func(task.ID) string { return "" }
	}
	return &Worktrees{l, l.Repo, o}, nil
}

// Tree is the work tree of a task.
type Tree struct {
	Task       task.ID `json:"task"`
	Path       string  `json:"path"`        // its top
	Root       string  `json:"root"`        // the workspace in it: Path, or a folder in it
	Branch     string  `json:"branch"`      // short name
	Base       string  `json:"base"`        // the branch that its work goes to; short name
	BaseCommit string  `json:"base_commit"` // the commit that the work began at, or was rebased onto
}

// Branch is the name of the branch of a task.
func Branch(id task.ID) string { return "cairn/" + string(id) }

// tree is the work tree that a record tells of.
func (w *Worktrees) tree(m made) Tree {
	return Tree{Task: m.Task, Path: m.Path, Root: w.rootIn(m.Path), Branch: m.Branch, Base: m.Base, BaseCommit: m.BaseCommit}
}

// trusted reports whether programs that the clone's config names may be started.
func (w *Worktrees) trusted() bool {
	return w.o.StateDir == "" || trust.Trusted(w.layout, w.o.StateDir)
}

// mayWrite returns UNTRUSTED if the user has not let the commands of the clone run: what git does for a commit, a checkout or a merge starts
// the hooks, filters and drivers of its config.
func (w *Worktrees) mayWrite() error {
	if w.trusted() {
		return nil
	}
	return task.Errorf(task.Untrusted, "the commands of this clone were not approved on this machine, and git would run some").
		WithHint("read what its .git/config and hooks run; %s approves it", task.CallTo("trust"))
}

// lock takes a lock among the work trees of the clone: of a task, or of a base. The holder alone changes what the name stands for.
func (w *Worktrees) lock(ctx context.Context, name string) (release func(), err error) {
	if err := w.layout.MakeWorktrees(); err != nil {
		return nil, err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(w.layout.Live.Worktrees(), name+".lock"))
	if ctx.Err() != nil {
		return nil, task.Errorf(task.Busy, "another process works on %s for too long: %w", name, ctx.Err()).WithHint("try again later")
	}
	if err != nil {
		return nil, w.layout.Live.Failed(err)
	}
	return func() { _ = lock.Release() }, nil
}

// lockTask takes the lock of the work tree of a task.
func (w *Worktrees) lockTask(ctx context.Context, id task.ID) (release func(), err error) {
	return w.lock(ctx, "task-"+string(id))
}

// Fingerprint is the fingerprint of the tree of a commit or a branch, without what lies under .cairn: what an approval is bound to.
func (w *Worktrees) Fingerprint(ctx context.Context, rev string) (string, error) {
	return w.repo.Objects().Fingerprint(ctx, rev)
}

// Resolve returns the commit of a branch, a tag or another name; "" if there is none.
func (w *Worktrees) Resolve(ctx context.Context, rev string) (string, error) {
	return w.repo.Commit(ctx, rev)
}
