package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// LandIn is the input of Land.
type LandIn struct {
	IDs      []record.ID `json:"ids,omitempty" doc:"tasks to land; all that are approved by default" cli:"arg,several"`
	Base     string      `json:"base,omitempty" doc:"branch that they go into; the one that the work tree of each was made from by default"`
	OneByOne bool        `json:"one_by_one,omitempty" doc:"true: test each alone, and none together with others"`
	DryRun   bool        `json:"dry_run,omitempty" doc:"true: tell what would be landed, in which order and groups, and change nothing"`
	NoJobs   bool        `json:"no_jobs,omitempty" doc:"true: start no job of what is sent back" mcp:"quiet"`
	verb.Once
}

// LandOut is what became of each task, in the order in which it was settled.
type LandOut struct {
	Items    []Landing `json:"items" result:"rows"`
	DryRun   bool      `json:"dry_run,omitempty"`  // nothing was changed
	Commands int       `json:"commands,omitempty"` // how many commands of checks were run
	Replayed bool      `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Outcome is what became of a task that was to be landed. The words are stable.
type Outcome string

// The outcomes.
const (
	Landed    Outcome = "landed"     // it is in the base, and closed
	WouldLand Outcome = "would_land" // of a dry run
	SentBack  Outcome = "sent_back"  // it conflicts with what the base has, or breaks it
	Left      Outcome = "left"       // nothing was done with it
)

// Landing is what became of a task.
type Landing struct {
	Task   record.ID     `json:"task"`
	Title  string        `json:"title"`
	Became Outcome       `json:"outcome"`
	Head   string        `json:"head,omitempty"`   // the newest commit of its branch
	Into   string        `json:"into,omitempty"`   // the base
	Commit string        `json:"commit,omitempty"` // that brought it there
	Group  int           `json:"group,omitempty"`  // which were tested together, from 1
	Code   record.Code   `json:"code,omitempty"`   // why it did not land
	Why    string        `json:"why,omitempty"`
	With   []Counterpart `json:"with,omitempty"`  // what it conflicts with, or breaks with
	Files  []string      `json:"files,omitempty"` // in which it conflicts
	Job    string        `json:"job,omitempty"`   // that was started to settle it
}

// ExitOfLand is 4 if something was sent back, or was named and did not land.
func ExitOfLand(out any) int {
	landed, _ := out.(LandOut)
	for _, one := range landed.Items {
		if one.Became == SentBack || one.Became == Left && one.Code != "" {
			return verb.ExitCheckFailed
		}
	}
	return 0
}

// Land brings what is approved into its base, or the tasks that are named: what others wait for first, then the most
// urgent. Tasks whose files do not meet are merged and tested together, and go in by one commit; where that fails they are
// halved until it is known which fails. What conflicts with the base, or fails in it, is sent back to work with what both
// sides wanted, and its job is started again. What is not ready is left, with the reason.
//
// The base has at each moment a commit that was tested. A call that was killed is made once more: what has landed is
// closed, and what was sent back is not tried again before it is handed over.
func Land(ctx context.Context, w *verb.Workspace, s *store.Store, in LandIn) (LandOut, error) {
	l := &landing{w: w, s: s, in: in, outcomes: &gates.Outcomes{}, out: LandOut{Items: []Landing{}, DryRun: in.DryRun}}
	err := l.run(gates.Sharing(ctx, l.outcomes))
	l.out.Commands = l.outcomes.Runs()
	if err == nil && !in.DryRun {
		err = w.RememberCall(ctx, s, session.Key{Tasks: record.Each(l.out.Items, func(one Landing) record.ID { return one.Task })})
	}
	return l.out, err
}

// Replay tells how the tasks of a call that was made before stand now.
func (LandOut) Replay(w *verb.Workspace, _ *store.Store, made session.Key) (any, error) {
	out := LandOut{Items: []Landing{}, Replayed: true}
	for _, id := range made.Tasks {
		p, err := trees.OnTask(context.Background(), w, id)
		if err != nil {
			return nil, verb.NotHere(err, string(id))
		}
		one := Landing{Task: id, Title: p.Task.Title, Became: Left}
		if here, err := kind.Tasks.Get(p.Home, id); err == nil && p.Home.Config.Flow.IsClosed(here.Status) {
			one.Became = Landed
			one.Commit, _ = p.MergedCommit()
		} else if e, sent := p.Task.SentBack(); sent {
			one.Became, one.Why = SentBack, firstLine(e.Text)
		}
		out.Items = append(out.Items, one)
	}
	return out, nil
}

// landing is one call of Land.
type landing struct {
	w        *verb.Workspace
	s        *store.Store
	in       LandIn
	outcomes *gates.Outcomes
	out      LandOut

	waiting []*merging // what is to be landed and is not settled yet
	group   int        // how many groups were tested
}

func (l *landing) run(ctx context.Context) error {
	if err := l.collect(ctx); err != nil {
		return err
	}
	for _, base := range slices.Sorted(maps.Keys(record.SetOf(record.Each(l.waiting, func(m *merging) string { return m.base })))) {
		if err := l.into(ctx, base); err != nil {
			return l.stopped(ctx, err)
		}
	}
	return nil
}

// stopped is the end of a landing that cannot go on: what is not settled is left, with the reason. It is an error where
// there is nothing else to tell.
func (l *landing) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil || !slices.ContainsFunc(l.out.Items, func(one Landing) bool { return one.Became != Left }) {
		return err
	}
	for _, m := range slices.Clone(l.waiting) {
		l.leave(m, err)
	}
	return nil
}

// collect finds what is to be landed.
func (l *landing) collect(ctx context.Context) error {
	ids := record.Unique(l.in.IDs)
	if len(ids) == 0 {
		if l.s.Repo == nil {
			return nil
		}
		if !l.s.Trusted() {
			return untrusted()
		}
		g, err := l.w.Graph(ctx, l.s)
		if err != nil {
			return err
		}
		for _, r := range g.Rows() {
			if !l.s.Config.Flow.IsClosed(r.Status) && l.s.Git().HasBranch(ctx, worktree.Branch(record.ID(r.ID))) {
				ids = append(ids, record.ID(r.ID))
			}
		}
	}
	for _, id := range ids {
		p, err := trees.OnTask(ctx, l.w, id)
		if err == nil {
			err = l.w.InScope(id)
		}
		if err == nil {
			err = l.consider(ctx, p)
		}
		if err != nil && (len(l.in.IDs) > 0 || ctx.Err() != nil) {
			return verb.WithID(err, id)
		}
	}
	return l.order(ctx)
}

// consider puts a task among those that are landed, or among those that are left. Of those that nobody named it passes
// over what is not in review.
func (l *landing) consider(ctx context.Context, p trees.Place) error {
	m := &merging{Place: p, in: ApplyIn{ID: p.Task.ID, Base: l.in.Base}, base: cmp.Or(l.in.Base, p.Tree.Base), dry: l.in.DryRun}
	if out, before := m.before(ctx); before {
		l.settle(m, Landing{Became: Landed, Why: out.Notices[0].Message})
		return nil
	}
	if err := l.restart(ctx, m); err != nil {
		return err
	}
	if len(l.in.IDs) == 0 {
		why, review := l.unapproved(ctx, m)
		if !review {
			return nil
		}
		if why != "" {
			l.settle(m, Landing{Became: Left, Why: why})
			return nil
		}
	}
	err := m.prepare(ctx)
	if err == nil && p.Tree.Repo == "" {
		err = m.readFiles(ctx)
	}
	if err != nil {
		l.leave(m, err)
		return ctx.Err()
	}
	l.waiting = append(l.waiting, m)
	return nil
}

// unapproved says why a task that nobody named is not landed: nobody has approved it as its branch is, or it has an open
// pull request, which is merged on the host. It is not in review at all if nobody has handed it over or approved it.
func (l *landing) unapproved(ctx context.Context, m *merging) (why string, review bool) {
	flow := m.S.Config.Flow
	e, approved := m.Task.Approval()
	if !m.Made || flow.IsClosed(m.Task.Status) || !approved && (flow.Review == "" || m.Task.Status != flow.Review) {
		return "", false
	}
	tip, err := m.Repo().Objects().Fingerprint(ctx, "refs/heads/"+m.Tree.Branch)
	switch {
	case !approved:
		return "nobody has approved it yet", true
	case err == nil && e.Tree != "" && e.Tree != tip:
		return "its approval is of other files than its branch has now", true
	case slices.ContainsFunc(m.Task.Refs, func(r record.Reference) bool { return r.Type == record.PullRef && r.State == "open" }):
		return "it has an open pull request, which is merged on its host; name it to land it here", true
	}
	return "", true
}

// readFiles finds out which files the branch changes.
func (m *merging) readFiles(ctx context.Context) error {
	stat, err := m.Trees.Stat(ctx, m.Tree)
	if err != nil {
		return err
	}
	m.files = record.Each(stat.Files, func(f git.Lines) string { return f.Path })
	in := record.Each(m.files, func(path string) string { return strings.TrimPrefix(path, m.Home.InRepo("")) })
	m.area = task.AreaOf(m.Task.Scope).With(in)
	return nil
}

// order puts what others wait for first, and then the more urgent.
func (l *landing) order(ctx context.Context) error {
	if len(l.waiting) < 2 {
		return nil
	}
	g, err := l.w.Graph(ctx, l.s)
	if err != nil {
		return err
	}
	slices.SortStableFunc(l.waiting, func(a, b *merging) int {
		one, other := g.Row(a.Task.ID), g.Row(b.Task.ID)
		if one == nil || other == nil {
			return cmp.Compare(a.Task.ID, b.Task.ID)
		}
		return tasks.MoreUrgent(one, other)
	})
	left := l.waiting
	l.waiting = nil
	for len(left) > 0 {
		first := max(0, slices.IndexFunc(left, func(m *merging) bool { return !waitsFor(m, left) }))
		l.waiting = append(l.waiting, left[first])
		left = slices.Delete(slices.Clone(left), first, first+1)
	}
	return nil
}

// waitsFor reports whether a task depends on one of these.
func waitsFor(m *merging, all []*merging) bool {
	return slices.ContainsFunc(all, func(other *merging) bool { return slices.Contains(m.Task.Deps, other.Task.ID) })
}

// groups are the tasks that go into a base, in their order: of a group each touches other files than the others, and none
// waits for one of its own or a later group.
func (l *landing) groups(base string) (groups []together) {
	of := map[record.ID]int{}
	for _, m := range l.waiting {
		if m.base != base {
			continue
		}
		at := 0
		for _, dep := range m.Task.Deps {
			if n, ok := of[dep]; ok {
				at = max(at, n+1)
			}
		}
		for at < len(groups) && !l.fits(groups[at], m) {
			at++
		}
		if at >= len(groups) {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at], of[m.Task.ID] = append(groups[at], m), at
	}
	return groups
}

// fits reports whether a task can be tested together with those of a group.
func (l *landing) fits(group together, m *merging) bool {
	if len(group) == 0 {
		return true
	}
	alone := func(m *merging) bool { return m.Tree.Repo != "" || m.S.Config.Flow.IsClosed(m.Task.Status) }
	if l.in.OneByOne || alone(m) || alone(group[0]) {
		return false
	}
	return !slices.ContainsFunc(group, func(other *merging) bool { return len(m.area.Meets(other.area, 1)) > 0 })
}

// into lands what goes into a base, while no other landing does.
func (l *landing) into(ctx context.Context, base string) error {
	groups := l.groups(base)
	if l.in.DryRun {
		for _, group := range groups {
			l.group++
			for _, m := range group {
				l.settle(m, Landing{Became: WouldLand, Into: base, Group: l.group})
			}
		}
		return nil
	}
	release, err := groups[0][0].Trees.Alone(ctx, "landing "+base)
	if err != nil {
		return err
	}
	defer release()
	for _, group := range groups {
		l.group++
		if err := l.land(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// land lands a group, or finds out which of it cannot be landed and lands the rest. Its error is why nothing more can be
// landed.
func (l *landing) land(ctx context.Context, group together) error {
	group, err := l.mergeable(ctx, group)
	if err != nil || len(group) == 0 {
		return err
	}
	done, err := l.merge(ctx, group)
	e, _ := errors.AsType[*record.Error](err)
	switch {
	case err == nil:
		for i, m := range group {
			l.settle(m, Landing{Became: Landed, Into: m.base, Commit: done[i].MergedCommit, Group: l.group})
		}
		return nil
	case ctx.Err() != nil || e == nil || ofBase(e):
		return err
	case len(group) == 1:
		return l.judge(ctx, group[0], e)
	case failed(e) == "" && e.ID != "" && group.has(record.ID(e.ID)): // one of them is refused, by itself
		alone := func(m *merging) bool { return string(m.Task.ID) == e.ID }
		rest := slices.DeleteFunc(slices.Clone(group), alone)
		if err := l.land(ctx, rest); err != nil {
			return err
		}
		return l.land(ctx, slices.DeleteFunc(slices.Clone(group), func(m *merging) bool { return !alone(m) }))
	}
	first, second := group.halves(failed(e))
	if err := l.land(ctx, first); err != nil {
		return err
	}
	return l.land(ctx, second)
}

// mergeable is what of a group can be merged. It sends back what conflicts with the base, and leaves what waits for a task
// that did not land.
func (l *landing) mergeable(ctx context.Context, group together) (out together, err error) {
	for _, m := range group {
		if dep := l.missing(m); dep != "" {
			l.leave(m, record.Errorf(record.DepsOpen, "waits for %s, which did not land", dep))
			continue
		}
		if m.Tree.Repo != "" {
			out = append(out, m)
			continue
		}
		files, err := m.Trees.TryMerge(ctx, m.Tree, m.base)
		if err == nil && len(files) > 0 {
			err = l.conflicts(ctx, m, files)
		} else {
			out = append(out, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// missing is a dependency of a task that was to be landed before it, and was not; "" if there is none.
func (l *landing) missing(m *merging) record.ID {
	for _, one := range l.out.Items {
		if one.Became != Landed && slices.Contains(m.Task.Deps, one.Task) {
			return one.Task
		}
	}
	return ""
}

// merge merges a group, as review merge does one.
func (l *landing) merge(ctx context.Context, group together) (done []ApplyOut, err error) {
	if group[0].Tree.Repo != "" {
		one, err := mergeWork(ctx, group[0].Place, group[0].in)
		return []ApplyOut{one}, err
	}
	for _, m := range group {
		if m.own, m.with = nil, nil; len(group) > 1 {
			m.own, m.with = m.files, group
		}
	}
	commit, err := group.merge(ctx, group.message())
	if err != nil {
		return nil, err
	}
	return record.Each(group, func(m *merging) ApplyOut { return m.home(ctx, commit) }), nil
}

// message is that of the commit that has a group.
func (all together) message() string {
	if len(all) == 1 {
		return "Merge " + all[0].Tree.Branch + " into " + all[0].base + ": " + all[0].Task.Title
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Merge %d tasks into %s\n\n", len(all), all[0].base)
	for _, m := range all {
		fmt.Fprintf(&b, "%s: %s\n", m.Tree.Branch, m.Task.Title)
	}
	return b.String()
}

// ofBase reports whether an error is about the base, or about this machine, so that nothing else will land either.
func ofBase(e *record.Error) bool {
	return slices.Contains([]record.Code{record.BaseDirty, record.BaseMoved, record.Git, record.IO, record.Busy, record.Untrusted, record.Offline}, e.Code)
}

// failed is what the checks printed that failed where the work was merged, or its set-up; "" for an error of another kind.
func failed(e *record.Error) string {
	if e.Code != record.ChecksFailed {
		return ""
	}
	if report, ok := e.Details["run"].(*verb.RunReport); ok {
		return gates.FailedOutput(report)
	}
	text, _ := e.Details["output"].(string)
	return text
}

// halves are two parts of a group whose checks fail together: those whose files the output names come last, or else the
// later half.
func (all together) halves(output string) (first, second together) {
	for _, m := range all {
		if slices.ContainsFunc(m.files, func(path string) bool { return strings.Contains(output, path) }) {
			second = append(second, m)
		} else {
			first = append(first, m)
		}
	}
	if len(first) == 0 || len(second) == 0 {
		half := (len(all) + 1) / 2
		return all[:half], all[half:]
	}
	return first, second
}

// judge settles a task that cannot be landed by itself.
func (l *landing) judge(ctx context.Context, m *merging, e *record.Error) error {
	switch {
	case e.Code == record.MergeConflict:
		return l.conflicts(ctx, m, nil)
	case failed(e) != "" && m.Tree.Repo == "":
		return l.breaks(ctx, m, e)
	}
	l.leave(m, e)
	return nil
}

// leave settles a task with which nothing was done.
func (l *landing) leave(m *merging, err error) {
	l.settle(m, Landing{Became: Left, Code: record.CodeOf(err), Why: record.MessageOf(err)})
}

// settle says what became of a task.
func (l *landing) settle(m *merging, became Landing) {
	became.Task, became.Title, became.Head = m.Task.ID, m.Task.Title, m.head
	l.out.Items = append(l.out.Items, became)
	l.waiting = slices.DeleteFunc(l.waiting, func(other *merging) bool { return other == m })
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
