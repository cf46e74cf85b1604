package worktree

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// attempt is one try of a merge, in a throw-away work tree.
type attempt struct {
	merging
	from string // the tip of the base
	head string // the tip of the branch
	top  string // of the throw-away work tree

	merged  string   // the tree that the merge made
	parents []string // of the commit that is to have that tree
}

// run merges, asks the gate, and returns the commit that the base is to have: its tip if there is nothing to merge.
func (a *attempt) run(ctx context.Context) (string, error) {
	if err := a.merge(ctx); err != nil {
		return "", err
	}
	if a.asked.Gate != nil {
		if err := a.asked.Gate(ctx, a.rootIn(a.top)); err != nil {
			return "", err
		}
	}
	tree, err := a.withRecords(ctx)
	if err != nil {
		return "", err
	}
	return a.commitTree(ctx, tree)
}

// merge merges in the throw-away work tree, as was asked. It returns MERGE_CONFLICT with the files.
func (a *attempt) merge(ctx context.Context) error {
	with, err := a.withDriver(ctx)
	if err != nil {
		return err
	}
	already, err := a.isAncestor(ctx, a.head, a.from)
	if err != nil {
		return err
	}
	a.parents = []string{a.from}
	switch {
	case already && a.asked.Strategy != ByRebase:
	case a.asked.Strategy == ByMerge:
		a.parents = append(a.parents, a.head)
		_, err = with.Run(ctx, a.top, "merge", "--quiet", "--no-ff", "--no-commit", "--no-edit", "--no-verify", a.head)
	case a.asked.Strategy == BySquash:
		_, err = with.Run(ctx, a.top, "merge", "--quiet", "--squash", "--no-edit", a.head)
	default:
		_, err = with.Run(ctx, a.top, "rebase", "--quiet", "--no-autostash", "--no-verify", a.from)
	}
	if err != nil {
		return conflict(ctx, a.top, err, record.MergeConflict, a.tree.Branch+" and "+a.asked.Base+" conflict in",
			record.Hintf("%s puts it on the newest %s, or shows what to settle", record.CallTo("review_apply", "id", a.tree.Task, "action", "rebase"), a.asked.Base))
	}
	if a.asked.Strategy == ByRebase {
		if a.parents[0], err = headOf(ctx, a.top); err != nil {
			return err
		}
	}
	a.merged, err = writeTree(ctx, a.top, "")
	return err
}

// withRecords is the tree that was merged, with what has changed under .cairn since. What else was changed or staged
// does not count.
func (a *attempt) withRecords(ctx context.Context) (string, error) {
	there, err := opened(a.top)
	if err != nil {
		return "", err
	}
	if _, err := (git.Writing{}).Run(ctx, a.top, "read-tree", a.merged); err != nil {
		return "", err
	}
	records, _, err := a.uncommitted(ctx, there)
	if err != nil {
		return "", err
	}
	if a.asked.Records != nil {
		if err := a.asked.Records(records); err != nil {
			return "", err
		}
	}
	if len(records) == 0 {
		return a.merged, nil
	}
	if _, err := (git.Writing{}).Run(ctx, a.top, append([]string{"add", "--all", "--"}, records...)...); err != nil {
		return "", err
	}
	return writeTree(ctx, a.top, "")
}

// commitTree makes the commit of a tree. It returns the only parent if that has the tree already.
func (a *attempt) commitTree(ctx context.Context, tree string) (string, error) {
	if same, err := a.hasTree(ctx, a.parents[0], tree); err != nil || same && len(a.parents) == 1 {
		return a.parents[0], err
	}
	args := []string{"commit-tree", "-m", a.asked.Message}
	for _, parent := range a.parents {
		args = append(args, "-p", parent)
	}
	out, err := git.Writing{}.Run(ctx, a.top, append(args, tree)...)
	return strings.TrimSpace(string(out)), err
}
