package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

const pathsNamed = 5 // in a message

// policy returns POLICY if the base was moved onto the branch, and if the branch holds what a job may not have changed: files outside its paths, the settings of the workspace, the checks of its
// task without an entry that explains it, its state to a closed one, or anything in the record that cairn check calls an error and that the base does not have.
func (r *run) policy(ctx context.Context) error {
	stat, err := r.trees.Stat(ctx, r.tree)
	if err != nil {
		return or(job.InternalError, err)
	}
	if err := r.baseKept(ctx, stat.From); err != nil {
		return err
	}
	var changed []string
	for _, f := range stat.Files {
		changed = append(changed, f.Path)
	}
	if outside := outsideOf(r.spec.Scope.Paths, changed); len(outside) > 0 {
		return failed(job.Policy, "it changed %s, outside of the paths that it may change", some(outside))
	}
	own := slices.DeleteFunc(slices.Clone(stat.Records), func(path string) bool {
		return !strings.HasSuffix(path, layout.Folder+"/"+layout.ConfigName) && !strings.HasSuffix(path, layout.Folder+"/"+layout.SignersName)
	})
	if own = slices.DeleteFunc(own, r.brought(ctx)); len(own) > 0 {
		return failed(job.Policy, "it changed %s, which says by what rules its work is judged", some(own))
	}
	if err := r.checksKept(); err != nil {
		return err
	}
	return r.proved(ctx)
}

// baseKept returns POLICY if the base was moved onto a commit of the branch while the job ran: its work went home before anybody judged it, and what
// it changed cannot be told from what the base has. That others move the base on, and that the branch follows, is none of it.
func (r *run) baseKept(ctx context.Context, from string) error {
	if from == r.from {
		return nil
	}
	own, err := r.trees.CommittedOn(ctx, r.tree, from)
	switch {
	case err != nil:
		return or(job.InternalError, err)
	case own:
		return failed(job.Policy, "the branch %s was moved to a commit of the job, %.12s, which nobody has reviewed", r.tree.Base, from)
	default:
		return nil
	}
}

// brought reports which settings the work tree was given when it was made, because its base did not have them.
func (r *run) brought(ctx context.Context) func(path string) bool {
	return func(path string) bool {
		here, err := layout.ReadFile(r.s.Abs(path[strings.Index(path, layout.Folder):]))
		there, other := layout.ReadFile(r.at.Abs(path[strings.Index(path, layout.Folder):]))
		return ctx.Err() == nil && err == nil && other == nil && string(here) == string(there)
	}
}

// outsideOf lists the paths that no glob stands for. No glob at all stands for everything.
func outsideOf(scope, paths []string) []string {
	globs := task.ScopeOf(scope)
	if len(globs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		p, err := task.ParseGlob(path)
		plain := !strings.ContainsAny(path, "*?") // else the name of the file would be taken for a pattern
		return err == nil && slices.ContainsFunc(globs, func(g task.Glob) bool { return g.Everything() || plain && g.Meets(p) })
	})
}

func some(paths []string) string {
	shown := paths[:min(len(paths), pathsNamed)]
	return strings.Join(shown, ", ") + task.AndMore(len(paths)-len(shown))
}

// checksKept returns POLICY for another list of checks than the checkout has in which the job was asked for, unless entries explain it and take nothing
// away. What a person took away with a reason is explained. It does not matter whether this job changed the list or an earlier one in the work tree.
func (r *run) checksKept() error {
	t, err := record.Tasks.Get(r.at, r.spec.Task)
	if err != nil {
		return failed(job.Policy, "the file of the task cannot be read any more: %s", task.MessageOf(err))
	}
	flow := r.at.Config.Flow
	if flow.IsClosed(t.Status) {
		return failed(job.Policy, "the task was closed (%s), which no job does: it ends with the task in review", t.Status)
	}
	if asked, err := record.Tasks.Get(r.s, r.spec.Task); err == nil && slices.Equal(t.CheckHashes(), asked.CheckHashes()) {
		return nil
	}
	declared := slices.ContainsFunc(t.Provenance, func(e task.Entry) bool { return e.Checks != nil })
	_, weakened := flow.Weakened(t)
	switch {
	case !t.ChecksExplained(), !declared && !slices.Equal(t.CheckHashes(), r.before.CheckHashes()):
		return failed(job.Policy, "the checks of the task were changed, and no entry explains it")
	case weakened, len(flow.Lost(t, r.before)) > 0, flow.LostEvidence(t, r.before):
		return failed(job.Policy, "a check of the task was taken away or weakened, and no person gave a reason")
	}
	return nil
}

// proved returns POLICY for what cairn check calls an error of the work tree as a change of the commit that the work began at, and that is no error of
// that commit itself.
func (r *run) proved(ctx context.Context) error {
	errs, err := snapshot.ErrorsSince(ctx, r.at.Layout, r.tree.BaseCommit)
	if task.CodeOf(err) == task.NoBase { // the base has no workspace that can be compared with
		var found snapshot.Checked
		found, err = snapshot.Check(ctx, r.at.Layout, snapshot.CheckOptions{NoBase: true, Trusted: true})
		errs = found.Errors()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed(job.Policy, "the record cannot be judged: %s", task.MessageOf(err))
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
