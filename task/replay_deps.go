package task

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// judgeStart reports the dependencies that were open when the task was last started, if the change adds that entry and
// the task has not gone back to waiting.
func (w *walk) judgeStart() {
	if w.start < 0 || !w.Fresh(w.start) || w.waits(w.Now.Status) {
		return
	}
	e := w.Now.Provenance[w.start]
	open := w.openAt(Commit{Task: w.Now, Find: w.FindAt(e), Later: true}, w.start)
	if len(open) > 0 {
		if own, at := w.broughtBy(e); at >= 0 {
			still := record.SetOf(w.openAt(own, at))
			open = slices.DeleteFunc(open, func(id record.ID) bool { return !still[id] })
		}
	}
	for _, id := range open {
		w.report(EarlyStart, w.start, "started the task before %s, which it depends on, was closed", id).Dep = id
	}
}

// openAt lists the dependencies that were open when an entry of a version of the task moved it, if the deps gate
// applies to that move. It leaves out dependencies that do not exist, which another rule reports.
func (w *walk) openAt(in Commit, i int) []record.ID {
	then := Task{ID: in.Task.ID, Status: w.Flow.Initial, Deps: w.depsAt(in, i)}
	if w.Flow.DepsGate(then, in.Task.Provenance[i].To, in.Find) == nil {
		return nil
	}
	return w.Flow.openDeps(then, then.Deps, in.Find)
}

// depsAt returns what a version of the task depended on after its i-th entry, by its entries and by what the base had.
// If the first entry does not record dependencies, it works back from those in the file.
func (w *walk) depsAt(in Commit, i int) []record.ID {
	rec := in.Task.Provenance
	var deps []record.ID
	if in.Task.Provenance.First().Deps == "" {
		deps = undone(in.Task.Deps, rec)
	}
	if w.Before != nil && in.Later {
		deps = append(deps, undone(w.Before.Deps, w.Before.Provenance)...)
	}
	for _, e := range rec[:i+1] {
		deps = e.WithDeps(deps)
	}
	return record.Unique(deps)
}

// undone returns the dependencies as they were before some entries.
func undone(deps []record.ID, entries []record.Entry) []record.ID {
	for _, e := range slices.Backward(entries) {
		deps = record.Entry{AddDeps: e.RemoveDeps, RemoveDeps: e.AddDeps}.WithDeps(deps)
	}
	return deps
}

// judgeDeps reports each open dependency that an entry removes without the right to.
func (w *walk) judgeDeps(i int, e record.Entry) {
	open := w.openRemoved(e, w.FindAt(e))
	if len(open) > 0 {
		if own, at := w.broughtBy(e); at >= 0 {
			still := record.SetOf(w.openRemoved(e, own.Find))
			open = slices.DeleteFunc(open, func(id record.ID) bool { return !still[id] })
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

// openRemoved lists the open dependencies that an entry removes. One that the task has again does not count while the
// task waits.
func (w *walk) openRemoved(e record.Entry, find Find) []record.ID {
	gone := slices.DeleteFunc(slices.Clone(e.RemoveDeps), func(id record.ID) bool { return w.waits(w.Now.Status) && slices.Contains(w.Now.Deps, id) })
	return w.Flow.openDeps(Task{Deps: w.deps}, gone, find)
}

// declarerOf returns who last added a dependency before an entry, or "" if no entry did.
func (w *walk) declarerOf(id record.ID, before int) record.Actor {
	for _, e := range slices.Backward(w.Now.Provenance[:before]) {
		if slices.Contains(e.AddDeps, id) {
			return e.Who
		}
	}
	return ""
}

// compareDeps reports where the task's dependencies differ from those that its entries produce.
func (w *walk) compareDeps() {
	if !w.depsRecorded {
		return
	}
	want, got := record.SetOf(w.deps), record.SetOf(w.Now.Deps)
	for _, id := range record.Unique(w.deps) {
		if !got[id] {
			w.report(LostDep, -1, "the dependency on %s is gone, and no entry says so", id).Dep = id
		}
	}
	for _, id := range record.Unique(w.Now.Deps) {
		if !want[id] {
			w.report(UnrecordedDep, -1, "a dependency on %s was added, and no entry says so", id).Dep = id
		}
	}
}
