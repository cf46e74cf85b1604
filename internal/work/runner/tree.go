package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/internal/work/witness"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// workTree is the work tree of the job, with the branch of the task checked out. It commits what an executor leaves
// there.
type workTree struct {
	worktree.Tree
	trees *worktree.Worktrees
	jobs  jobs.Jobs
	owned *jobs.Owned // gets an event for each lock of git that is removed
	spec  job.Spec

	at     *store.Store // the workspace in the work tree, or where the job was asked for if that is in another repository; nil if it could not be opened
	repo   *git.Repo    // the work tree
	before task.Task    // the task as it was when the run began
	from   string       // the commit at which the branch left its base when the run began
	tip    string       // the newest commit of the branch that is known
	known  []string     // commits that the job did not make: those that the base and remote-tracking branches had then
}

// open opens the workspace in the work tree, and reads what the work is compared with later. Where a job was cut off it
// first writes the records again that git took away there.
func (t *workTree) open(ctx context.Context, stateDir string, cut bool) error {
	err := t.unlock(ctx)
	if err != nil {
		return err
	}
	if t.Repo != "" {
		return t.openThere(ctx)
	}
	if t.at, err = store.Open(t.Root, stateDir); err != nil {
		return t.Unreadable(err)
	}
	t.repo = t.at.Repo
	if cut {
		if _, err := t.at.Restore(ctx, t.spec.By, true); err != nil {
			return err
		}
	}
	if t.before, err = kind.Tasks.Get(t.at, t.spec.Task); err != nil {
		return err
	}
	stat, err := t.trees.Stat(ctx, t.Tree)
	if err != nil {
		return err
	}
	t.from = stat.From
	t.known, err = witness.Others(ctx, t.at, t.Base, stat.From)
	return err
}

// openThere is open for a work tree in another repository, which has no record of the task.
func (t *workTree) openThere(ctx context.Context) (err error) {
	if t.before, err = kind.Tasks.Get(t.at, t.spec.Task); err != nil {
		return err
	}
	files, err := gates.FilesOf(t.at, t.before)
	if err != nil {
		return err
	}
	t.repo = files.Layout.Repo
	stat, err := t.trees.Stat(ctx, t.Tree)
	t.from = stat.From
	return err
}

// rejoin brings the work tree back to the branch of the task, whatever the executor did there with git, and the records
// back that cairn wrote there. Its error is CONFLICT for what the executor has to settle, unless force is set.
func (t *workTree) rejoin(ctx context.Context, who record.Actor, force bool) error {
	tree, did, err := t.trees.Rejoin(ctx, t.Tree, t.tip, force)
	t.Tree = tree
	if err == nil && !layout.IsFile(t.at.ConfigFile()) {
		err = failed(job.Policy, "it deleted %s, which says by what rules its work is judged", t.at.InRepo(t.at.Rel(t.at.ConfigFile())))
	}
	if err == nil && t.Repo == "" {
		var back []string
		if back, err = t.at.Restore(ctx, who, true); len(back) > 0 {
			did = append(did, "git took out "+some(back)+", which is there again")
		}
	}
	if err == nil {
		err = t.owned.Change(func(s *job.Status) { s.BaseCommit = tree.BaseCommit })
	}
	if len(did) > 0 {
		_ = t.owned.Event(job.Event{Type: job.EventError, Text: strings.Join(did, "; ")})
	}
	return err
}

// unlock removes the locks of git that killed processes left in the work tree. It may be called only while no process
// of the job is alive.
func (t *workTree) unlock(ctx context.Context) error {
	removed, err := t.trees.Unlock(ctx, t.Tree)
	if len(removed) > 0 {
		_ = t.owned.Event(job.Event{Type: job.EventError, Text: "removed what a killed git left: " + strings.Join(removed, ", ")})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// commit commits what an actor left uncommitted, on the branch of the task, with the user's hooks. The text why is put
// into the message. Its error is GIT if a hook refuses the commit, and CONFLICT if the branch was switched or the work
// tree moved.
func (t *workTree) commit(ctx context.Context, who record.Actor, why string) error {
	if err := t.unlock(ctx); err != nil {
		return err
	}
	b := &page{}
	b.add("%s: %s", t.spec.Task, verb.Head(oneLine(t.before.Title), 80))
	b.add("What %s left uncommitted in %s.", who, t.spec.Job)
	if why != "" {
		b.add("%s", why)
	}
	made, err := t.trees.Commit(ctx, t.Tree, b.String())
	t.tip = cmp.Or(made, t.tip)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// uncommitted lists the files that the work tree has otherwise than its commit, although all was committed.
func (t *workTree) uncommitted(ctx context.Context) ([]string, error) {
	repo := t.repo
	committed, err := repo.Objects().Tree(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	now, err := repo.WorkTree(ctx)
	return committed.Changed(now), err
}

func (t *workTree) commitRecords(ctx context.Context) error {
	_, err := t.trees.CommitRecords(ctx, t.Tree, fmt.Sprintf("%s: record what %s did", t.spec.Task, t.spec.Job))
	t.tip = cmp.Or(t.head(ctx), t.tip)
	return err
}

// head is the commit that is checked out in the work tree; "" if it could not be opened.
func (t *workTree) head(ctx context.Context) string {
	if t.repo == nil {
		return ""
	}
	head, _ := t.repo.Head(ctx)
	return head.Commit
}
