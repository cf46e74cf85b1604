package task

import (
	"slices"
	"strings"
)

// judgeStart asks the deps gate of the newest start, if the change brings it and the task is not waiting again.
func (w *replayed) judgeStart() {
	if w.start < 0 || !w.Fresh(w.start) || w.waits(w.Now.Status) {
		return
	}
	e := w.Now.Provenance[w.start]
	open := w.openAt(Commit{Task: w.Now, Find: w.FindAt(e), Later: true}, w.start)
	if len(open) > 0 {
		if own, at := w.writtenIn(e); at >= 0 {
			still := setOf(w.openAt(own, at))
			open = slices.DeleteFunc(open, func(id ID) bool { return !still[id] })
		}
	}
	for _, id := range open {
		w.report(EarlyStart, w.start, "started the task before %s, which it depends on, was closed", id).Dep = id
	}
}

// openAt asks the deps gate of the move that an entry of a version of the task made, and lists what was open. A dependency that
// does not exist is a finding of its own.
func (w *replayed) openAt(in Commit, i int) []ID {
	then := Task{ID: in.Task.ID, Status: w.Flow.Initial, Deps: w.depsAt(in, i)}
	if w.Flow.DepsGate(then, in.Task.Provenance[i].To, in.Find) == nil {
		return nil
	}
	return w.Flow.openDeps(then, then.Deps, in.Find)
}

// depsAt is what a version of the task depended on when one of its entries was written: what the record says from its beginning
// on, and what the base had. Where the record does not tell, it is what the file says.
func (w *replayed) depsAt(in Commit, i int) []ID {
	record := in.Task.Provenance
	var deps []ID
	if in.Task.Provenance.First().Deps == "" {
		deps = undone(in.Task.Deps, record)
	}
	if w.Before != nil && in.Later {
		deps = append(deps, undone(w.Before.Deps, w.Before.Provenance)...)
	}
	for _, e := range record[:i+1] {
		deps = e.WithDeps(deps)
	}
	return unique(deps)
}

// undone is what dependencies were before some entries.
func undone(deps []ID, entries []Entry) []ID {
	for _, e := range slices.Backward(entries) {
		deps = Entry{AddDeps: e.RemoveDeps, RemoveDeps: e.AddDeps}.WithDeps(deps)
	}
	return deps
}

// judgeDeps reports each open dependency that an entry takes away without the right to.
func (w *replayed) judgeDeps(i int, e Entry) {
	open := w.dropped(e, w.FindAt(e))
	if len(open) > 0 {
		if own, at := w.writtenIn(e); at >= 0 {
			still := setOf(w.dropped(e, own.Find))
			open = slices.DeleteFunc(open, func(id ID) bool { return !still[id] })
		}
	}
	if len(open) == 0 {
		return
	}
	left := w.Flow.HasLeft(Task{Status: w.status, Provenance: w.Now.Provenance[:i]})
	for _, id := range open {
		switch {
		case strings.TrimSpace(e.Text) == "":
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, and gives no reason", id).Dep = id
		case e.Who.Human():
		case left:
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, after work began, and not by a person", id).Dep = id
		case w.declarerOf(id, i) != e.Who:
			w.report(QuestionableDep, i, "takes away the dependency on %s, which was open and which somebody else declared", id).Dep = id
		}
	}
}

// dropped lists the open dependencies that an entry takes away. One that is back does not count while the task waits.
func (w *replayed) dropped(e Entry, find Find) []ID {
	gone := slices.DeleteFunc(slices.Clone(e.RemoveDeps), func(id ID) bool { return w.waits(w.Now.Status) && slices.Contains(w.Now.Deps, id) })
	return w.Flow.openDeps(Task{Deps: w.deps}, gone, find)
}

// declarerOf is whose entry, before one, added a dependency; "" if none tells.
func (w *replayed) declarerOf(id ID, before int) Actor {
	for _, e := range slices.Backward(w.Now.Provenance[:before]) {
		if slices.Contains(e.AddDeps, id) {
			return e.Who
		}
	}
	return ""
}

// compareDeps holds the dependencies against what the entries make of those of the base.
func (w *replayed) compareDeps() {
	if !w.depsRecorded {
		return
	}
	want, got := setOf(w.deps), setOf(w.Now.Deps)
	for _, id := range unique(w.deps) {
		if !got[id] {
			w.report(LostDep, -1, "the dependency on %s is gone, and no entry says so", id).Dep = id
		}
	}
	for _, id := range unique(w.Now.Deps) {
		if !want[id] {
			w.report(UntoldDep, -1, "a dependency on %s was added, and no entry says so", id).Dep = id
		}
	}
}
