package review

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

type merging struct {
	trees.Place
	in    ApplyIn
	base  string        // branch that it is merged into
	to    record.Status // the closed state that the task gets
	head  string        // the newest commit of its branch
	tree  string        // the fingerprint of its files, which a reviewer approved
	later *store.Later

	sessions []string  // those of the task, which the close may end
	round    record.ID // the task that the close made, of one that repeats
	out      verb.Task // as the last try left it

	with together // all that go in together, where that is more than this one
	own  []string // the files that it changes, from the top of the repository, where others go in with it

	dry   bool      // nothing is to be changed
	files []string  // what a landing knows of it: the files that it changes
	area  task.Area // and these with its scope
}

// mergeWork merges the branch of a task into its base, and closes the task. The merge is made in a work tree that is
// thrown away: there the gates are asked of the files as merged, and the close is written. Only then the base moves.
// What refuses the merge leaves base, branch, task and claims as they were.
func mergeWork(ctx context.Context, p trees.Place, in ApplyIn) (ApplyOut, error) {
	m := &merging{Place: p, in: in, base: cmp.Or(in.Base, p.Tree.Base)}
	if out, before := m.before(ctx); before {
		return out, nil
	}
	if err := m.prepare(ctx); err != nil {
		return ApplyOut{}, err
	}
	message := cmp.Or(in.Text, "Merge "+m.Tree.Branch+" into "+m.base+": "+m.Task.Title)
	if m.Tree.Repo != "" {
		return m.elsewhere(ctx, message)
	}
	commit, err := together{m}.merge(ctx, message)
	if err != nil {
		return ApplyOut{}, err
	}
	return m.home(ctx, commit), nil
}

// home is the answer once a commit has brought the work into the base.
func (m *merging) home(ctx context.Context, commit string) ApplyOut {
	at := ""
	if m.Home.Head(ctx).Branch == m.base {
		at = m.Home.Worktree
	}
	// The merge has come, whatever the live state takes: a claim that stays there is one of a closed task, and lapses.
	_ = m.later.Apply(context.WithoutCancel(ctx), m.Home, m.base, at, commit)
	out := ApplyOut{Task: m.out, MergedCommit: commit, MergedInto: m.base}
	// It is answered as the caller's folder has it, if that has the base checked out.
	if t, err := kind.Tasks.Get(m.Home, m.Task.ID); err == nil && m.Home.Config.Flow.IsClosed(t.Status) {
		out.Task = m.W.View(m.Home).Task(t)
		out.Run = m.out.Run
	}
	return out
}

// together are tasks whose branches go into one base by one commit, or none of them.
type together []*merging

// merge merges the branches in a work tree that is thrown away, asks the gates of each there, and moves the base. An error
// that is about one task has its id.
func (all together) merge(ctx context.Context, message string) (string, error) {
	one := all[0]
	return one.Trees.MergeAll(ctx, record.Each(all, func(m *merging) worktree.Tree { return m.Tree }), worktree.Merge{
		Base: one.base, Strategy: one.in.Strategy, Message: message, Gate: all.gate, Records: all.records, Last: all.unmoved,
	})
}

// gate asks the gates of each task of the files as they are merged in a folder, and writes the closes there.
func (all together) gate(ctx context.Context, dir string) error {
	ready := false // the set-up has run
	return all.each(func(m *merging) error { return m.gate(ctx, dir, &ready) })
}

// unmoved is the same of each.
func (all together) unmoved(ctx context.Context) error {
	return all.each(func(m *merging) error { return m.unmoved(ctx) })
}

// each calls a function with each until one fails, and names the task in its error.
func (all together) each(do func(*merging) error) error {
	for _, m := range all {
		if err := do(m); err != nil {
			return verb.WithID(err, m.Task.ID)
		}
	}
	return nil
}

// has reports whether a task is one of them.
func (all together) has(id record.ID) bool {
	return slices.ContainsFunc(all, func(m *merging) bool { return m.Task.ID == id })
}

// before is the answer where a merge has brought home all that the branch has and closed the task: there is nothing to
// do, and a notice says so.
func (m *merging) before(ctx context.Context) (ApplyOut, bool) {
	flow, log := m.S.Config.Flow, m.Task.Provenance
	if !flow.IsClosed(m.Task.Status) || flow.IsAbandoned(m.Task.Status) || m.Repo() == nil || m.Made && m.base != m.Tree.Base {
		return ApplyOut{}, false
	}
	tip, err := m.Repo().Commit(ctx, "refs/heads/"+worktree.Branch(m.Task.ID))
	if err != nil || !slices.ContainsFunc(log, func(e record.Entry) bool { return e.Said().Merged != "" && (tip == "" || e.Said().Merged == tip) }) {
		return ApplyOut{}, false
	}
	out := ApplyOut{Task: m.W.View(m.S).Task(m.Task)}
	out.Notices = []verb.Notice{{Code: "MERGED_BEFORE", Message: "its work was merged and the task closed before; nothing was to do"}}
	return out, true
}

func (m *merging) prepare(ctx context.Context) error {
	flow := m.S.Config.Flow
	if flow.IsAbandoned(m.Task.Status) {
		return record.Errorf(record.TaskClosed, "is %s, and what was given up is not merged", m.Task.Status).
			WithHint("move it to an open state first, if it is to be done after all").WithNext(record.CallTo("get", "id", m.Task.ID))
	}
	if m.to = flow.Done(); m.to == "" {
		return record.Errorf(record.UnknownState, "the workspace has no closed state that says the work is done").WithHint("add one to closed in .cairn/config.yaml")
	}
	first := ready
	if m.dry {
		first = settled
	}
	if err := first(ctx, m.Place, "merged"); err != nil {
		return err
	}
	if e, sent := m.Task.SentBack(); sent && !flow.IsClosed(m.Task.Status) {
		return record.Errorf(record.Conflict, "was sent back by %s, and not handed over again", e.Who).
			WithHint("what was missing: %s", record.Clip(e.Text, 300)).WithNext(record.CallTo("get", "id", m.Task.ID)).ForGood()
	}
	if err := m.Unfinished(m.Caller.Actor()); err != nil {
		return err
	}
	if err := witnessed(ctx, m.Place); err != nil {
		return err
	}
	if err := m.in.at(ctx, m.Place); err != nil {
		return err
	}
	err := m.honest(ctx)
	if err == nil { // asked before the base is locked; what the merge itself brings is asked for in there
		err = gates.ConsentFor(ctx, m.W, m.S, m.Task, gates.ToWork(m.S, m.Task))
	}
	if err != nil {
		return err
	}
	if m.head, err = m.Repo().Commit(ctx, "refs/heads/"+m.Tree.Branch); err == nil {
		m.tree, err = m.Repo().Objects().Fingerprint(ctx, m.head)
	}
	if err != nil {
		return err
	}
	return m.W.StillOurs(ctx, m.Home, m.Task.ID)
}

// witnessed returns why the record of a branch is not believed: it has lost a verdict that was given here, or says what
// nobody said; or that the branch changes a workspace of another repository.
func witnessed(ctx context.Context, p trees.Place) error {
	if err := p.Lost(""); err != nil {
		return err
	}
	if err := p.Foreign(ctx); err != nil {
		return err
	}
	return p.Strays(ctx)
}

// gate asks the gates of the files as they are merged in a folder, and writes the close there.
func (m *merging) gate(ctx context.Context, dir string, ready *bool) error {
	w := m.W.At(dir)
	w.Fresh = true
	if err := m.unmoved(ctx); err != nil {
		return err
	}
	s, err := w.Open()
	if err != nil {
		return err
	}
	s, m.later = s.Apart()
	defer s.Runs().Forget()
	t, err := kind.Tasks.Get(s, m.Task.ID)
	if err != nil {
		return err
	}
	m.sessions = nil
	for _, e := range t.Provenance {
		m.sessions = append(m.sessions, e.Session)
	}
	if err := m.dependencies(ctx, s, t); err != nil {
		return err
	}
	if err := m.setUp(ctx, w, s, t, ready); err != nil {
		return err
	}
	if s.Config.Flow.IsClosed(t.Status) {
		m.out, err = m.closed(ctx, w, s, t)
	} else {
		m.out, err = m.closing(w, s).Make(ctx, w, s, m.Task.ID)
	}
	err = m.whereSettled(ctx, s, t, err)
	m.keepLog(s, m.out.Run, err)
	if err == nil {
		m.round = m.nextRound(s)
		err = m.kept(ctx, s)
	}
	if err == nil {
		err = m.unmoved(ctx) // the checks may have taken long
	}
	return err
}

// nextRound is the task that the close made, of one that repeats, if it is as the close makes it; else "".
func (m *merging) nextRound(s *store.Store) record.ID {
	t, err := kind.Tasks.Get(s, m.Task.ID)
	id := task.Round(t.Provenance.Last())
	if err != nil || id == "" {
		return ""
	}
	made, missing := kind.Tasks.Get(s, id)
	wanted, err := s.Config.Flow.NextRound(t)
	if missing != nil || err != nil || len(made.Provenance) != 1 || made.Title != wanted.Title || made.Body != wanted.Body ||
		!slices.Equal(made.CheckHashes(), wanted.CheckHashes()) {
		return ""
	}
	return id
}

// closing is the close of the task that comes with the merge.
func (m *merging) closing(w *verb.Workspace, s *store.Store) gates.Transition {
	stamp := w.Stamp(m.in.Text)
	stamp.Detail.Merged = m.head
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *record.Entry, error) {
		return s.Config.Flow.Move(wc.Task, m.to, p, kind.Deps(wc.Tx, s.Config.Flow), stamp)
	}
	return gates.Transition{To: m.to, Preview: gates.Unchanged, Decide: decide, Merged: &gates.Merged{Head: m.head, Tree: m.tree, Own: m.own}}
}

// whereSettled has the refusal of a merge for a manual check say where that is settled: on the branch. What is attested
// in another checkout is said of the files there, and stands in a record that is not merged.
func (m *merging) whereSettled(ctx context.Context, s *store.Store, t task.Task, refused error) error {
	var e *record.Error
	if record.CodeOf(refused) != record.ChecksPending || !errors.As(refused, &e) {
		return refused
	}
	standing := s.Config.Flow.Standings(t, m.proof(ctx, s))
	for i, c := range t.Checks {
		if !c.Manual() || standing(i) == record.Pass {
			continue
		}
		told := *e
		args := []any{"id", t.ID}
		if c.Reviewer() != "" {
			args = append(args, "action", approve)
		} else {
			args = append(args, "check", i, "pass", record.Either)
		}
		if s.Config.Flow.MustSign(c) {
			args = append(args, "sign", true)
		}
		if c.Reviewer() != "" {
			return told.WithHint("%s looks at the branch and approves it: %s", c.Reviewer(), record.CallTo("review_apply", args...).OnlyShown())
		}
		return told.WithHint("somebody looks at it and settles it in the work tree, %s: %s", m.Tree.Path, record.CallTo("attest", args...).ByPerson())
	}
	return refused
}

// proof is what the files of a working tree, as merged, are asked by.
func (m *merging) proof(ctx context.Context, s *store.Store) task.Proof {
	return task.Proof{Commit: s.Head(ctx).Commit, Tree: gates.Fingerprint(gates.WorkTree(ctx, s)), Reviewed: m.tree}
}

// closed asks the checks of a task that was closed on its branch: its commands run on the files as merged. Failed ones
// refuse the merge.
func (m *merging) closed(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (verb.Task, error) {
	flow := s.Config.Flow
	proof := m.proof(ctx, s)
	open := t
	open.Status = flow.Initial
	todo := flow.ToRun(open, t.Status, task.Proof{})
	if len(todo) == 0 {
		return w.View(s).Task(t), flow.ChecksGate(open, t.Status, proof, w.Actor())
	}
	ran, err := gates.RunChecks(ctx, w, s, t, todo)
	if err != nil {
		return verb.Task{}, err
	}
	proof.Run, proof.Guards = ran.Proof.Run, ran.Proof.Guards
	if err := flow.ChecksGate(open, t.Status, proof, w.Actor()); err != nil {
		return verb.Task{Run: ran.Report}, ran.Explain(err)
	}
	out, err := w.ChangeIn(ctx, s, t.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if err := ran.Alone(wc.Task); err != nil {
			return wc.Task, nil, err
		}
		return ran.Record(wc, ran.Proof.Run.Of(wc.Task), w.Stamp(""))
	})
	out.Run = ran.Report
	return out, err
}

// setUp runs the set-up of a work tree, if checks will run and it is not ready. It returns CHECKS_FAILED if that fails, because then the
// checks would say nothing.
func (m *merging) setUp(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, ready *bool) error {
	flow := s.Config.Flow
	t.Status = flow.Initial
	if *ready || s.Config.WorktreeSetup == "" || len(flow.ToRun(t, m.to, task.Proof{})) == 0 {
		return nil
	}
	failed, err := gates.SetUp(ctx, w, s, record.ChecksFailed, "the set-up of a work tree (worktree_setup) failed where the merge was tested")
	if failed != nil {
		return failed.WithNext(record.CallTo("get", "id", m.Task.ID))
	}
	*ready = err == nil
	return err
}

// keepLog takes the log of a run out of the work tree that is thrown away. A log that cannot be kept is not named.
func (m *merging) keepLog(s *store.Store, report *verb.RunReport, err error) {
	var e *record.Error
	if errors.As(err, &e) {
		if told, ok := e.Details["run"].(*verb.RunReport); ok {
			report = told
		}
	}
	if report == nil || report.Log == "" {
		return
	}
	src, err := layout.ReadFile(s.Abs(report.Log))
	s.Runs().Drop(report.Log) // where git does not ignore it, it would be merged
	report.Log = ""
	if err != nil {
		return
	}
	write := func(out io.Writer) error { _, err := out.Write(src); return err }
	if name, err := m.Home.Runs().Write(m.Task.ID, m.W.Now(), write); err == nil {
		report.Log = name
	}
}

// honest returns CHECKS_FAILED for what cairn check calls an error of the branch as a change of the commit that it left
// its base at, unless it is one of that commit itself: a check that was weakened, or a record that was rewritten. The
// gates would be asked of the checks that are left.
func (m *merging) honest(ctx context.Context) error {
	stat, err := m.Trees.Stat(ctx, m.Tree)
	if err != nil || len(stat.Records) == 0 {
		return err
	}
	there, err := m.InTree()
	if err != nil {
		return err
	}
	return m.sound(ctx, there, stat.From)
}

// kept returns CHECKS_FAILED for what cairn check calls an error of the merge, with the task closed, as a change of the
// base, unless it is one of the base itself. Of an open task it only warns of much of that, such as a check that was
// taken away, or one that somebody settled who may not by the config of the base.
func (m *merging) kept(ctx context.Context, s *store.Store) error {
	base, err := m.Home.Repo.Commit(ctx, "refs/heads/"+m.base)
	if err != nil {
		return err
	}
	return m.sound(ctx, s, base)
}

// sound returns CHECKS_FAILED for an error that cairn check finds in the working tree of a store as a change of a
// commit, and does not find in that commit.
func (m *merging) sound(ctx context.Context, s *store.Store, base string) error {
	errs, err := snapshot.ErrorsSince(ctx, s.Layout, base, trees.TrustRules...)
	if err == nil {
		errs, err = m.withoutSeen(ctx, s, base, errs)
	}
	switch {
	case record.CodeOf(err) == record.NoBase: // the base has no workspace yet
		return nil
	case err != nil || len(errs) == 0:
		return err
	}
	f, get := errs[0], record.CallTo("get", "id", m.Task.ID)
	if slices.Contains(trees.TrustRules, f.Rule) {
		return record.Errorf(record.ChecksFailed, "the branch changes what is run, or asked of all work, and no approval is of that: %s in %s: %s", f.Rule, f.Path, f.Message).
			WithHint("take it out of the branch in %s; a person who wants it commits it on %s", m.Tree.Path, m.base).WithNext(get).ForGood()
	}
	return record.Errorf(record.ChecksFailed, "cairn check finds %s in %s of the branch: %s", f.Rule, f.Path, f.Message).
		WithHint("%s in %s says what to do about it", record.CallTo("check", "base", base), m.Tree.Path).WithNext(get)
}

// withoutSeen leaves out the commands that somebody has seen, or that are the branch's own matter: those of tasks that
// the branch makes, those that a person declared by the newest entry about them, and those of the task itself unless it
// was approved before. A review lists them all.
func (m *merging) withoutSeen(ctx context.Context, s *store.Store, base string, found []proof.Finding) ([]proof.Finding, error) {
	had := map[record.ID]bool{}
	var of []record.Ref
	for _, f := range found {
		if f.Rule == proof.CommandChanged.ID && f.Task != "" {
			of = append(of, f.Task.Ref())
		}
	}
	err := place.InCommits(ctx, s.Layout, []string{base}, of, func(ref record.Ref, _ []byte) { had[record.ID(ref.ID)] = true })
	return slices.DeleteFunc(found, func(f proof.Finding) bool {
		if f.Rule != proof.CommandChanged.ID || f.Severity.AtLeast(proof.Error) || f.Task == "" {
			return false
		}
		t, err := kind.Tasks.Get(s, f.Task)
		if err != nil || !had[f.Task] {
			return err == nil
		}
		who, approved := t.DeclaredBy()
		return who.Human() || (t.ID == m.Task.ID || m.with.has(t.ID)) && !approved
	}), err
}

// unmoved returns CONFLICT if the branch has a commit that nobody has looked at, or the record an entry, such as a
// rejection: it came since the merge began.
func (m *merging) unmoved(ctx context.Context) error {
	tip, err := m.Repo().Commit(ctx, "refs/heads/"+m.Tree.Branch)
	if err == nil && tip != m.head {
		err = record.Errorf(record.Conflict, "%s was committed to while it was being merged", m.Tree.Branch).WithHint("look at it again").WithNext(record.CallTo("get", "id", m.Task.ID))
	}
	if err != nil {
		return err
	}
	now, err := kind.Tasks.Get(m.S, m.Task.ID)
	if err != nil || slices.EqualFunc(now.Provenance, m.Task.Provenance, record.Entry.Equal) {
		return err
	}
	last := now.Provenance.Last()
	return record.Errorf(record.Conflict, "its record was written to while it was being merged: %s by %s", last.Did, last.Who).
		WithHint("look at it again; what a check runs must not write under .cairn").WithNext(record.CallTo("get", "id", m.Task.ID))
}

// records returns CHECKS_FAILED for records that were written where the merge is tested and are not of the closes:
// commands of the branch wrote them, and nobody has reviewed that.
func (all together) records(paths []string) error {
	for _, path := range paths {
		k, id, ok := kind.At(strings.TrimPrefix(path, all[0].Home.InRepo("")))
		switch {
		case ok && k == kind.Tasks.Kind && all.has(record.ID(id)):
		case ok && k == kind.Tasks.Kind && slices.ContainsFunc(all, func(m *merging) bool { return string(m.round) == id }):
		case ok && k == kind.Sessions.Kind && slices.ContainsFunc(all, func(m *merging) bool { return slices.Contains(m.sessions, id) }):
		default:
			return record.Errorf(record.ChecksFailed, "a check wrote %s while the merge was tested", path).
				WithHint("what a check runs must not write under .cairn").ForGood()
		}
	}
	return nil
}

// dependencies returns DEPS_OPEN if the task waits for something that is open in what is merged: it may have been
// opened again since the work began. In the checkout of the base that counts before it is committed too.
func (m *merging) dependencies(ctx context.Context, s *store.Store, t task.Task) error {
	t.Status = s.Config.Flow.Initial
	merged := kind.Deps(s, s.Config.Flow)
	find := merged
	if m.Home.Head(ctx).Branch == m.base {
		here := kind.Deps(m.Home, s.Config.Flow)
		find = func(id record.ID) (task.Task, bool) {
			dep, ok := merged(id)
			// What is here counts if it has every entry of the other version, and more.
			if now, there := here(id); ok && there && len(now.Provenance) > len(dep.Provenance) {
				known := now.Provenance.Hashes()
				if !slices.ContainsFunc(dep.Provenance, func(e record.Entry) bool { return !known[e.Hash()] }) {
					return now, true
				}
			}
			return dep, ok
		}
	}
	return s.Config.Flow.DepsGate(t, m.to, find)
}
