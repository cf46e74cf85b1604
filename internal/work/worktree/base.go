package worktree

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// baseMove moves a base from one commit forward to another.
type baseMove struct {
	*clone
	base     string // short name
	from, to string // commits
	why      string // for git's log of the base
}

// run moves the base and returns the commit that it then has. moved says that it failed because the base was not at
// from any more.
func (m baseMove) run(ctx context.Context) (commit string, moved bool, err error) {
	held, err := m.holderOf(ctx, m.base)
	if err != nil {
		return "", false, err
	}
	if held != nil {
		err = m.forward(ctx, held)
	} else {
		_, err = git.Writing{}.Run(ctx, m.repo.Top, "update-ref", "-m", m.why, "refs/heads/"+m.base, m.to, m.from)
	}
	if err == nil {
		return m.to, false, nil
	}
	_, now, lookErr := m.clone.base(ctx, m.base)
	if now == m.to { // a hook failed, or git was killed, after the base had moved
		return m.to, false, nil
	}
	return "", lookErr == nil && now != m.from, err
}

// writePatience is how long a merge waits for other writes of records.
const writePatience = 10 * time.Second

// forward moves the base where it is checked out, and the files there with it. It holds the lock of cairn's writes, so
// that no record is written meanwhile.
func (m baseMove) forward(ctx context.Context, held *holder) error {
	lock, err := filelock.AcquireWithin(ctx, m.layout.Live.Lock(), writePatience)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return record.Errorf(record.Busy, "another process writes to the workspace for too long").WithHint("try again later")
	case err != nil:
		return m.layout.Live.Failed(err)
	}
	defer func() { _ = lock.Release() }()
	held.awaitGit(ctx)
	if err := held.mustBeClean(ctx); err != nil {
		return err
	}
	r := replacement{holder: held, from: m.from, to: m.to}
	if err := r.find(ctx); err != nil {
		return err
	}
	err = r.run(ctx)
	if err == nil {
		_, err = git.Writing{}.Run(ctx, held.Top, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-verify", m.to)
	}
	if err != nil {
		r.undo(context.WithoutCancel(ctx))
	}
	return err
}

// branchTip is the newest commit of a local branch; "" if there is no such branch.
func (c *clone) branchTip(ctx context.Context, branch string) (string, error) {
	return c.repo.Refs().Commit(ctx, "refs/heads/"+branch)
}

// base returns the short name of a local branch, and its tip. "" is the branch that is checked out here.
func (c *clone) base(ctx context.Context, name string) (base, tip string, err error) {
	if name == "" {
		if name, err = c.checkedOutHere(ctx); err != nil {
			return "", "", err
		}
	}
	name = strings.TrimPrefix(name, "refs/heads/")
	if tip, err = c.branchTip(ctx, name); err != nil {
		return "", "", err
	}
	if tip == "" {
		return "", "", record.Errorf(record.InvalidInput, "the clone has no branch %q that work could go to", record.Clip(name, 100)).
			WithHint("git branch lists those there are; git branch %s makes one", record.Clip(name, 100))
	}
	return name, tip, nil
}

// checkedOutHere is the branch that is checked out where the workspace lies. It returns INVALID_INPUT if no work can go
// to it.
func (c *clone) checkedOutHere(ctx context.Context) (string, error) {
	head, err := c.repo.Head(ctx)
	switch {
	case err != nil:
		return "", err
	case head.Branch == "":
		return "", record.Errorf(record.InvalidInput, "no branch is checked out here, so there is none that work could go to").
			WithHint("name a branch as base")
	case head.Commit == "":
		return "", record.Errorf(record.InvalidInput, "the branch %s has no commit yet", head.Branch).
			WithHint("git commit --allow-empty -m begin makes the first one")
	}
	return head.Branch, nil
}

// isAncestor reports whether a commit is another one, or an ancestor of it.
func (c *clone) isAncestor(ctx context.Context, commit, of string) (bool, error) {
	_, err := git.Run(ctx, c.repo.Top, "merge-base", "--is-ancestor", commit, of)
	if git.Exited(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// hasTree reports whether the tree of a commit is the given one.
func (c *clone) hasTree(ctx context.Context, commit, tree string) (bool, error) {
	out, err := git.Run(ctx, c.repo.Top, "rev-parse", "--verify", commit+"^{tree}")
	return strings.TrimSpace(string(out)) == tree, err
}

// blobs reads files of commits by names as git takes them, such as COMMIT:PATH or an id; nil for one that does not
// exist.
func (c *clone) blobs(ctx context.Context, names ...string) ([][]byte, error) {
	found := make([][]byte, len(names))
	err := c.repo.Objects().Blobs(ctx, names, maxRecord, func(i int, b git.Blob) { found[i] = b.Content })
	return found, err
}

// headOf is the commit that is checked out in a work tree.
func headOf(ctx context.Context, top string) (string, error) {
	out, err := git.Run(ctx, top, "rev-parse", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(string(out)), err
}

// writeTree stores what is staged in a work tree as a tree, and returns its id. index is the path of another index, or
// "".
func writeTree(ctx context.Context, top, index string) (string, error) {
	out, err := git.Writing{Index: index}.Run(ctx, top, "write-tree")
	return strings.TrimSpace(string(out)), err
}

func short(commit string) string { return commit[:min(12, len(commit))] }
