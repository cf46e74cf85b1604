package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Remove removes the work tree of a task, and its branch if the base has all its work. With force, what is in no
// commit is deleted too; no other reason to stay is overridden. If the folder of the work tree is gone, only the record
// is removed, and only with force or if git does not know the work tree any more either.
//
// It returns NOT_FOUND if none is recorded, and CONFLICT with all reasons if it stays; BUSY if the only reasons are
// that something works there or holds a lock.
//
// The folder is moved aside first and looked at again, so that what was written between the look and the removal is
// found. A kill leaves the work tree as it was, or a rest that the next call removes.
func (w *Worktrees) Remove(ctx context.Context, id record.ID, force bool) error {
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	m, ok, err := w.records().read(id)
	if err != nil {
		return err
	}
	if !ok {
		return record.Errorf(record.NotFound, "no work tree is recorded for %s", id).WithHint("%s lists those there are", record.CallTo("worktree_list"))
	}
	at, err := w.of(m)
	if err != nil {
		return err
	}
	if !m.Ready {
		return (&making{at.clone, m}).undo(ctx)
	}
	return (&removal{at.clone, m, force}).run(ctx)
}

// removal removes the work tree of a task, whose lock the caller holds. Its record says how far it has come.
type removal struct {
	*clone
	made
	force bool // what is in no commit is deleted too
}

// removedPath is where a work tree is moved to before it is removed.
func removedPath(path string) string {
	return filepath.Join(filepath.Dir(path), ".removed-"+filepath.Base(path))
}

func (r *removal) save() error { return r.records().write(r.made) }

func (r *removal) run(ctx context.Context) error {
	if r.Removing != "" {
		if isThere, err := r.settle(ctx); err != nil || !isThere {
			return err
		}
	}
	reasons := r.look(ctx, r.made, false)
	forgotten := layout.Exists(filepath.Dir(r.Path)) && !layout.Exists(r.adminDir(r.made)) // by git, and its disk is there
	if len(reasons) == 1 && reasons[0].Why == Gone && (r.force || forgotten) {
		return r.records().forget(string(r.Task)) // its branch, and what git knows of it, stay
	}
	if err := r.stays(reasons); err != nil {
		return err
	}
	return r.takeAway(ctx)
}

// settle brings a removal that was interrupted to its end, if it was decided, or else undoes it. It reports whether the
// work tree is there.
func (r *removal) settle(ctx context.Context) (isThere bool, err error) {
	if r.Doomed {
		return false, r.finish(ctx)
	}
	err = r.giveBack()
	return err == nil, err
}

// takeAway moves the work tree aside, looks at it again, and removes it.
func (r *removal) takeAway(ctx context.Context) error {
	aside := removedPath(r.Path)
	if layout.Exists(aside) {
		return record.Errorf(record.Conflict, "%s is in the way", aside).WithHint("see what it is, and move it away")
	}
	r.Removing = aside
	if err := r.save(); err != nil {
		return err
	}
	if err := disk.Replace(r.Path, r.Removing); err != nil {
		return errors.Join(problem.IO(err), r.giveBack())
	}
	if err := r.stays(r.look(ctx, r.made, true)); err != nil {
		return errors.Join(err, r.giveBack())
	}
	r.Doomed = true
	if err := r.save(); err != nil {
		return errors.Join(err, r.giveBack())
	}
	return r.finish(ctx)
}

func (r *removal) giveBack() error {
	if layout.Exists(r.Removing) {
		if layout.Exists(r.Path) {
			return record.Errorf(record.Conflict, "%s is in the way of the work tree that lies in %s", r.Path, r.Removing).WithHint("move it away, and try again")
		}
		if err := disk.Replace(r.Removing, r.Path); err != nil {
			return problem.IO(err)
		}
	}
	r.Removing, r.Doomed = "", false
	return r.save()
}

// finish removes the work tree that was moved aside and found to hold nothing that would be lost, or what is left of
// it.
func (r *removal) finish(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := disk.RemoveTree(r.Removing); err != nil {
		return problem.IO(err)
	}
	if layout.Exists(r.Path) {
		return record.Errorf(record.Conflict, "%s was removed, and something else is there now", r.Path).WithHint("see what it is, and move it away")
	}
	if layout.Exists(r.adminDir(r.made)) {
		// Its folder is gone by now: what git removes is what it knew of it.
		if _, err := (git.Writing{}).Run(ctx, r.repo.Top, "worktree", "remove", r.Path); err != nil {
			return err
		}
	}
	if err := r.dropBranch(ctx); err != nil {
		return err
	}
	return r.records().forgetTree(r.made)
}

// dropBranch deletes the branch of the task if all its work is in its base.
func (r *removal) dropBranch(ctx context.Context) error {
	base, err := r.branchTip(ctx, r.Base)
	if err != nil || base == "" {
		return err
	}
	tip, err := r.branchTip(ctx, r.Branch)
	if err != nil || tip == "" {
		return err
	}
	done, err := r.cameHome(ctx, tip, base)
	if err != nil || !done {
		return err
	}
	return r.deleteBranch(ctx, r.Branch, tip)
}

// deleteBranch deletes a branch whose tip is known. It returns an error if the branch has moved meanwhile.
func (c *clone) deleteBranch(ctx context.Context, branch, tip string) error {
	_, err := git.Writing{}.Run(ctx, c.repo.Top, "update-ref", "--no-deref", "-d", "refs/heads/"+branch, tip) // a symbolic one names a branch of others
	return err
}

// stays is the error of a work tree that is not removed for some reasons; nil if it can be removed, because there are
// none or force overrides all.
func (r *removal) stays(reasons []Reason) error {
	if r.force {
		reasons = slices.DeleteFunc(slices.Clone(reasons), func(one Reason) bool { return one.Force })
	}
	if len(reasons) == 0 {
		return nil
	}
	code, said := record.Busy, make([]string, len(reasons))
	for i, one := range reasons {
		said[i] = one.Message
		if one.Why != Live && one.Why != Busy && one.Why != Locked {
			code = record.Conflict
		}
	}
	again := record.CallTo("worktree_list", "id", r.Task)
	forced := record.CallTo("worktree_remove", "id", r.Task, "force", true).OnlyShown()
	discard := record.CallTo("job_discard", "id", r.Task).OnlyShown()
	e := record.Errorf(code, "the work tree of %s, %s, stays: %s", r.Task, r.Path, strings.Join(said, "; "))
	switch {
	case !slices.ContainsFunc(reasons, func(one Reason) bool { return !one.Force }):
		return e.WithHint("commit what is worth keeping; %s deletes the rest", forced).WithNext(again)
	case code == record.Busy:
		return e.WithHint("try again when that has ended")
	case slices.ContainsFunc(reasons, func(one Reason) bool { return one.Why == Unmerged }):
		return e.WithHint("bring the work home first: %s; or keep it on a branch of its own: %s",
			record.CallTo("review_apply", "id", r.Task, "action", "merge").OnlyShown(), discard).WithNext(again)
	case reasons[0].Why == Gone:
		return e.WithHint("if it was moved, git worktree repair NEW-PATH; if not, %s forgets it", forced).WithNext(again)
	default:
		return e.WithHint("settle that by hand, or %s keeps all of it on a branch of its own", discard).WithNext(again)
	}
}
