package worktree

import (
	"cmp"
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// How the work of a task goes into its base.
const (
	ByMerge  = "merge"  // a commit with two parents, also where a fast-forward would do
	BySquash = "squash" // one commit with all changes
	ByRebase = "rebase" // the commits again, on top of the base
)

// Merge says what is merged, and how.
type Merge struct {
	Base     string // short name of a local branch; "" for the one that the work tree was made for
	Strategy string // one of those above; "" is ByMerge
	Message  string // of the commit; "" for one that names the task

	// Gate is called once the work is merged in the throw-away work tree, and before it is committed. dir is the workspace there. It runs
	// what must pass, and may write under .cairn: that becomes part of the commit, or with ByRebase one more. Whatever else it changes there is
	// thrown away. If it fails, nothing is merged, and its error returns.
	Gate func(ctx context.Context, dir string) error

	// Records is called behind Gate with the paths under .cairn that are otherwise than they were merged, from the top of the work tree. If it
	// fails, nothing is merged, and its error returns. Commands that Gate ran may have written them. It may be nil.
	Records func(paths []string) error
}

// Merge merges the branch of a task into a base and returns the commit that the base then has. It is made in a work tree that is thrown
// away, in which Gate is asked; only then the base moves, and only forwards.
//
// Merges into one base wait for each other. If the base moves all the same, the merge is made and asked about once more, and then it is
// BASE_MOVED. It returns MERGE_CONFLICT with the files, BASE_DIRTY if the checkout that holds the base has changes in the way, CONFLICT
// if the work tree of the task has uncommitted changes (those under .cairn are committed first), INVALID_INPUT for a base that does not
// exist, and the error of Gate. In all these cases the base and the branch are as they were.
//
// A kill leaves the base as it was, or moved to what Gate has passed. The next merge into the base removes the work tree that was left.
func (w *Worktrees) Merge(ctx context.Context, t Tree, m Merge) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	m.Base, m.Strategy = cmp.Or(m.Base, t.Base), cmp.Or(m.Strategy, ByMerge)
	if m.Strategy != ByMerge && m.Strategy != BySquash && m.Strategy != ByRebase {
		return "", task.Errorf(task.InvalidInput, "strategy must be merge, squash or rebase, not %q", task.Clip(m.Strategy, 40))
	}
	if m.Base == t.Branch {
		return "", task.Errorf(task.InvalidInput, "%s cannot be merged into itself", t.Branch)
	}
	if err := w.repo.Identity(ctx); err != nil {
		return "", err
	}
	m.Message = cmp.Or(m.Message, "Merge "+t.Branch+" into "+m.Base)
	lock := "base-" + layout.Name(m.Base)
	release, err := w.lock(ctx, lock)
	if err != nil {
		return "", err
	}
	defer release()
	if err := w.sweep(ctx, lock); err != nil {
		return "", err
	}
	if err := w.commitRecords(ctx, t); err != nil {
		return "", err
	}
	commit, moved, err := w.mergeOnce(ctx, t, m, lock)
	if moved {
		commit, moved, err = w.mergeOnce(ctx, t, m, lock)
	}
	if moved {
		err = task.Errorf(task.BaseMoved, "%s moved twice while %s was being merged into it", m.Base, t.Task).WithHint("try again when it is quiet")
	}
	return commit, err
}

// merged is what goes into a base.
type merged struct {
	from    string   // the tip of the base that it was made on
	tree    string   // what was merged
	parents []string // of the commit that is to hold it
	done    bool     // it is a commit already: the only parent
}

// mergeOnce merges into the base as it is now. moved says that the base is not that any more.
func (w *Worktrees) mergeOnce(ctx context.Context, t Tree, m Merge, lock string) (commit string, moved bool, err error) {
	_, from, err := w.base(ctx, m.Base)
	if err != nil {
		return "", false, err
	}
	tip, err := w.tip(ctx, t)
	if err != nil {
		return "", false, err
	}
	holder, err := w.holder(ctx, m.Base)
	if err == nil && holder != nil {
		err = w.clean(ctx, holder, m.Base)
	}
	if err != nil {
		return "", false, err
	}
	begin := from
	if m.Strategy == ByRebase {
		begin = tip
	}
	s, err := w.newScratch(ctx, lock, begin)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = w.discard(ctx, s) }() // if it fails, the next merge does it
	made, err := w.mergeIn(ctx, s.Path, t, m, from, tip)
	if err != nil {
		return "", false, err
	}
	if m.Gate != nil {
		if err := m.Gate(ctx, w.rootIn(s.Path)); err != nil {
			return "", false, err
		}
	}
	if commit, err = w.seal(ctx, s.Path, made, m); err != nil || commit == from {
		return commit, false, err
	}
	return w.advance(ctx, m.Base, from, commit, "cairn: merge "+t.Branch)
}

// mergeIn merges in a work tree: from is the tip of the base, tip that of the branch.
func (w *Worktrees) mergeIn(ctx context.Context, top string, t Tree, m Merge, from, tip string) (merged, error) {
	with, err := w.merging(ctx)
	if err != nil {
		return merged{}, err
	}
	made := merged{from: from, parents: []string{from}}
	already, err := w.ancestor(ctx, tip, from)
	if err != nil {
		return made, err
	}
	switch {
	case already && m.Strategy != ByRebase:
	case m.Strategy == ByMerge:
		made.parents = append(made.parents, tip)
		_, err = with.Run(ctx, top, "merge", "--quiet", "--no-ff", "--no-commit", "--no-edit", "--no-verify", tip)
	case m.Strategy == BySquash:
		_, err = with.Run(ctx, top, "merge", "--quiet", "--squash", "--no-edit", tip)
	default:
		made.done = true
		_, err = with.Run(ctx, top, "rebase", "--quiet", "--no-autostash", "--no-verify", from)
	}
	if err != nil {
		return made, w.conflict(ctx, top, err, task.MergeConflict, t.Branch+" and "+m.Base+" conflict in",
			task.Hintf("%s puts it on the newest %s, or shows what to settle", task.CallTo("review_apply", "id", t.Task, "action", "rebase"), m.Base))
	}
	if made.done {
		if made.parents[0], err = w.headOf(ctx, top); err != nil {
			return made, err
		}
	}
	tree, err := git.Writing{}.Run(ctx, top, "write-tree")
	made.tree = strings.TrimSpace(string(tree))
	return made, err
}

// conflict is the error of a merge or rebase that failed in a work tree: one with the files in conflict, if there are any.
func (w *Worktrees) conflict(ctx context.Context, top string, failed error, code task.Code, what string, hint task.Hint) error {
	if git.Exited(failed) == 0 {
		return failed
	}
	files, err := conflicts(ctx, top)
	if err != nil || len(files) == 0 {
		return failed
	}
	return &task.Error{Code: code, Msg: what + " " + someOf(files), Hint: hint}
}

// headOf is the commit that is checked out in a work tree.
func (w *Worktrees) headOf(ctx context.Context, top string) (string, error) {
	out, err := git.Run(ctx, top, "rev-parse", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(string(out)), err
}

// seal makes the commit of what was merged and of what has changed under .cairn since. It returns the tip of the base if there is nothing to
// commit. What else was changed or staged meanwhile does not count.
func (w *Worktrees) seal(ctx context.Context, top string, m merged, asked Merge) (string, error) {
	there, err := w.opened(top)
	if err != nil {
		return "", err
	}
	if _, err := (git.Writing{}).Run(ctx, top, "read-tree", m.tree); err != nil {
		return "", err
	}
	records, _, err := w.changes(ctx, there)
	if err != nil {
		return "", err
	}
	if asked.Records != nil {
		if err := asked.Records(records); err != nil {
			return "", err
		}
	}
	tree := m.tree
	if len(records) > 0 {
		if _, err := (git.Writing{}).Run(ctx, top, append([]string{"add", "--all", "--"}, records...)...); err != nil {
			return "", err
		}
		out, err := git.Writing{}.Run(ctx, top, "write-tree")
		if err != nil {
			return "", err
		}
		tree = strings.TrimSpace(string(out))
	}
	if same, err := w.sameTree(ctx, m.parents[0], tree); err != nil || same && len(m.parents) == 1 {
		return m.parents[0], err
	}
	args := []string{"commit-tree", "-m", asked.Message}
	for _, parent := range m.parents {
		args = append(args, "-p", parent)
	}
	out, err := git.Writing{}.Run(ctx, top, append(args, tree)...)
	return strings.TrimSpace(string(out)), err
}

// sameTree reports whether a commit has a tree.
func (w *Worktrees) sameTree(ctx context.Context, commit, tree string) (bool, error) {
	out, err := git.Run(ctx, w.repo.Top, "rev-parse", "--verify", commit+"^{tree}")
	return strings.TrimSpace(string(out)) == tree, err
}

// changes lists the uncommitted changes of a work tree: the paths under the .cairn of this workspace, and the others.
func (w *Worktrees) changes(ctx context.Context, there *git.Repo) (records []string, others []git.Change, err error) {
	all, err := there.Changes(ctx, git.Looks{})
	if err != nil {
		return nil, nil, err
	}
	ours := layout.Layout{Root: w.rootIn(there.Top), Repo: there}.InRepo(layout.Folder) + "/"
	for _, c := range all {
		if strings.HasPrefix(c.Path, ours) {
			records = append(records, c.Path)
		} else {
			others = append(others, c)
		}
	}
	return records, others, nil
}

// commitRecords commits what is uncommitted under .cairn in the work tree of a task, if it is still as it was made. It returns CONFLICT
// if there are other uncommitted changes.
func (w *Worktrees) commitRecords(ctx context.Context, t Tree) error {
	if w.Verify(ctx, t) != nil {
		return nil // what counts is the branch
	}
	there, err := w.opened(t.Path)
	if err != nil {
		return err
	}
	records, others, err := w.changes(ctx, there)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return task.Errorf(task.Conflict, "the work tree of %s has changes that are not committed: %s", t.Task, someOf(pathsOf(others))).
			WithHint("commit them in %s, or take them back", t.Path)
	}
	if len(records) == 0 {
		return nil
	}
	return w.commitPaths(ctx, t.Path, "cairn: the record of "+string(t.Task), records...)
}

func pathsOf(changes []git.Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}
