package worktree

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// add has git make the work tree, on a new branch or on the one that exists.
func (k *making) add(ctx context.Context) error {
	tip, err := k.branchTip(ctx, k.Branch)
	if err != nil {
		return err
	}
	if tip == "" {
		_, err = git.Writing{}.Run(ctx, k.repo.Top, "worktree", "add", "--quiet", "--no-track", "-b", k.Branch, k.Path, k.BaseCommit)
	} else {
		err = k.addTaken(ctx, tip)
	}
	if err != nil {
		return err
	}
	there, err := opened(k.Path)
	if err != nil {
		return err
	}
	k.GitDir = layout.GitDirOf(there)
	return k.save()
}

// addTaken makes the work tree of a branch that exists, with its tip. If the branch cannot be moved forward to the
// commit that was asked for, the work begins where the two part.
func (k *making) addTaken(ctx context.Context, tip string) error {
	k.Taken = true
	if err := k.save(); err != nil {
		return err
	}
	if err := k.notElsewhere(ctx); err != nil {
		return err
	}
	if _, err := (git.Writing{}).Run(ctx, k.repo.Top, "worktree", "add", "--quiet", k.Path, k.Branch); err != nil {
		return err
	}
	behind, err := k.isAncestor(ctx, tip, k.BaseCommit)
	if err != nil {
		return err
	}
	if behind {
		_, err := git.Writing{}.Run(ctx, k.Path, "merge", "--quiet", "--ff-only", k.BaseCommit)
		return err
	}
	bases, err := k.repo.History().MergeBases(ctx, tip, k.BaseCommit)
	if err != nil {
		return err
	}
	if len(bases) == 0 {
		return record.Errorf(record.Conflict, "the branch %s has nothing in common with %s", k.Branch, k.Base).WithHint("rename that branch")
	}
	k.BaseCommit = bases[0]
	return nil
}

// notElsewhere returns CONFLICT if the branch is checked out in another work tree.
func (k *making) notElsewhere(ctx context.Context) error {
	all, err := k.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Branch != "refs/heads/"+k.Branch {
			continue
		}
		if path := filepath.FromSlash(other.Path); !layout.Exists(path) {
			return record.Errorf(record.Conflict, "git has the branch %s checked out in %s, whose folder is gone", k.Branch, path).
				WithHint("if it was moved, git worktree repair NEW-PATH; if it was deleted, git worktree remove %s", path)
		}
		return record.Errorf(record.Conflict, "the branch %s is checked out in %s", k.Branch, other.Path).
			WithHint("that work tree is a person's; switch it to another branch, or rename the branch")
	}
	return nil
}

// undo takes away a work tree that was not made to the end. No caller was ever given it.
func (k *making) undo(ctx context.Context) error {
	there, err := opened(k.Path)
	ours := err == nil && k.isOurs(there)
	if layout.Exists(k.Path) && !ours {
		return record.Errorf(record.Conflict, "%s is there, and is no work tree of this clone", k.Path).WithHint("see what it is, and move it away")
	}
	if ours {
		if live, err := inside(k.Path); err != nil || len(live) > 0 {
			return record.Errorf(record.Busy, "%s was begun and not finished, and %s", k.Path, liveness(live, err)).WithHint("try again when it has ended")
		}
		if _, err := (git.Writing{}).Run(ctx, k.repo.Top, "worktree", "remove", "--force", "--force", k.Path); err != nil {
			return err
		}
	}
	if !k.Taken {
		if err := k.dropBranch(ctx); err != nil {
			return err
		}
	}
	return k.records().forget(k.Task)
}

// dropBranch deletes the branch that was made for the work tree, unless it holds more than the commit that the work was
// to begin at and the one that brought the records of the task there.
func (k *making) dropBranch(ctx context.Context) error {
	tip, err := k.branchTip(ctx, k.Branch)
	if err != nil || tip == "" {
		return err
	}
	since, err := k.repo.History().Between(ctx, k.BaseCommit, tip, 3)
	if err != nil || len(since) > 1 {
		return err
	}
	for _, commit := range since {
		paths, err := k.repo.NumStat(ctx, k.BaseCommit, commit)
		if err != nil || slices.ContainsFunc(paths, func(l git.Lines) bool { return !git.Ours(l.Path) }) {
			return err
		}
	}
	return k.deleteBranch(ctx, k.Branch, tip)
}
