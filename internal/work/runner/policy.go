package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

const pathsNamed = 5 // in a message

// policy judges what a job changed, before any of it is run. Each of its methods ends the job with POLICY for a change
// that a job may not make.
type policy struct {
	tree  *workTree
	asked *store.Store // the workspace where the job was asked for
	paths []string     // globs of the files that the job may change; none for every file
}

// judge asks that the base has not moved onto the branch, and that the branch changes none of these: files outside of
// the paths, the settings of the workspace, the checks of the task without an entry that explains it, the status of the
// task to a closed one. Nor may cairn check find an error in the records that the base does not have.
func (p policy) judge(ctx context.Context) error {
	stat, err := p.tree.trees.Stat(ctx, p.tree.Tree)
	if err != nil {
		return or(job.InternalError, err)
	}
	if err := p.baseKept(ctx, stat.From); err != nil {
		return err
	}
	var changed []string
	for _, f := range stat.Files {
		changed = append(changed, f.Path)
	}
	if outside := outsideOf(p.paths, changed); len(outside) > 0 {
		return failed(job.Policy, "it changed %s, outside of the paths that it may change", some(outside))
	}
	own := slices.DeleteFunc(slices.Clone(stat.Records), func(path string) bool {
		return !strings.HasSuffix(path, layout.Folder+"/"+layout.ConfigName) && !strings.HasSuffix(path, layout.Folder+"/"+layout.SignersName)
	})
	if own = slices.DeleteFunc(own, p.brought(ctx)); len(own) > 0 {
		return failed(job.Policy, "it changed %s, which says by what rules its work is judged", some(own))
	}
	if err := p.checksKept(); err != nil {
		return err
	}
	return p.proved(ctx)
}

// baseKept asks that the base was not moved onto a commit of this branch while the job ran: that would merge work that
// nobody has judged. The base may move on to commits of others, and the branch may follow it.
func (p policy) baseKept(ctx context.Context, from string) error {
	if from == p.tree.from {
		return nil
	}
	own, err := p.tree.trees.CommittedOn(ctx, p.tree.Tree, from)
	switch {
	case err != nil:
		return or(job.InternalError, err)
	case own:
		return failed(job.Policy, "the branch %s was moved to a commit of the job, %.12s, which nobody has reviewed", p.tree.Base, from)
	default:
		return nil
	}
}

// brought reports whether a settings file is as in the workspace where the job was asked for. The work tree is given
// that file when it is made, if its base does not have it.
func (p policy) brought(ctx context.Context) func(path string) bool {
	return func(path string) bool {
		here, err := layout.ReadFile(p.asked.Abs(path[strings.Index(path, layout.Folder):]))
		there, other := layout.ReadFile(p.tree.at.Abs(path[strings.Index(path, layout.Folder):]))
		return ctx.Err() == nil && err == nil && other == nil && string(here) == string(there)
	}
}

// outsideOf lists the paths that no glob matches. Without a glob every path is inside.
func outsideOf(scope, paths []string) []string {
	globs := task.ScopeOf(scope)
	if len(globs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		p, err := task.ParseGlob(path)
		plain := !strings.ContainsAny(path, "*?") // a file whose name looks like a pattern is not matched as one
		return err == nil && slices.ContainsFunc(globs, func(g task.Glob) bool { return g.Everything() || plain && g.Meets(p) })
	})
}

// some names the first of some paths, and how many more there are.
func some(paths []string) string {
	shown := paths[:min(len(paths), pathsNamed)]
	return strings.Join(shown, ", ") + record.AndMore(len(paths)-len(shown))
}

// checksKept asks that the task is open, and that its checks are as in the workspace where the job was asked for, or
// that entries explain the change and no check was removed or weakened without a person's reason. Changes by an earlier
// job in the same work tree count too.
func (p policy) checksKept() error {
	t, err := kind.Tasks.Get(p.tree.at, p.tree.Task)
	if err != nil {
		return failed(job.Policy, "the file of the task cannot be read any more: %s", record.MessageOf(err))
	}
	flow := p.tree.at.Config.Flow
	if flow.IsClosed(t.Status) {
		return failed(job.Policy, "the task was closed (%s), which no job does: it ends with the task in review", t.Status)
	}
	if asked, err := kind.Tasks.Get(p.asked, p.tree.Task); err == nil && slices.Equal(t.CheckHashes(), asked.CheckHashes()) {
		return nil
	}
	declared := slices.ContainsFunc(t.Provenance, func(e record.Entry) bool { return e.Checks != nil })
	_, weakened := flow.Weakened(t)
	switch {
	case !t.ChecksExplained(), !declared && !slices.Equal(t.CheckHashes(), p.tree.before.CheckHashes()):
		return failed(job.Policy, "the checks of the task were changed, and no entry explains it")
	case weakened, len(flow.Lost(t, p.tree.before)) > 0, flow.LostEvidence(t, p.tree.before):
		return failed(job.Policy, "a check of the task was taken away or weakened, and no person gave a reason")
	}
	return nil
}

// proved asks that cairn check finds no error in the work tree, compared with the commit that the work began at, that
// this commit does not have itself.
func (p policy) proved(ctx context.Context) error {
	errs, err := snapshot.ErrorsSince(ctx, p.tree.at.Layout, p.tree.BaseCommit)
	if record.CodeOf(err) == record.NoBase { // the base has no workspace that can be compared with
		var found snapshot.Checked
		found, err = snapshot.Check(ctx, p.tree.at.Layout, snapshot.CheckOptions{NoBase: true, Trusted: true})
		errs = found.Errors()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed(job.Policy, "the record cannot be judged: %s", record.MessageOf(err))
	case len(errs) > 0:
		return failed(job.Policy, "cairn check finds %s", describe(errs))
	}
	return nil
}

// describe names the first of some findings, and how many more there are.
func describe(all []proof.Finding) string {
	out := fmt.Sprintf("%s in %s: %s", all[0].Rule, all[0].Path, all[0].Message)
	if more := len(all) - 1; more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}
	return out
}
