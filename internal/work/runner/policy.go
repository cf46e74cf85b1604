package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/witness"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// judge judges what a job changed, before any of it is run. It ends the job with POLICY if the base was moved onto the
// branch, or the branch changes one of these: files outside of the paths of the spec, the settings of the workspace,
// the checks of the task without an entry that explains it, the status of the task to a closed one, a record of others
// that it takes away, another task that it closes or whose checks it changes. Nor may it bring
// what others are said to have written, lose a verdict that was given here, or have cairn check find an error in the
// records that the base does not have. asked is the workspace where the job was asked for.
func (t *workTree) judge(ctx context.Context, asked *store.Store, ses *jobSession) error {
	stat, err := t.trees.Stat(ctx, t.Tree)
	if err == nil {
		err = t.baseKept(ctx, stat.From)
	}
	if err != nil {
		return or(job.InternalError, err)
	}
	var changed []string
	for _, f := range stat.Files {
		changed = append(changed, f.Path)
	}
	if outside := task.OutsideOf(t.spec.Scope.Paths, changed); len(outside) > 0 {
		return failed(job.Policy, "it changed %s, outside of the paths that it may change", some(outside))
	}
	if t.Repo != "" {
		return t.judgeThere(stat)
	}
	own := slices.DeleteFunc(slices.Clone(stat.Records), func(path string) bool { return !t.ruled(path, asked) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(own) > 0:
		return failed(job.Policy, "it changed %s, which says by what rules its work is judged", some(own))
	}
	if err := t.checksKept(asked); err != nil {
		return err
	}
	if err := t.othersKept(ctx, stat); err != nil {
		return err
	}
	if err := t.ownWords(ctx, ses, stat); err != nil {
		return err
	}
	return t.proved(ctx)
}

// judgeThere is judge for a work tree in another repository, whose branch brings no record of this workspace. It may
// change none of the workspace that is there.
func (t *workTree) judgeThere(stat worktree.Stat) error {
	if paths := stat.OfWorkspaces(); len(paths) > 0 {
		return failed(job.Policy, "it changed %s, which is a record of the workspace in %s", some(paths), t.Repo)
	}
	if now, err := kind.Tasks.Get(t.at, t.Task); err == nil { // checksKept says why it cannot be read
		if err := t.verdictsKept(now); err != nil {
			return err
		}
	}
	return t.checksKept(t.at)
}

// verdictsKept asks that the record has not lost a verdict that was given here.
func (t *workTree) verdictsKept(now task.Task) error {
	if e, lost := witness.Lost(t.at, now, t.Tree); lost {
		return failed(job.Policy, "the record of the task has lost what %s said: %s", e.Who, record.Clip(e.Text, 300))
	}
	return nil
}

// ownWords asks that what the branch adds to records is under the name of the job's actor and in its sessions, unless
// cairn wrote it in this clone or a commit has it that the job did not make; and that no verdict is lost that was given
// here.
func (t *workTree) ownWords(ctx context.Context, ses *jobSession, stat worktree.Stat) error {
	now, err := kind.Tasks.Get(t.at, t.Task)
	if err != nil {
		return failed(job.Policy, "the file of the task cannot be read any more: %s", record.MessageOf(err))
	}
	if err := t.verdictsKept(now); err != nil {
		return err
	}
	changed, err := witness.ChangedIn(ctx, t.at, stat)
	if err != nil {
		return or(job.InternalError, err)
	}
	since, err := witness.Others(ctx, t.at, t.Base, stat.From)
	if err != nil {
		return or(job.InternalError, err)
	}
	all, err := t.jobs.List()
	if err != nil {
		return or(job.InternalError, err)
	}
	own := func(e record.Entry) bool {
		return e.Who == ses.Acts.Actor() && (e.Session == "" || slices.Contains(ses.ids, e.Session))
	}
	foreign, err := witness.Branch{
		At: t.at, Task: t.Task, Changed: changed, Own: own, Before: t.known, Since: since, Disowned: witness.Disowned(all, t.Task),
	}.Foreign(ctx)
	if err != nil || len(foreign) == 0 {
		return or(job.InternalError, err)
	}
	var hashes []string
	for _, f := range foreign {
		hashes = append(hashes, f.Entry.Hash())
	}
	if err := t.owned.Change(func(s *job.Status) { s.Disowned = hashes[:min(len(hashes), maxDisowned)] }); err != nil {
		return err
	}
	return failed(job.Policy, "it brings %s, which nobody wrote with cairn in this clone%s", foreign[0], record.AndMore(len(foreign)-1))
}

const maxDisowned = 1000

// baseKept asks that the base was not moved onto a commit of this branch while the job ran: that would merge work that
// nobody has judged. The base may move on to commits of others, and the branch may follow it.
func (t *workTree) baseKept(ctx context.Context, from string) error {
	if from == t.from {
		return nil
	}
	own, err := t.repo.Refs().CommittedOn(ctx, t.Branch, from)
	if own && err == nil {
		return failed(job.Policy, "the branch %s was moved to a commit of the job, %.12s, which nobody has reviewed", t.Base, from)
	}
	return err
}

// ruled reports whether a file says by what rules work is judged, and is another one than in the workspace where the
// job was asked for. The work tree is given that file when it is made, if its base does not have it.
func (t *workTree) ruled(path string, asked *store.Store) bool {
	file := strings.TrimPrefix(path, t.at.InRepo(""))
	if _, _, isRecord := kind.At(file); isRecord || record.IsFilePath(file) || record.BesideFiles(file) {
		return false
	}
	here, err := layout.ReadFile(asked.Abs(file))
	there, other := layout.ReadFile(t.at.Abs(file))
	return err != nil || other != nil || string(here) != string(there)
}

func some(paths []string) string {
	shown := paths[:min(len(paths), 5)]
	return strings.Join(shown, ", ") + record.AndMore(len(paths)-len(shown))
}

// checksKept asks that the task is open, and that its checks are as in the workspace where the job was asked for, or
// that entries explain the change and no check was removed or weakened without a person's reason. Changes by an earlier
// job in the same work tree count too.
func (t *workTree) checksKept(asked *store.Store) error {
	now, err := kind.Tasks.Get(t.at, t.Task)
	if err != nil {
		return failed(job.Policy, "the file of the task cannot be read any more: %s", record.MessageOf(err))
	}
	flow := t.at.Config.Flow
	if flow.IsClosed(now.Status) {
		return failed(job.Policy, "the task was closed (%s), which no job does: it ends with the task in review", now.Status)
	}
	was, err := kind.Tasks.Get(asked, t.Task)
	if t.Repo != "" { // what was asked is what is there
		was, err = t.before, nil
	}
	if err == nil && slices.Equal(now.CheckHashes(), was.CheckHashes()) {
		return nil
	}
	declared := slices.ContainsFunc(now.Provenance, func(e record.Entry) bool { return e.Checks != nil })
	_, weakened := flow.Weakened(now)
	switch {
	case !now.ChecksExplained(), !declared && !slices.Equal(now.CheckHashes(), t.before.CheckHashes()):
		return failed(job.Policy, "the checks of the task were changed, and no entry explains it")
	case weakened, len(flow.Lost(now, t.before)) > 0, flow.LostEvidence(now, t.before):
		return failed(job.Policy, "a check of the task was taken away or weakened, and no person gave a reason")
	}
	return nil
}

// othersKept asks that the branch has every record that it found, and that it neither closes another task nor changes
// its checks: who reviews the work looks at files, and the rest of the record is not the job's.
func (t *workTree) othersKept(ctx context.Context, stat worktree.Stat) error {
	changes, err := witness.Changes(ctx, t.at, stat.From, stat.Tip, stat.Records)
	if err != nil {
		return or(job.InternalError, err)
	}
	flow := t.at.Config.Flow
	for _, c := range changes {
		if c.Kind.Ref(c.ID) == t.Task.Ref() {
			continue
		}
		if c.Gone() {
			return failed(job.Policy, "it took the %s %s away, which is not its own", c.Kind.Name, c.ID)
		}
		was, isTask := c.Was.(task.Task)
		now, _ := c.Now.(task.Task)
		switch {
		case !isTask:
		case c.Broken != nil:
			return failed(job.Policy, "the file of %s cannot be read any more: %s", c.ID, record.MessageOf(c.Broken))
		case flow.IsClosed(now.Status) && !flow.IsClosed(was.Status):
			return failed(job.Policy, "it closed %s (%s), which is not its task", c.ID, now.Status)
		case !slices.Equal(now.CheckHashes(), was.CheckHashes()):
			return failed(job.Policy, "it changed the checks of %s, which is not its task", c.ID)
		}
	}
	return nil
}

// proved asks that cairn check finds no error in the work tree, compared with the commit that the work began at, that
// this commit does not have itself.
func (t *workTree) proved(ctx context.Context) error {
	errs, err := snapshot.ErrorsSince(ctx, t.at.Layout, t.BaseCommit)
	if record.CodeOf(err) == record.NoBase { // the base has no workspace that can be compared with
		var all snapshot.Checked
		all, err = snapshot.Check(ctx, t.at.Layout, snapshot.CheckOptions{NoBase: true, Trusted: true})
		errs = all.Errors()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed(job.Policy, "the record cannot be judged: %s", record.MessageOf(err))
	case len(errs) == 0:
		return nil
	}
	more := ""
	if len(errs) > 1 {
		more = fmt.Sprintf("; and %d more", len(errs)-1)
	}
	return failed(job.Policy, "cairn check finds %s in %s: %s%s", errs[0].Rule, errs[0].Path, errs[0].Message, more)
}
