package proof

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Written is the commit that brought an entry.
type Written struct {
	Find task.Find // the tasks, and what else tasks depend on, as that commit has them

	// Before are these as the commits have them that it was made from; of an entry that is not committed, as HEAD has
	// them.
	Before []task.Find

	// From are these as the commits of the base have them that it and its ancestors in the change were made from.
	From []task.Find

	// Lost returns the entries of one of these that an ancestor of it, or a commit of From, had, and that it does not
	// have. It may be nil.
	Lost func(id record.ID) []record.Entry

	At    time.Time // when it was made
	Later bool      // the base is among its ancestors
}

// lost is Lost, where that may be nil.
func (w Written) lost(id record.ID) []record.Entry {
	if w.Lost == nil {
		return nil
	}
	return w.Lost(id)
}

// replayed judges whether the rules of package task would have allowed the new entries of a task, and whether the
// entries explain its dependencies and checks.
func (r pairRules) replayed() {
	review := r.change.Config.Flow.Review // of the change, if the base has another
	if !r.change.Config.Sound() || review == r.flow.Review {
		review = ""
	}
	replay := task.Replay{
		Flow: r.flow, Planning: r.change.planning(), AlsoReview: review,
		Now: r.now.Task, Fresh: func(i int) bool { return r.fresh[i] }, Past: r.change.Past[r.now.ID()],
		FindAt:    r.findAt,
		WrittenIn: r.writtenIn,
	}
	if r.was != nil {
		replay.Before = &r.was.Task
	}
	for _, b := range replay.Breaches() {
		r.breach(b)
	}
	r.startedAround()
}

// breach reports a breach under the rule that covers it.
func (r pairRules) breach(b task.Breach) {
	id, at := r.now.ID(), Path{"provenance", b.Entry}
	ofEntry := func(rule Rule) *found {
		return r.report(rule, &r.now.File, at, "entry %d (%s) %s", b.Entry+1, r.entry(b), b.Reason)
	}
	switch b.Kind {
	case task.UnreachedState:
		ofEntry(StatusUnexplained)
	case task.EarlyStart:
		r.report(StartedEarly, &r.now.File, r.depAt(b.Dep), "was started (%s) before %s, which it depends on, was closed", r.entry(b), b.Dep).
			fix("start it again once %s is closed; until then: cairn transition %s %s", b.Dep, id, r.flow.Initial)
	case task.StalePass:
		r.unsettled(EvidenceStale, r.now, b.Check, "%s (%s)", b.Reason, r.entry(b)).warnIf(b.MadeGood && !r.needed[r.now.ID()])
	case task.ForeignHold:
		ofEntry(AssigneeUnexplained)
	case task.DroppedDep, task.QuestionableDep:
		ofEntry(DepsWeakened).warnIf(b.Kind == task.QuestionableDep)
	case task.LostCheck:
		declared := slices.ContainsFunc(r.now.Task.Provenance, func(e record.Entry) bool { return e.Checks != nil })
		r.report(ChecksUnexplained, &r.now.File, Path{"checks"}, "%s", b.Reason).
			fix("write it back; cairn update %s changes the list, with an entry that says so", id).
			warnIf(declared && !r.flow.ClaimsDone(r.now.Task.Status))
	case task.LostDep:
		r.report(DepsUnexplained, &r.now.File, Path{"deps"}, "%s", b.Reason).
			fix("write %s back into deps; if it is no longer needed, then: cairn update %s --remove-dep %s --reason 'no longer needed'", b.Dep, id, b.Dep)
	case task.UnrecordedDep:
		r.report(DepsUnexplained, &r.now.File, r.depAt(b.Dep), "%s", b.Reason).
			fix("take %s out of deps; if it is needed, then: cairn update %s --add-dep %s", b.Dep, id, b.Dep).warnIf(true)
	case task.RefusedEntry:
		ofEntry(EntryRefused).warnIf(b.MadeGood && !r.needed[r.now.ID()])
	}
}

// entry describes the entry that a breach is about.
func (r pairRules) entry(b task.Breach) string { return describe(r.now.Task.Provenance[b.Entry]) }

// startedAround finds a start that the change made while a dependency was abandoned for a moment only: the change
// abandoned the dependency before the start and opened it again afterwards.
func (r pairRules) startedAround() {
	t := r.now.Task
	if r.waits(t.Status) {
		return
	}
	for i, e := range t.Provenance {
		if !r.fresh[i] || e.To == "" || r.waits(e.To) || !r.waits(e.From) {
			continue
		}
		for _, id := range t.Deps {
			if dep, ok := r.find(id); ok && r.abandonedAround(dep, e.At) {
				r.report(StartedEarly, &r.now.File, r.depAt(id), "was started (%s) while %s, which it depends on, was abandoned; it is open again", describe(e), id).
					fix("start it again once %s is closed; until then: cairn transition %s %s", id, t.ID, r.flow.Initial).warnIf(true)
			}
		}
	}
}

// abandonedAround reports whether a task is open, and the change abandoned it before a time and opened it again after
// that.
func (r pairRules) abandonedAround(dep task.Task, at time.Time) bool {
	if r.change.closing().DepClosed(dep) {
		return false
	}
	fresh, abandoned, opened := r.brought[dep.ID], false, false
	for i, e := range dep.Provenance {
		abandoned = abandoned || fresh[i] && r.flow.IsAbandoned(e.To) && !e.At.After(at)
		opened = opened || fresh[i] && r.flow.IsAbandoned(e.From) && !e.At.Before(at)
	}
	return abandoned && opened
}

// waits reports whether work has not begun in a state, or was given up.
func (r pairRules) waits(s record.Status) bool {
	return s == r.flow.Initial || r.flow.IsAbandoned(s) || slices.Contains(r.change.planning(), s)
}

// findAt looks tasks up as they were when an entry was written, by their provenance. A task that the change deletes is
// as the base has it. An entry is not later than the commit that brought it, whatever time it gives.
func (r pairRules) findAt(e record.Entry) task.Find {
	committed := e.At
	if w, ok := r.change.BroughtBy(r.now.ID(), e); ok && w.At.Before(e.At) {
		committed = w.At
	}
	return func(id record.ID) (task.Task, bool) {
		dep, ok := r.findOrBase(id)
		// It may be open in the base, by later entries. An entry that was written on top of the base cannot claim an earlier
		// time to avoid that; whether it was, the commit that brought it decides (see writtenIn).
		closing := r.change.closing()
		base, inBase := r.change.inBase(id)
		openInBase := inBase && !closing.DepClosed(base) && base.Provenance.Last().At.After(e.At)
		return r.closedOrOpen(dep, !openInBase && closing.ClosedAt(dep, e.At) && closing.ClosedAt(dep, committed)), ok
	}
}

// closedOrOpen gives a task some closed state, or the initial one. What stands for a record of another kind becomes a
// task.
func (r pairRules) closedOrOpen(t task.Task, closed bool) task.Task {
	t.Status, t.Other = r.flow.Initial, nil
	if closed && len(r.flow.Closed) > 0 {
		t.Status = r.flow.Closed[0]
	}
	return t
}

// writtenIn returns the task and its dependencies as they are in the commit that brought an entry: its writer could not
// know of other branches. It reports false if that commit does not go on from what it was made from: it lacks an entry
// that one of its ancestors has of the task, or knows nothing of the task as the base has it. A dependency counts as
// closed only by entries that are still in its provenance, and that the commit or an ancestor of it has.
func (r pairRules) writtenIn(e record.Entry) (task.Commit, bool) {
	w, ok := r.change.BroughtBy(r.now.ID(), e)
	if !ok { // it is not committed yet
		w.Find, w.From, w.Later = r.findOrBase, []task.Find{r.change.inBase}, true
	}
	own, ok := w.Find(r.now.ID())
	if !ok || !r.goesOn(own, w) {
		return task.Commit{}, false
	}
	find := func(id record.ID) (task.Task, bool) {
		// One built on the base is later than every entry that the base has of the task, whatever time it gives.
		since := e.At
		if base, ok := r.change.inBase(id); ok && w.Later && base.Provenance.Last().At.After(since) {
			since = base.Provenance.Last().At.Add(time.Second) // entries of the same second have no order
		}
		dep, ok := w.Find(id)
		if _, inBase := r.change.inBase(id); inBase && len(w.From) == 0 {
			return r.closedOrOpen(dep, false), ok // another history says nothing of it
		}
		lost := w.lost(id)
		return r.closedOrOpen(dep, ok && (r.wasClosed(dep, lost, since) || r.stayedClosed(dep, lost, w))), ok
	}
	commit := task.Commit{Task: own, Find: find, At: w.At}
	switch {
	case w.Later && r.was != nil:
		commit.From = []task.Task{r.was.Task}
	case !w.Later:
		for _, from := range w.From {
			if t, ok := from(r.now.ID()); ok {
				commit.From = append(commit.From, t)
			}
		}
	}
	return commit, true
}

// goesOn reports whether a version of the task in the commit that brought an entry has what the commits before had.
func (r pairRules) goesOn(own task.Task, w Written) bool {
	if r.was != nil {
		base := r.was.Task.Provenance
		if len(w.From) == 0 || len(base) > 0 && !own.Provenance.Has(base.First().Hash()) {
			return false
		}
	}
	lost := w.lost(r.now.ID())
	if len(lost) == 0 {
		return true
	}
	known := r.now.Task.Provenance.Hashes()
	return !slices.ContainsFunc(lost, func(e record.Entry) bool { return known[e.Hash()] })
}

// wasClosed reports whether a task of an earlier commit was closed at a time by entries that are still in its
// provenance. lost are those that the commit did not have, although an ancestor of it had them.
func (r pairRules) wasClosed(then task.Task, lost []record.Entry, at time.Time) bool {
	closing := r.change.closing()
	now, _ := r.findOrBase(then.ID)
	lasting := then
	if len(lost) == 0 {
		known := now.Provenance.Hashes()
		lasting.Provenance = slices.DeleteFunc(slices.Clone(then.Provenance), func(e record.Entry) bool { return !known[e.Hash()] })
	} else {
		had := slices.Concat(then.Provenance, record.Log(lost)).Hashes()
		lasting.Provenance = slices.DeleteFunc(slices.Clone(now.Provenance), func(e record.Entry) bool { return !had[e.Hash()] })
	}
	if slices.ContainsFunc(lasting.Provenance, func(e record.Entry) bool { return e.To != "" }) {
		return closing.ClosedAt(lasting, at)
	}
	base, ok := r.change.inBase(then.ID)
	return ok && closing.DepClosed(base)
}

// stayedClosed reports whether a task is closed in a commit, and was in one that this was made from: then it was closed
// when the commit was made, whatever the clocks say.
func (r pairRules) stayedClosed(now task.Task, lost []record.Entry, w Written) bool {
	return r.wasClosed(now, lost, endOfTime) && slices.ContainsFunc(w.Before, func(before task.Find) bool {
		was, ok := before(now.ID)
		return ok && r.wasClosed(was, lost, endOfTime)
	})
}

// endOfTime is later than any entry.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// inBase is a task.Find in the base.
func (c *Change) inBase(id record.ID) (task.Task, bool) {
	if f := c.base[id]; f != nil {
		return sound(f)
	}
	return c.Base.dep(c.others[id])
}
