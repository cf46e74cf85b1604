package proof

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Written is the commit that brought an entry.
type Written struct {
	Find  task.Find // the tasks as that commit has them
	At    time.Time // when it was made
	Later bool      // it stands on the base
}

// replay asks package task what of a change the rules would have refused, and what its entries do not explain.
func (j *judge) replay(p pair) {
	r := task.Replay{
		Flow: j.flow, Planning: j.change.planning(), AlsoReview: j.change.alsoReview(),
		Now: p.now.Task, Fresh: func(i int) bool { return p.fresh[i] }, Past: j.change.Past[p.now.Name],
		FindAt:    j.findAt,
		WrittenIn: func(e task.Entry) (task.Commit, bool) { return j.writtenIn(p, e) },
	}
	if p.was != nil {
		r.Before = &p.was.Task
	}
	for _, b := range r.Breaches() {
		j.breach(p, b)
	}
	j.startedAround(p)
	j.aheadOfTime(p)
}

// breach reports a breach by the rule that is about it.
func (j *judge) breach(p pair, b task.Breach) {
	id, entry := p.now.Name, Path{"provenance", b.Entry}
	switch b.Kind {
	case task.UnreachedState:
		j.reportTask(StatusUnexplained, p.now, entry, "entry %d (%s) %s", b.Entry+1, j.told(p, b), b.Reason)
	case task.EarlyStart:
		j.reportTask(StartedEarly, p.now, j.depAt(p, b.Dep), "was started (%s) before %s, which it depends on, was closed", j.told(p, b), b.Dep).
			mend("cairn transition %s %s, and start it again once %s is closed", id, j.flow.Initial, b.Dep)
	case task.StalePass:
		j.reportTask(EvidenceStale, p.now, resultOf(b.Check), "%s (%s)", b.Reason, j.told(p, b)).
			mend("%s", settle(p.now.Task, b.Check)).warnIf(b.MadeGood && !j.needed(p.now.Name))
	case task.ForeignHold:
		j.reportTask(AssigneeUnexplained, p.now, entry, "entry %d (%s) %s", b.Entry+1, j.told(p, b), b.Reason)
	case task.DroppedDep:
		j.reportTask(DepsWeakened, p.now, entry, "entry %d (%s) %s", b.Entry+1, j.told(p, b), b.Reason)
	case task.QuestionableDep:
		j.reportTask(DepsWeakened, p.now, entry, "entry %d (%s) %s", b.Entry+1, j.told(p, b), b.Reason).warnIf(true)
	case task.LostCheck:
		told := slices.ContainsFunc(p.now.Task.Provenance, func(e task.Entry) bool { return e.Checks != nil })
		j.reportTask(ChecksUnexplained, p.now, Path{"checks"}, "%s", b.Reason).
			mend("write it back; cairn update %s changes the list, with an entry that says so", id).
			warnIf(told && !stands(j.flow, p.now.Task.Status))
	case task.LostDep:
		j.reportTask(DepsUnexplained, p.now, Path{"deps"}, "%s", b.Reason).
			mend("write %s back into deps; cairn update %s --remove-dep %s takes it away, with a reason", b.Dep, id, b.Dep)
	case task.UntoldDep:
		j.reportTask(DepsUnexplained, p.now, j.depAt(p, b.Dep), "%s", b.Reason).
			mend("take %s out of deps; cairn update %s --add-dep %s adds it with an entry", b.Dep, id, b.Dep).warnIf(true)
	case task.RefusedEntry:
		j.reportTask(EntryRefused, p.now, entry, "entry %d (%s) %s", b.Entry+1, j.told(p, b), b.Reason).warnIf(b.MadeGood && !j.needed(p.now.Name))
	}
}

func (j *judge) told(p pair, b task.Breach) string { return told(p.now.Task.Provenance[b.Entry]) }

// depAt is where a task names a dependency; where it does not, the list of them.
func (j *judge) depAt(p pair, id task.ID) Path {
	if n := slices.Index(p.now.Task.Deps, id); n >= 0 {
		return Path{"deps", n}
	}
	return Path{"deps"}
}

// needed reports whether a task depends on another: it may have started while that counted as closed.
func (j *judge) needed(id task.ID) bool {
	if j.needs == nil {
		j.needs = map[task.ID]bool{}
		for i := range j.Tasks {
			for _, dep := range j.Tasks[i].Task.Deps {
				j.needs[dep] = true
			}
		}
	}
	return j.needs[id]
}

// startedAround finds a start that the change made while a dependency was abandoned, and only as long as that took: the change
// abandoned it, and opened it again.
func (j *judge) startedAround(p pair) {
	t := p.now.Task
	if j.waits(t.Status) {
		return
	}
	for i, e := range t.Provenance {
		if !p.fresh[i] || e.To == "" || j.waits(e.To) || !j.waits(e.From) {
			continue
		}
		for _, id := range t.Deps {
			if dep, ok := j.find(id); ok && j.abandonedAround(dep, e.At) {
				j.reportTask(StartedEarly, p.now, j.depAt(p, id), "was started (%s) while %s, which it depends on, was abandoned; it is open again", told(e), id).
					mend("cairn transition %s %s, and start it again once %s is closed", t.ID, j.flow.Initial, id).warnIf(true)
			}
		}
	}
}

// abandonedAround reports whether a task is open, and the change abandoned it before a time and opened it again after.
func (j *judge) abandonedAround(dep task.Task, at time.Time) bool {
	if j.change.closing().IsClosed(dep.Status) {
		return false
	}
	fresh, abandoned, opened := j.freshEntries()[dep.ID], false, false
	for i, e := range dep.Provenance {
		abandoned = abandoned || fresh[i] && j.flow.IsAbandoned(e.To) && !e.At.After(at)
		opened = opened || fresh[i] && j.flow.IsAbandoned(e.From) && !e.At.Before(at)
	}
	return abandoned && opened
}

func (j *judge) waits(s task.Status) bool {
	return s == j.flow.Initial || j.flow.IsAbandoned(s) || slices.Contains(j.change.planning(), s)
}

// findAt looks tasks up as they were, by their records, when an entry was written. One that the change deletes is as the base
// has it.
func (j *judge) findAt(e task.Entry) task.Find {
	return func(id task.ID) (task.Task, bool) {
		dep, ok := j.findOrBase(id)
		return j.closedOrOpen(dep, !j.openInBase(id, e.At) && j.change.closing().ClosedAt(dep, e.At)), ok
	}
}

// openInBase reports whether the base has a task open, by entries that are later than a time: who wrote on the base knew that,
// whatever time the entry gives. The commit that brought the entry decides.
func (j *judge) openInBase(id task.ID, at time.Time) bool {
	base, ok := j.change.inBase(id)
	return ok && !j.change.closing().IsClosed(base.Status) && base.Provenance.Last().At.After(at)
}

func (j *judge) findOrBase(id task.ID) (task.Task, bool) {
	if t, ok := j.find(id); ok {
		return t, true
	}
	return j.change.inBase(id)
}

// closedOrOpen gives a task a state that means to the rules what it was at another time.
func (j *judge) closedOrOpen(t task.Task, closed bool) task.Task {
	t.Status = j.flow.Initial
	if closed && len(j.flow.Closed) > 0 {
		t.Status = j.flow.Closed[0]
	}
	return t
}

// writtenIn returns the task and its neighbours as the commit that brought an entry has them, since its writer could not know of other
// branches. It reports false if that commit stands on the base and lacks entries of the base's record. A dependency counts as closed
// only by entries that are still in its record.
func (j *judge) writtenIn(p pair, e task.Entry) (task.Commit, bool) {
	w, ok := j.change.broughtBy(p.now.Name, e)
	if !ok {
		w = Written{Find: j.findOrBase, Later: true} // not committed yet
	}
	own, ok := w.Find(p.now.Name)
	if !ok || w.Later && p.was != nil && len(missing(p.was.Task, own)) > 0 {
		return task.Commit{}, false
	}
	find := func(id task.ID) (task.Task, bool) {
		dep, ok := w.Find(id)
		return j.closedOrOpen(dep, ok && j.wasClosed(dep, j.since(w, id, e.At))), ok
	}
	return task.Commit{Task: own, Find: find, Later: w.Later}, true
}

// since is when an entry was written, by the clock of others: what stands on the base is later than what the base's record of
// another task says.
func (j *judge) since(w Written, id task.ID, at time.Time) time.Time {
	if base, ok := j.change.inBase(id); ok && w.Later && base.Provenance.Last().At.After(at) {
		return base.Provenance.Last().At.Add(time.Second) // of one second nobody knows the order
	}
	return at
}

// wasClosed reports whether a task, as an earlier commit has it, was closed at a time by entries that its record still has.
func (j *judge) wasClosed(then task.Task, at time.Time) bool {
	closing := j.change.closing()
	now, _ := j.findOrBase(then.ID)
	known := now.Provenance.Hashes()
	lasting := then
	lasting.Provenance = slices.DeleteFunc(slices.Clone(then.Provenance), func(e task.Entry) bool { return !known[e.Hash()] })
	if slices.ContainsFunc(lasting.Provenance, func(e task.Entry) bool { return e.To != "" }) {
		return closing.ClosedAt(lasting, at)
	}
	base, ok := j.change.inBase(then.ID)
	return ok && closing.IsClosed(base.Status)
}

// missing lists the entries of one version of a task that another does not have.
func missing(of, in task.Task) []task.Entry {
	known := in.Provenance.Hashes()
	return slices.DeleteFunc(slices.Clone(of.Provenance), func(e task.Entry) bool { return known[e.Hash()] })
}

// ahead is how far the clock of whoever wrote an entry may be ahead of that of whoever committed it.
const ahead = 24 * time.Hour

// aheadOfTime finds the entry with which a record left the present. Those behind it cannot help it: none may be older than the one
// above it.
func (j *judge) aheadOfTime(p pair) {
	if j.change.Newest.IsZero() {
		return
	}
	var newest time.Time
	for i, e := range p.now.Task.Provenance {
		if p.fresh[i] && e.At.After(newest) && e.At.After(j.change.Newest.Add(ahead)) {
			if w, ok := j.change.broughtBy(p.now.Name, e); ok && e.At.After(w.At.Add(ahead)) {
				j.reportTask(TimeAhead, p.now, Path{"provenance", i}, "entry %d (%s) is more than a day later than the commit that brought it (%s)",
					i+1, told(e), w.At.UTC().Format(time.RFC3339))
				return
			}
		}
		if e.At.After(newest) {
			newest = e.At
		}
	}
}

// find is a task.Find in the tree.
func (j *judge) find(id task.ID) (task.Task, bool) { return sound(j.byName[id]) }

func sound(f *TaskFile) (task.Task, bool) {
	if f == nil || !f.Sound() {
		return task.Task{}, false
	}
	return f.Task, true
}

func (c *Change) broughtBy(id task.ID, e task.Entry) (Written, bool) {
	if c.BroughtBy == nil {
		return Written{}, false
	}
	return c.BroughtBy(id, e)
}

// inBase is a task.Find in the base.
func (c *Change) inBase(id task.ID) (task.Task, bool) { return sound(c.base[id]) }
