package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// moved judges whether entries explain the status, the holder and the results that a task has after a change.
func (r pairRules) moved() {
	t, before := r.now.Task, r.before(r.flow)
	if r.was == nil && slices.Contains(r.change.planning(), t.Status) {
		before.Status = t.Status
	}
	if r.statusUnexplained(before) {
		closed := r.was != nil || len(t.Provenance) > 0
		var last record.Status // that the newest move gave the task
		for _, e := range t.Provenance {
			last = cmp.Or(e.To, last)
		}
		closed = closed && (r.flow.IsClosed(last) || r.flow.IsClosed(t.Status) || r.flow.IsClosed(before.Status) || r.flow.GateReview && t.Status == r.flow.Review)
		from := before.Status
		if r.was == nil && last != t.Status {
			from = cmp.Or(last, from)
		}
		r.report(StatusUnexplained, &r.now.File, Path{"status"}, "went from %s to %s, and no entry says so", from, t.Status).
			fix("%s", r.backAndOn(from)).
			warnIf(!closed)
		r.openNow(before)
	}
	if t.Assignee != before.Assignee && (r.was != nil || t.HasHolder()) && !r.held() {
		r.report(AssigneeUnexplained, &r.now.File, Path{"assignee"}, "is held by %s, was by %s, and no entry says so", t.Assignee.OrNobody(), before.Assignee.OrNobody())
	}
	if len(before.Scope) > 0 && len(t.Scope) == 0 && !r.unscoped() {
		r.report(ScopeEmptied, &r.now.File, nil, "had the scope %s, and no entry says that it has none", strings.Join(before.Scope, ", "))
	}
	if !r.flow.IsAbandoned(t.Status) {
		r.results(before)
	}
}

// unscoped reports whether an entry that the change brings may have taken the scope.
func (r pairRules) unscoped() bool {
	for i, e := range r.now.Task.Provenance {
		if r.fresh[i] && (e.Did == record.Restored || slices.Contains(e.Fields, "scope")) {
			return true
		}
	}
	return false
}

// backAndOn says how a task gets where it is by way of the gates. Into a state that the config lacks there is no way.
func (r pairRules) backAndOn(before record.Status) string {
	t := r.now.Task
	if r.change.Config.Flow.Known(t.Status) != nil {
		return fmt.Sprintf("write %s back into the file: the config has no state %q", before, t.Status)
	}
	return fmt.Sprintf("write %s back into the file; then have the gates asked: cairn transition %s %s", before, t.ID, t.Status)
}

// openNow finds the open dependencies of a task that was started without an entry.
func (r pairRules) openNow(before task.Task) {
	now := r.now.Task
	if before.Status != r.flow.Initial && !r.flow.IsAbandoned(before.Status) || r.flow.IsAbandoned(now.Status) {
		return
	}
	closing := r.change.closing()
	for _, id := range now.Deps {
		if dep, ok := r.findOrBase(id); ok && !closing.DepClosed(dep) {
			r.report(StartedEarly, &r.now.File, r.depAt(id), "was started, and %s, which it depends on, is %s", id, dep.Status).
				fix("write %s back into the file; start it once %s is closed", before.Status, id)
		}
	}
}

// statusUnexplained reports whether no entry explains the status: it is not that of the newest move, or there is no new
// move and the status differs from before.
func (r pairRules) statusUnexplained(before task.Task) bool {
	t := r.now.Task
	for i, e := range t.Provenance {
		if r.fresh[i] && e.To != "" {
			return !newest(r, movedTo, t.Status)
		}
	}
	return t.Status != before.Status && !newest(r, movedTo, t.Status)
}

// held reports whether the newest entry about the holder names the task's holder. In files of the original cairn an
// entry may imply a holder without naming it.
func (r pairRules) held() bool {
	named := func(e record.Entry) (record.Actor, bool) {
		if e.Assignee == nil {
			return "", false
		}
		return *e.Assignee, true
	}
	want := r.now.Task.Assignee
	return newest(r, named, want) || newest(r, record.Entry.Holder, want)
}

func movedTo(e record.Entry) (record.Status, bool) { return e.To, e.To != "" }

// newest reports whether the newest entry that has a value of some kind has this one. Entries of one second are in the
// order of the file. Of those that were written on two branches any may be the newest: when these were merged, a person
// chose.
func newest[T comparable](r pairRules, of func(record.Entry) (T, bool), want T) bool {
	var later []record.Entry
	for _, e := range slices.Backward(r.now.Task.Provenance) {
		got, ok := of(e)
		switch {
		case !ok:
			continue
		case len(later) > 0 && !e.At.Equal(later[0].At):
			return false
		case got == want && !slices.ContainsFunc(later, func(l record.Entry) bool { return r.follows(l, e) }):
			return true
		}
		later = append(later, e)
	}
	return false
}

// follows reports whether an entry was written to the task as an earlier one had left it. It was not if the commit that
// brought it lacks the other, and where both came in one it does not begin where the other ends.
func (r pairRules) follows(e, earlier record.Entry) bool {
	if w, ok := r.change.BroughtBy(r.now.ID(), e); ok {
		if own, ok := w.Find(r.now.ID()); ok && !own.Provenance.Has(earlier.Hash()) {
			return false
		}
	}
	if e.To != "" && earlier.To != "" {
		return e.From == earlier.To || e.From == ""
	}
	return e.Did != record.Claimed && e.Did != record.Began
}

// results finds results that changed without an entry. A check may become pending again without one: a merge with a
// branch that changed the check does that.
func (r pairRules) results(before task.Task) {
	t := r.now.Task
	was, evidence, declaresAnew := task.ResultsIn(before.Checks), t.EvidenceIndex(), false // which makes all checks pending
	for i, e := range t.Provenance {
		declaresAnew = declaresAnew || r.fresh[i] && e.Checks != nil
	}
	for n, c := range t.Checks {
		old := was(c)
		if c.Result == old || c.Result == record.Pending && (old == record.Pass || declaresAnew) {
			continue
		}
		if c.Result == record.Pass && evidence.Recorded(r.flow, n) != record.Pass {
			continue // the gate rules say it already
		}
		if ev, ok := evidence.Evidence(n); ok && r.fresh[ev.Entry] && ev.Result == c.Result {
			continue
		}
		r.unsettled(ResultUnexplained, r.now, n, "the check %q was %s and is %s, and no new entry says so", c.Desc, was(c), c.Result).
			warnIf(!r.flow.IsClosed(t.Status))
	}
}
