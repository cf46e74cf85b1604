package worktree

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Rebase puts the commits of a task's branch on top of a branch or commit, "" for its base. They are made in a
// throw-away work tree, so that a conflict, or a kill, leaves the task's as it was.
//
// It returns the errors of Verify, BUSY if something works in the work tree, CONFLICT if it has uncommitted changes
// (those under .cairn are committed first), INVALID_INPUT if there is no such branch or commit, and REBASE_CONFLICT
// with the files.
func (w *Worktrees) Rebase(ctx context.Context, t Tree, onto string) error {
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return err
	}
	defer release()
	return (&rebase{work: w.on(t), onto: cmp.Or(onto, t.Base)}).run(ctx)
}

// rebase puts the work on a task, whose lock the caller holds, on another commit.
type rebase struct {
	work
	onto   string // a branch or commit, as it was asked for
	target string // its commit
	from   string // the tip of the branch before
}

func (r *rebase) run(ctx context.Context) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	next, err := r.rebased(ctx)
	if err != nil {
		return err
	}
	head, err := headOf(ctx, r.tree.Path)
	if err != nil {
		return err
	}
	if head != r.from {
		return record.Errorf(record.Conflict, "%s was committed to meanwhile", r.tree.Branch).WithHint("try again")
	}
	if _, err := (git.Writing{}).Run(ctx, r.tree.Path, "reset", "--quiet", "--keep", next); err != nil {
		return err
	}
	m, ok, err := r.records().read(r.tree.Task)
	if err != nil || !ok {
		return err
	}
	m.BaseCommit = r.target // where the work begins now
	return r.records().write(m)
}

// ready finds out what is rebased, and returns an error if that cannot be rebased. It commits the records of the task.
func (r *rebase) ready(ctx context.Context) (err error) {
	if _, err := r.verified(ctx); err != nil {
		return err
	}
	if why := r.o.Busy(r.tree.Task); why != "" {
		return record.Errorf(record.Busy, "%s: %s", r.tree.Task, why).WithHint("try again when it has ended")
	}
	if err := r.repo.Identity(ctx); err != nil {
		return err
	}
	if r.target, err = r.repo.Commit(ctx, r.onto); err != nil {
		return err
	}
	if r.target == "" {
		return record.Errorf(record.InvalidInput, "the clone has no branch or commit %q", record.Clip(r.onto, 100)).WithHint("leave it out to take %s", r.tree.Base)
	}
	if err := r.commitOnlyRecords(ctx); err != nil {
		return err
	}
	r.from, err = r.tip(ctx)
	return err
}

// rebased makes the rebased commits in a throw-away work tree, and returns the last one.
func (r *rebase) rebased(ctx context.Context) (string, error) {
	scratches := scratches{r.clone, taskLock(r.tree.Task)}
	if err := scratches.sweep(ctx); err != nil {
		return "", err
	}
	top, err := scratches.add(ctx, r.from)
	if err != nil {
		return "", err
	}
	defer func() { _ = scratches.remove(ctx, top) }() // if it fails, the next rebase does it
	with, err := r.withDriver(ctx)
	if err != nil {
		return "", err
	}
	if _, err := with.Run(ctx, top, "rebase", "--quiet", "--no-autostash", "--no-verify", r.target); err != nil {
		return "", conflict(ctx, top, err, record.RebaseConflict, r.tree.Branch+" was not put on "+r.onto+", and nothing has changed: they conflict in",
			record.Hintf("settle it by git rebase %s in %s, or give it back with %s", r.onto, r.tree.Path,
				record.CallTo("review_apply", "id", r.tree.Task, "action", "reject", "text", "rebase it on "+r.onto)))
	}
	return headOf(ctx, top)
}
