package worktree

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// syncLock is the lock under which a sync makes its throw-away work tree.
const syncLock = "sync"

// merged is a commit that has what two commits have: one of them, if it contains the other, or else one that is made in
// a throw-away work tree. It returns MERGE_CONFLICT if they do not merge.
func (y *syncing) merged(ctx context.Context, ours, theirs string) (string, error) {
	if ours == "" {
		return theirs, nil
	}
	if has, err := y.repo.History().Contains(ctx, theirs, ours); has || err != nil {
		return theirs, err
	}
	if base, err := y.mergeBase(ctx, ours, theirs); err != nil || base == "" {
		return "", cmp.Or(err, y.unrelated())
	}
	if err := y.repo.Identity(ctx); err != nil {
		return "", err
	}
	release, err := y.acquire(ctx, syncLock)
	if err != nil {
		return "", err
	}
	defer release()
	within := scratches{clone: y.clone, lock: syncLock, empty: true}
	within.sweep(ctx)
	top, err := within.add(ctx, ours)
	if err != nil {
		return "", err
	}
	defer func() { _ = within.remove(ctx, top) }() // if it fails, the next sync does it
	tree, err := y.mergeIn(ctx, top, theirs)
	if err != nil {
		return "", err
	}
	message := "cairn: merge " + y.at.name()
	return answer(git.Writing{}.Run(ctx, y.repo.Top, "commit-tree", "-p", ours, "-p", theirs, "-m", message, tree))
}

func (y *syncing) unrelated() error {
	if y.repo.History().Shallow() {
		return record.Errorf(record.Git,
			"this clone is shallow, and lacks the commit where %s and %s parted", y.Branch, y.at.name()).
			WithHint("git fetch --unshallow %s, and try again", y.at.remote)
	}
	return record.Errorf(record.Git,
		"%s and %s have no commit in common, so one was not made from the other", y.Branch, y.at.name()).
		WithHint(
			"clone the repository, and copy what is in .cairn/tasks here to there; git merge --allow-unrelated-histories %s joins the two",
			y.at.name())
}

// mergeIn merges a commit into an empty work tree, and returns the tree that it made. Of all files only those are
// written that the merge changes, and the configs, by which the merge driver knows what closes a task.
func (y *syncing) mergeIn(ctx context.Context, top, theirs string) (tree string, err error) {
	if _, err := (git.Writing{}).Run(ctx, top, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	there, err := y.opened(top)
	if err != nil {
		return "", err
	}
	configs, err := there.Index("").Named(ctx, layout.Folder+"/"+layout.ConfigName)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, f := range configs {
		paths = append(paths, f.Path)
	}
	partial, err := y.repo.Partial(ctx) // what it lacks, the remote has
	if err != nil {
		return "", err
	}
	if _, err := (git.Writing{Input: list(paths), Network: partial}).Run(ctx, top, "checkout-index", "-z", "--stdin"); err != nil {
		return "", err
	}
	with, err := y.withDriver(ctx)
	if err != nil {
		return "", err
	}
	with.Network = partial
	_, err = with.Run(ctx, top, "merge", "--quiet", "--no-ff", "--no-commit", "--no-edit", "--no-verify", theirs)
	if err != nil {
		err = y.settle(ctx, there, err)
	}
	if err != nil {
		return "", err
	}
	return writeTree(ctx, top, "")
}
