// Package gates takes tasks through their gates. The rules are package task's; this package does what they ask for
// outside the lock: it asks for trust, runs command checks, keeps their log and compares the working tree before and
// after. Then it makes the write that the results decide, under the lock.
package gates

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Transition is a write that may take a task to another state.
type Transition struct {
	To      record.Status                                                         // "" for a write that changes no state
	Preview func(task.Task) (task.Task, error)                                    // the task as it will be when the gates judge it
	Decide  func(verb.WriteContext, task.Proof) (task.Task, *record.Entry, error) // under the lock

	// Merged is what is being merged, for the close that comes with a merge: no pass that the branch records counts
	// then, since its author can have written it. Nil for any other write, which close_by: merge may refuse.
	Merged *Merged
}

// Merged is a branch that is being merged.
type Merged struct {
	Head string // its newest commit
	Tree string // the fingerprint of its files, which a reviewer approved

	// Own are the files that it changes, from the top of the repository, where the branches of others are merged with it:
	// what these change of the files on which its checks stand is not its doing. Nil stands for all that is merged.
	Own []string
}

func (m *Merged) own() []string {
	if m == nil {
		return nil
	}
	return m.Own
}

// Unchanged is the preview of a transition that changes nothing but the state.
func Unchanged(t task.Task) (task.Task, error) { return t, nil }

// Make makes the write. It runs what the checks gate asks for, outside the lock, and then decides under the lock. A
// refusal after a run still records the results, in one entry.
func (tr Transition) Make(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (verb.Task, error) {
	ran, err := tr.Prepare(ctx, w, s, id)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	return tr.Write(ctx, w, s, id, ran)
}

// Write is the write of Make, once Prepare has run what it needs.
func (tr Transition) Write(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, ran Run) (verb.Task, error) {
	var refusal error
	out, err := w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		t, entry, err := tr.decide(w, wc, ran)
		if refusal = nil; err != nil && ran.Fits(wc.Task) { // nil again if the write starts over
			refusal = err
			return ran.Record(wc, ran.Proof.Run.Of(wc.Task), w.WithoutKey().Stamp(""))
		}
		return t, entry, err
	})
	if err == nil {
		err = verb.WithID(refusal, id)
	}
	out.Run = ran.Report
	if never := tr.neverRed(s, ran); err == nil && len(never) > 0 {
		out.Notices = append(out.Notices, verb.Notice{Code: string(record.NeverRed), Message: fmt.Sprintf(
			"never seen to fail without this work: %s; verify with matrix tells whether it does", strings.Join(never, "; "))})
	}
	return out, ran.Explain(err)
}

// neverRed are the descriptions of the checks of a close that were never seen to fail without the work, where the config
// has that noted. Of a task whose work changed no file nothing is said.
func (tr Transition) neverRed(s *store.Store, ran Run) []string {
	flow, guards := s.Config.Flow, ran.Proof.Guards
	if guards.Wants != task.RedNote || !ran.worked || tr.To == "" || !flow.ClaimsDone(tr.To) {
		return nil
	}
	return record.Each(flow.NeverRed(ran.of, tr.To, guards), func(i int) string { return ran.of.Checks[i].Desc })
}

// Run is what was run before a write, and of what.
type Run struct {
	Proof  task.Proof
	Report *verb.RunReport // nil if nothing was run

	of     task.Task // as it was then
	worked bool      // it was taken up, and files differ from those where that was
}

// Prepare runs the commands that the checks gate asks for, unless the deps gate refuses the transition. It writes
// nothing.
func (tr Transition) Prepare(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (Run, error) {
	t, err := w.ReadForWrite(s, id)
	if err != nil || tr.To == "" || t.Status == tr.To {
		return Run{of: t}, err
	}
	if err := w.MayMove(s, t, tr.To); err != nil {
		return Run{}, err
	}
	r := Run{of: t}
	if tr.Merged != nil {
		r.Proof.Reviewed = tr.Merged.Tree
	}
	if t, err = tr.Preview(t); err != nil {
		return r, err
	}
	flow := s.Config.Flow
	if err := flow.Known(tr.To); err != nil {
		return Run{}, err
	}
	if err := tr.byMerge(ctx, w, s, t); err != nil {
		return Run{}, err
	}
	if err := flow.DepsGate(t, tr.To, kind.Deps(s, s.Config.Flow)); err != nil {
		return Run{}, err
	}
	if len(flow.ToRun(t, tr.To, task.Proof{})) == 0 && !flow.AsksTree(t, tr.To) {
		return r, nil // no commands, or none that count here
	}
	files, err := FilesOf(s, t)
	if err != nil {
		return Run{}, err
	}
	tree, absent := treeAndAbsent(ctx, files)
	r.Proof.Commit, r.Proof.Tree = files.Head(ctx).Commit, Fingerprint(tree)
	guards, err := guardsOf(ctx, s, t, files, tree, absent, tr.Merged.own())
	if err != nil {
		return Run{}, err
	}
	r.Proof.Guards = guards.state(w.Actor())
	r.worked = guards != nil && flow.Began(t) >= 0 && len(guards.was.Changed(tree)) > 0
	known := r.Proof
	if tr.Merged != nil {
		known = task.Proof{}
	}
	todo := flow.ToRun(t, tr.To, known)
	if len(todo) == 0 {
		return r, nil
	}
	r.Proof.Run, r.Report, err = run(ctx, w, s, t, todo, tree, guards)
	r.Proof.Guards = guards.state(w.Actor()) // the run may have changed them
	if err == nil && r.Proof.Run.Tree == "" {
		r.Proof.Tree = "" // the run changed the tree, so passes earned before it are stale too
	}
	return r, err
}

// stillHolds returns CONFLICT if the task is no longer what the commands were run for.
func (r Run) stillHolds(t task.Task) error {
	if r.Proof.Run == nil || t.Status == r.of.Status && t.SameChecks(r.of) {
		return nil
	}
	return record.Errorf(record.Conflict, "changed while its checks ran").
		WithHint("read it again and decide anew").WithNext(record.CallTo("get", "id", t.ID))
}

// Alone returns CHECKS_FAILED if the task was written to since the run began, where only its commands could.
func (r Run) Alone(t task.Task) error {
	if slices.EqualFunc(r.of.Provenance, t.Provenance, record.Entry.Equal) {
		return nil
	}
	return record.Errorf(record.ChecksFailed, "a check wrote to its record while the merge was tested: %s by %s", t.Provenance.Last().Did, t.Provenance.Last().Who).
		WithHint("what a check runs must not write under .cairn").ForGood()
}

// Record records results in the task, without moving it.
func (r Run) Record(wc verb.WriteContext, results *task.Run, s record.Stamp) (task.Task, *record.Entry, error) {
	t, entry, err := task.RecordRun(wc.Task, results, s)
	if err == nil {
		r.saw(wc, t)
	}
	return t, entry, err
}

// saw keeps what this clone saw of the task's checks with a write that makes it now.
func (r Run) saw(wc verb.WriteContext, now task.Task) {
	flow := wc.Store.Config.Flow
	if r.Proof.Run != nil || flow.ClaimsDone(now.Status) && !flow.ClaimsDone(wc.Task.Status) {
		wc.Tx.Saw(flow.Saw(wc.Task, now, r.Proof, wc.Store.Seen().Of)...)
	}
}

// Fits reports whether there are results, and the task still has the checks that they are of.
func (r Run) Fits(t task.Task) bool { return r.Proof.Run != nil && t.SameChecks(r.of) }

// decide decides under the lock what becomes of the task.
func (tr Transition) decide(w *verb.Workspace, wc verb.WriteContext, ran Run) (task.Task, *record.Entry, error) {
	if err := ran.stillHolds(wc.Task); err != nil {
		return wc.Task, nil, err
	}
	if err := ran.Alone(wc.Task); tr.Merged != nil && err != nil {
		return wc.Task, nil, err
	}
	t, entry, err := tr.Decide(wc, ran.Proof)
	if err == nil {
		afterClose(w, wc, t)
		ran.saw(wc, t)
	}
	return t, entry, err
}

// MakeSeveral makes one write of several tasks, of all or of none. It runs no commands: where the checks gate asks for
// one that has not passed on the files as they are, all is refused.
func (tr Transition) MakeSeveral(ctx context.Context, w *verb.Workspace, s *store.Store, ids []record.ID) (verb.Several, error) {
	if err := tr.allByMerge(ctx, w, s, ids); err != nil {
		return verb.Several{}, err
	}
	proofs := tr.proofs(ctx, w, s, ids)
	return w.ChangeSeveral(ctx, s, ids, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return tr.decide(w, wc, Run{Proof: proofs[wc.Task.ID]})
	})
}

// proofs are the states of the files of tasks that are moved, each repository read once. A task whose files cannot be
// read has none, so that no pass of a command counts.
func (tr Transition) proofs(ctx context.Context, w *verb.Workspace, s *store.Store, ids []record.ID) map[record.ID]task.Proof {
	if tr.To == "" {
		return nil
	}
	out, of, trees, absent := map[record.ID]task.Proof{}, map[string]task.Proof{}, map[string]store.Tree{}, map[string][]string{}
	for _, id := range ids {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			continue // the write says so
		}
		if after, err := tr.Preview(t); err == nil || verb.IsUnconfirmed(err) {
			t = after // its repository may be another
		}
		files, err := FilesOf(s, t)
		if err != nil {
			out[id] = task.Proof{}
			continue
		}
		if _, read := of[files.Root]; !read {
			trees[files.Root], absent[files.Root] = treeAndAbsent(ctx, files)
			of[files.Root] = task.Proof{Commit: files.Head(ctx).Commit, Tree: Fingerprint(trees[files.Root])}
		}
		p := of[files.Root]
		guards, err := guardsOf(ctx, s, t, files, trees[files.Root], absent[files.Root], nil)
		if p.Guards = guards.state(w.Actor()); err != nil {
			p = task.Proof{} // no pass counts where that cannot be told
		}
		out[id] = p
	}
	return out
}

// afterClose ends the live session, as finished, and the claim of a task that is being closed.
func afterClose(w *verb.Workspace, wc verb.WriteContext, t task.Task) {
	flow := wc.Store.Config.Flow
	if !flow.IsClosed(wc.Task.Status) && flow.IsClosed(t.Status) {
		wc.Tx.Claim(t.ID.Ref(), nil)
		wc.EndSession(session.Finished, w.Stamp("closed by "+string(w.Actor())))
	}
}

// Explain adds the report of the run to a refusal.
func (r Run) Explain(err error) error {
	var e *record.Error
	if r.Report == nil || verb.IsUnconfirmed(err) || !errors.As(err, &e) {
		return err
	}
	explained := *e
	explained.Details = map[string]any{"run": r.Report}
	maps.Copy(explained.Details, e.Details)
	return &explained
}

// byMerge returns MERGE_REQUIRED if the config has tasks closed by merging their branches (close_by: merge), the write
// would close the task as done, and its branch is not merged. A task whose branch has no changes is closed as ever, and
// any task may be abandoned. Without that setting it is so for a task whose work tree is in another repository: its
// commands would pass there, on work that is in no base.
func (tr Transition) byMerge(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) error {
	flow := s.Config.Flow
	if !s.Config.CloseByMerge && t.Repo == "" || tr.Merged != nil || flow.IsClosed(t.Status) || !flow.IsClosed(tr.To) || flow.IsAbandoned(tr.To) {
		return nil
	}
	branch, unmerged, err := verb.OwnWork().Unmerged(ctx, w, s, t)
	if err != nil || !unmerged {
		return err
	}
	return record.Errorf(record.MergeRequired, "is closed by merging its branch %s, which is not merged", branch).
		WithHint("%s asks the gates of what is merged, and closes it", record.CallTo("review_apply", "id", t.ID, "action", "merge"))
}

// allByMerge is byMerge for several tasks.
func (tr Transition) allByMerge(ctx context.Context, w *verb.Workspace, s *store.Store, ids []record.ID) error {
	if tr.To == "" {
		return nil
	}
	for _, id := range ids {
		t, err := kind.Tasks.Get(s, id)
		if err == nil {
			err = tr.byMerge(ctx, w, s, t)
		}
		if err != nil {
			return verb.WithID(err, id)
		}
	}
	return nil
}
