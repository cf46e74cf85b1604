package worktree

import (
	"context"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
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
