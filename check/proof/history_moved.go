package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// moved asks whether entries account for the status, the holder and the results that the change brings. A file that came
// without any record has nothing that could.
func (j *judge) moved(p pair) {
	t, before := p.now.Task, p.before(j.flow)
	if p.was == nil && slices.Contains(j.change.planning(), t.Status) {
		before.Status = t.Status
	}
	if j.statusUntold(p, before) {
		closed := p.was != nil || len(t.Provenance) > 0
		last, _ := lastMove(t)
		closed = closed && (j.flow.IsClosed(last) || j.flow.IsClosed(t.Status) || j.flow.IsClosed(before.Status) || j.flow.GateReview && t.Status == j.flow.Review)
		j.reportTask(StatusUnexplained, p.now, Path{"status"}, "went from %s to %s, and no entry says so", before.Status, t.Status).
			mend("write %s back into the file, then cairn transition %s %s, so that the gates are asked", before.Status, t.ID, t.Status).
			warnIf(!closed)
		j.openNow(p, before)
	}
	if t.Assignee != before.Assignee && (p.was != nil || t.HasHolder()) && !held(t) {
		j.reportTask(AssigneeUnexplained, p.now, Path{"assignee"}, "is held by %s, was by %s, and no entry says so", nobody(t.Assignee), nobody(before.Assignee))
	}
	if !j.flow.IsAbandoned(t.Status) {
		j.results(p, before)
	}
}

// openNow finds the deps that are open, of a task that was started without an entry.
func (j *judge) openNow(p pair, before task.Task) {
	now := p.now.Task
	if before.Status != j.flow.Initial && !j.flow.IsAbandoned(before.Status) || j.flow.IsAbandoned(now.Status) {
		return
	}
	closing := j.change.closing()
	for _, id := range now.Deps {
		if dep, ok := j.findOrBase(id); ok && !closing.IsClosed(dep.Status) {
			j.reportTask(StartedEarly, p.now, j.depAt(p, id), "was started, and %s, which it depends on, is %s", id, dep.Status).
				mend("write %s back into the file; start it once %s is closed", before.Status, id)
		}
	}
}

// statusUntold reports whether no entry accounts for the status: it is not that of the newest move, or there was none and it is
// another than before.
func (j *judge) statusUntold(p pair, before task.Task) bool {
	t := p.now.Task
	for i, e := range t.Provenance {
		if p.fresh[i] && e.To != "" {
			return !newest(t, movedTo, t.Status)
		}
	}
	return t.Status != before.Status && !newest(t, movedTo, t.Status)
}

// held reports whether the record makes the task's holder its holder: by what entries say, or by what they tell of where they
// do not say it, as in files of the original cairn.
func held(t task.Task) bool {
	said := func(e task.Entry) (task.Actor, bool) {
		if e.Assignee == nil {
			return "", false
		}
		return *e.Assignee, true
	}
	return newest(t, said, t.Assignee) || newest(t, task.Entry.Holder, t.Assignee)
}

// lastMove is where the newest entry that moved a task took it.
func lastMove(t task.Task) (task.Status, bool) {
	for _, e := range slices.Backward(t.Provenance) {
		if e.To != "" {
			return e.To, true
		}
	}
	return "", false
}

func movedTo(e task.Entry) (task.Status, bool) { return e.To, e.To != "" }

// newest reports whether the newest entry that says anything of a kind says this. Among those of one second nobody knows
// which is the newest: a merge leaves the choice to a person.
func newest[T comparable](t task.Task, of func(task.Entry) (T, bool), want T) bool {
	said := false
	at := t.Provenance.Last().At
	for _, e := range slices.Backward(t.Provenance) {
		got, ok := of(e)
		if !ok {
			continue
		}
		if said && !e.At.Equal(at) {
			return false
		}
		if got == want {
			return true
		}
		said, at = true, e.At
	}
	return false
}

func nobody(who task.Actor) task.Actor {
	if who == "" {
		return "nobody"
	}
	return who
}

// results asks where the results come from that were others before. That a check waits again needs no entry: so it is after
// a merge with a branch that changed it.
func (j *judge) results(p pair, before task.Task) {
	t := p.now.Task
	was, evidence := resultsIn(before), t.EvidenceIndex()
	for n, c := range t.Checks {
		old := was(c)
		if c.Result == old || c.Result == task.Pending && (old == task.Pass || j.declaresAnew(p)) {
			continue
		}
		if c.Result == task.Pass && evidence.Recorded(j.flow, n) != task.Pass {
			continue // the gate rules say it already
		}
		if ev, ok := evidence.Evidence(n); ok && p.fresh[ev.Entry] && ev.Result == c.Result {
			continue
		}
		j.reportTask(ResultUnexplained, p.now, resultOf(n), "the check %q was %s and is %s, and no new entry says so", c.Desc, was(c), c.Result).
			mend("%s", settle(t, n)).warnIf(!j.flow.IsClosed(t.Status))
	}
}

// declaresAnew reports whether the change declares checks anew, which makes what they ask for pending.
func (j *judge) declaresAnew(p pair) bool {
	for i, e := range p.now.Task.Provenance {
		if p.fresh[i] && e.Checks != nil {
			return true
		}
	}
	return false
}

// resultsIn gives the result that a task has of a check; one that it does not have waits.
func resultsIn(t task.Task) func(task.Check) task.Result {
	byDesc := make(map[string][]task.Check, len(t.Checks)) // a file may say the same twice
	for _, c := range t.Checks {
		byDesc[c.Desc] = append(byDesc[c.Desc], c)
	}
	return func(c task.Check) task.Result {
		for _, old := range byDesc[c.Desc] {
			if old.Same(c) {
				return old.Result
			}
		}
		return task.Pending
	}
}
