package worktree

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

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
