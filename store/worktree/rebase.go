package worktree

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// Rebase puts the commits of a task's branch on top of a branch or commit, "" for its base. They are made in a work tree that is
// thrown away, so that a conflict, or a kill, leaves the task's as it was.
//
// It returns the errors of Verify, BUSY if something works in the work tree, CONFLICT if it has uncommitted changes (those under .cairn
// are committed first), INVALID_INPUT if there is no such branch or commit, and REBASE_CONFLICT with the files.
func (w *Worktrees) Rebase(ctx context.Context, t Tree, onto string) error {
	if err := w.mayWrite(); err != nil {
		return err
	}
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return err
	}
	defer release()
	if err := w.Verify(ctx, t); err != nil {
		return err
	}
	if why := w.o.Busy(t.Task); why != "" {
		return task.Errorf(task.Busy, "%s: %s", t.Task, why).WithHint("try again when it has ended")
	}
	if err := w.repo.Identity(ctx); err != nil {
		return err
	}
	onto = cmp.Or(onto, t.Base)
	target, err := w.repo.Commit(ctx, onto)
	if err != nil {
		return err
	}
	if target == "" {
		return task.Errorf(task.InvalidInput, "the clone has no branch or commit %q", task.Clip(onto, 100)).WithHint("leave it out to take %s", t.Base)
	}
	if err := w.commitRecords(ctx, t); err != nil {
		return err
	}
	tip, err := w.tip(ctx, t)
	if err != nil {
		return err
	}
	next, err := w.rebased(ctx, t, tip, target, onto)
	if err != nil {
		return err
	}
	return w.moveTo(ctx, t, tip, next, target)
}

// rebased returns the tip that a branch gets by being rebased.
func (w *Worktrees) rebased(ctx context.Context, t Tree, tip, target, onto string) (string, error) {
	lock := "task-" + string(t.Task)
	if err := w.sweep(ctx, lock); err != nil {
		return "", err
	}
	s, err := w.newScratch(ctx, lock, tip)
	if err != nil {
		return "", err
	}
	defer func() { _ = w.discard(ctx, s) }() // if it fails, the next one does it
	with, err := w.merging(ctx)
	if err != nil {
		return "", err
	}
	if _, err := with.Run(ctx, s.Path, "rebase", "--quiet", "--no-autostash", "--no-verify", target); err != nil {
		return "", w.conflict(ctx, s.Path, err, task.RebaseConflict, t.Branch+" was not put on "+onto+", and nothing has changed: they conflict in",
			task.Hintf("settle it by git rebase %s in %s, or give it back with %s", onto, t.Path,
				task.CallTo("review_apply", "id", t.Task, "action", "reject", "text", "rebase it on "+onto)))
	}
	return w.headOf(ctx, s.Path)
}

// moveTo moves the branch of a work tree, and its files, from one commit to another, and records where it begins now.
func (w *Worktrees) moveTo(ctx context.Context, t Tree, from, to, base string) error {
	head, err := w.headOf(ctx, t.Path)
	if err != nil {
		return err
	}
	if head != from {
		return task.Errorf(task.Conflict, "%s was committed to meanwhile", t.Branch).WithHint("try again")
	}
	if _, err := (git.Writing{}).Run(ctx, t.Path, "reset", "--quiet", "--keep", to); err != nil {
		return err
	}
	m, ok, err := w.read(t.Task)
	if err != nil || !ok {
		return err
	}
	m.BaseCommit = base
	return w.write(m)
}
