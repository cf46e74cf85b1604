package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// removedPath is where a work tree is moved to before it is removed.
func removedPath(path string) string {
	return filepath.Join(filepath.Dir(path), ".removed-"+filepath.Base(path))
}

// Remove removes the work tree of a task, and its branch if the base has all its commits. With force, what is in no commit is deleted too; no
// other reason to stay is skipped. Of a work tree whose folder is gone only the record is removed: if git does not know it any more either,
// or with force.
//
// It returns NOT_FOUND if none is recorded, and CONFLICT with all reasons if it stays; BUSY if the only ones are that something works there.
//
// The folder is moved aside first and looked at again, so that what was written between the look and the removal is found. A kill leaves
// the work tree as it was, or a rest that the next call removes.
func (w *Worktrees) Remove(ctx context.Context, id task.ID, force bool) error {
	if err := w.mayWrite(); err != nil {
		return err
	}
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	m, ok, err := w.read(id)
	if err != nil {
		return err
	}
	if !ok {
		return task.Errorf(task.NotFound, "no work tree is recorded for %s", id).WithHint("%s lists those there are", task.CallTo("worktree_list"))
	}
	if !m.Ready {
		return w.undo(ctx, m)
	}
	if m.Removing != "" {
		if m, ok, err = w.settle(ctx, m); err != nil || !ok {
			return err
		}
	}
	reasons := w.look(ctx, m, m.Path, git.Looks{Ignored: true})
	if len(reasons) == 1 && reasons[0].Why == Gone && (force || w.forgotten(m)) {
		return w.forget(id) // its branch, and what git knows of it, stay
	}
	if err := stays(m, reasons, force); err != nil {
		return err
	}
	return w.takeAway(ctx, m, force)
}

// forgotten reports whether neither a folder nor git knows of a work tree any more.
func (w *Worktrees) forgotten(m made) bool {
	return layout.Exists(filepath.Dir(m.Path)) && !layout.Exists(filepath.Join(w.repo.CommonDir, filepath.FromSlash(m.GitDir)))
}

// stays returns the error of a work tree that is not removed for some reasons.
func stays(m made, reasons []Reason, force bool) error {
	if force {
		reasons = slices.DeleteFunc(slices.Clone(reasons), Reason.Forced)
	}
	if len(reasons) == 0 {
		return nil
	}
	code, said := task.Busy, make([]string, len(reasons))
	forcible := true
	for i, r := range reasons {
		said[i], forcible = r.Message, forcible && r.Forced()
		if r.Why != Live && r.Why != Busy && r.Why != Locked {
			code = task.Conflict
		}
	}
	again := task.CallTo("worktree_list", "id", m.Task)
	e := task.Errorf(code, "the work tree of %s, %s, stays: %s", m.Task, m.Path, strings.Join(said, "; "))
	switch {
	case forcible:
		return e.WithHint("commit what is worth keeping; %s deletes the rest", task.CallTo("worktree_remove", "id", m.Task, "force", true).OnlyShown()).WithNext(again)
	case code == task.Busy:
		return e.WithHint("try again when that has ended")
	case slices.ContainsFunc(reasons, func(r Reason) bool { return r.Why == Unmerged }):
		return e.WithHint("bring the work home first: %s", task.CallTo("review_apply", "id", m.Task, "action", "merge").OnlyShown()).WithNext(again)
	case reasons[0].Why == Gone:
		return e.WithHint("if it was moved, git worktree repair NEW-PATH; if not, %s forgets it", task.CallTo("worktree_remove", "id", m.Task, "force", true).OnlyShown()).WithNext(again)
	default:
		return e.WithHint("settle that by hand; nothing is removed that could be somebody's work")
	}
}

// takeAway moves a work tree aside, looks at it again, and removes it.
func (w *Worktrees) takeAway(ctx context.Context, m made, force bool) error {
	m.Removing = removedPath(m.Path)
	if layout.Exists(m.Removing) {
		return task.Errorf(task.Conflict, "%s is in the way", m.Removing).WithHint("see what it is, and move it away")
	}
	if err := w.write(m); err != nil {
		return err
	}
	if err := disk.Replace(m.Path, m.Removing); err != nil {
		return errors.Join(problem.IO(err), w.giveBack(m))
	}
	if err := stays(m, w.look(ctx, m, m.Removing, git.Looks{Ignored: true, Shallow: true}), force); err != nil {
		return errors.Join(err, w.giveBack(m))
	}
	m.Doomed = true
	if err := w.write(m); err != nil {
		return errors.Join(err, w.giveBack(m))
	}
	return w.finishRemoval(ctx, m)
}

// giveBack puts a work tree that was moved aside back into its place.
func (w *Worktrees) giveBack(m made) error {
	if layout.Exists(m.Removing) {
		if layout.Exists(m.Path) {
			return task.Errorf(task.Conflict, "%s is in the way of the work tree that lies in %s", m.Path, m.Removing).WithHint("move it away, and try again")
		}
		if err := disk.Replace(m.Removing, m.Path); err != nil {
			return problem.IO(err)
		}
	}
	m.Removing, m.Doomed = "", false
	return w.write(m)
}

// settle brings a removal that was interrupted to its end, if it was decided, or else undoes it. It reports whether the work tree is
// there.
func (w *Worktrees) settle(ctx context.Context, m made) (made, bool, error) {
	if m.Doomed {
		return m, false, w.finishRemoval(ctx, m)
	}
	if err := w.giveBack(m); err != nil {
		return m, false, err
	}
	m.Removing = ""
	return m, true, nil
}

// finishRemoval takes away a work tree that was moved aside and found to hold nothing of worth, or what is left of it.
func (w *Worktrees) finishRemoval(ctx context.Context, m made) error {
	ctx = context.WithoutCancel(ctx)
	if err := disk.RemoveTree(m.Removing); err != nil {
		return problem.IO(err)
	}
	if layout.Exists(m.Path) {
		return task.Errorf(task.Conflict, "%s was removed, and something else is there now", m.Path).WithHint("see what it is, and move it away")
	}
	if layout.Exists(filepath.Join(w.repo.CommonDir, filepath.FromSlash(m.GitDir))) {
		// Its folder is gone by now: what git removes is what it knew of it.
		if _, err := (git.Writing{}).Run(ctx, w.repo.Top, "worktree", "remove", m.Path); err != nil {
			return err
		}
	}
	base, err := w.repo.Refs().Commit(ctx, "refs/heads/"+m.Base)
	if err != nil {
		return err
	}
	if base != "" {
		if err := w.dropBranch(ctx, m, base); err != nil {
			return err
		}
	}
	return w.forget(m.Task)
}

// dropBranch deletes the branch of a task if all its commits are in another commit. One that moved meanwhile stays.
func (w *Worktrees) dropBranch(ctx context.Context, m made, in string) error {
	ref := "refs/heads/" + m.Branch
	tip, err := w.repo.Refs().Commit(ctx, ref)
	if err != nil || tip == "" {
		return err
	}
	done, err := w.ancestor(ctx, tip, in)
	if err != nil || !done {
		return err
	}
	_, err = (git.Writing{}).Run(ctx, w.repo.Top, "update-ref", "-d", ref, tip)
	return err
}
