package task

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// effects says what entries of each kind may record besides who, when, text, session and key. No verb records anything
// else.
var effects = map[record.Did]struct{ created, moves, holds, results, declares bool }{
	record.Created:      {created: true, holds: true, declares: true},
	record.Claimed:      {holds: true},
	record.Released:     {holds: true},
	record.Assigned:     {holds: true},
	record.Began:        {holds: true, moves: true},
	record.Finished:     {moves: true, results: true},
	record.Failed:       {holds: true},
	record.Canceled:     {holds: true},
	record.Asked:        {holds: true},
	record.TakenOver:    {holds: true, moves: true},
	record.Transitioned: {moves: true, results: true},
	record.Checked:      {results: true},
	record.Attested:     {moves: true, results: true}, // a rejection alone
	record.Approved:     {},
	record.Rejected:     {moves: true}, // from review to work
	record.GuardsSeen:   {},
	record.Noted:        {},
	record.Restored:     {},
	record.Updated:      {moves: true, holds: true, results: true, declares: true},
}

// malformed returns why no verb writes such an entry as the i-th, or "".
func (w *walk) malformed(i int, e record.Entry) string {
	may, written := effects[e.Did]
	switch _, err := record.ParseActor(string(e.Who)); {
	case err != nil:
		return "names no actor who wrote it"
	case e.At.IsZero():
		return "has no time"
	case e.Old && !w.imported(i) && (i >= w.Now.oldEntries() || e.To != "" || len(e.Results) > 0 || e.Session != ""):
		return "is worded as entries of the original cairn are, which nothing writes any more"
	case !w.roundFits(e):
		return "names a task that is not the one behind or before it in a series"
	case e.Did == record.Created && Round(e) == "" && (i > 0 || w.Before != nil && len(w.Before.Provenance) > 0):
		return "creates a task that exists"
	case i < w.made:
		return "stands before the task was created"
	case e.From != "" && e.To == "" || e.From == "" && e.To != "" && !w.imported(i) || e.From != "" && e.From == e.To:
		return "does not say between which states it moves the task"
	case e.Said().Merged != "" && !w.Flow.IsClosed(e.To):
		return "says what was merged, and closes nothing"
	case e.Said().Reviewed != "" && (e.Said().Merged == "" || e.Said().Reviewed == e.Tree):
		return "says that other files were approved, and was not written by a merge of those"
	case e.Did == record.Rejected && strings.TrimSpace(e.Text) == "":
		return "rejects without a reason"
	case e.To != "" && !may.moves, e.Did == record.Attested && e.To != "" && !w.rejection(e), e.Did == record.Rejected && e.To != "" && !w.backToWork(e), w.Flow.IsClosed(e.To) && e.Did != record.Transitioned && e.Did != record.Updated, e.Assignee != nil && !may.holds && !w.frees(e), len(e.Results) > 0 && !may.results,
		(e.Checks != nil || e.Deps != "" || len(e.AddDeps)+len(e.RemoveDeps) > 0) && !may.declares, !e.MayDetail():
		return "changes what an entry of its kind does not change"
	case (len(e.AddDeps)+len(e.RemoveDeps) > 0 || may.created && e.Checks != nil) && e.Deps == "",
		may.created && e.Deps != "" && e.Deps != DepsHash(w.Now.ID, e.AddDeps):
		return "does not account for the dependencies that it adds or removes"
	case may.created && e.Checks == nil && e.Deps != "":
		return "does not account for the checks that the task was created with"
	case !written && !w.imported(i):
		return "is of a kind that no verb writes to a task"
	}
	return ""
}

// roundFits reports whether the task that an entry names as the one behind or before it in a series is that. Two clones
// that close the same task make the same round, so that there may be several entries that create it.
func (w *walk) roundFits(e record.Entry) bool {
	other := Round(e)
	if e.Did == record.Created {
		return other == "" || other.Next() == w.Now.ID
	}
	return other == "" || other == w.Now.ID.Next() && w.Flow.ClaimsDone(e.To)
}

// rejection reports whether an entry that attests and moves a task is the rejection of a task in review by its
// reviewer; see Flow.Attest.
func (w *walk) rejection(e record.Entry) bool {
	return w.backToWork(e) && len(e.Results) == 1 && strings.TrimSpace(e.Text) != "" &&
		e.Results[0].Result == record.Fail && e.Results[0].Check == ReviewerCheck(e.Who).Desc
}

// frees reports whether an entry opens a closed task again as nobody's; see Flow.Move.
func (w *walk) frees(e record.Entry) bool {
	return e.Did == record.Transitioned && *e.Assignee == "" && w.Flow.IsClosed(e.From) && !w.Flow.IsClosed(e.To)
}

// backToWork reports whether an entry moves a task from review to the working state.
func (w *walk) backToWork(e record.Entry) bool {
	inReview := e.From == w.Flow.Review || e.From == w.AlsoReview
	return e.From != "" && inReview && e.To == w.Flow.Working
}

// imported reports whether an entry may be from the original cairn: the change adds the task, and no entry up to this
// one is from another program.
func (w *walk) imported(i int) bool { return w.Before == nil && i < w.Now.oldEntries() }

// badResults returns why no verb records the results of an entry, or "".
func (w *walk) badResults(i int, e record.Entry) string {
	for _, r := range e.Results {
		if r.Result != record.Pass && r.Result != record.Fail {
			return "records a result that is neither pass nor fail"
		}
		if r.Unhashed {
			continue
		}
		if reason := w.badResult(i, e, w.byKey[r.Check]); reason != "" {
			return reason
		}
	}
	return ""
}

// badResult returns why an entry may not have a result for the checks that share a key, or "". It returns "" if no
// version of the file has such a check, because then nothing is known about it.
func (w *walk) badResult(i int, e record.Entry, named []Check) string {
	if len(named) == 0 {
		return ""
	}
	declared := slices.DeleteFunc(slices.Clone(named), func(c Check) bool { return !w.declaredBefore(c.Hash(w.Now.ID), i) })
	switch {
	case named[0].Manual() != (e.Did == record.Attested):
		return "settles by a run what is attested, or the other way round"
	case len(declared) == 0 && w.declaredLater(named, i):
		return "has a result of a check that the task did not have yet"
	case e.Did == record.Attested && len(declared) > 0 && !slices.ContainsFunc(declared, func(c Check) bool { return w.Flow.MaySettle(c, e.Who) }):
		return "attests a check that " + string(e.Who) + " may not settle"
	}
	return ""
}

// declaredLater reports whether one of the checks is first listed by an entry after the i-th. A check that no entry
// lists was added by hand, which another rule reports.
func (w *walk) declaredLater(named []Check, i int) bool {
	return slices.ContainsFunc(named, func(c Check) bool {
		at, known := w.declared[c.Hash(w.Now.ID)]
		return known && at > i
	})
}

// declaredBefore reports whether the task may have declared a check before or with its i-th entry. That is so if no
// entry lists checks until then.
func (w *walk) declaredBefore(hash string, i int) bool {
	if at, known := w.declared[hash]; known && at <= i {
		return true
	}
	if w.firstList < 0 || w.firstList > i {
		return true
	}
	return w.Before != nil && slices.Contains(w.Before.CheckHashes(), hash)
}

// judgeStart reports the dependencies that were open when the task was last started, if the change adds that entry and
// the task has not gone back to waiting.
func (w *walk) judgeStart() {
	if w.start < 0 || !w.Fresh(w.start) || w.waits(w.Now.Status) {
		return
	}
	for _, id := range w.openInBoth(w.start, w.openAt) {
		if w.addedBeside(id, w.Now.Provenance[w.start]) {
			continue
		}
		w.report(EarlyStart, w.start, "started the task before %s, which it depends on, was closed", id).Dep = id
	}
}

// Limits of what a branch may not know of a dependency that the base has.
const (
	besides = 24 * time.Hour      // after it was added
	landed  = 14 * 24 * time.Hour // after that the commit of the start was made, or made anew
)

// addedBeside reports whether somebody else added a dependency in the base, shortly before an entry started the task:
// that may have been on a branch which did not have it. A merge shows that, and after a rebase or a squash nothing
// does. The time of the entry is what its writer says, so the commit may not be much later.
func (w *walk) addedBeside(id record.ID, start record.Entry) bool {
	if w.Before == nil {
		return false
	}
	adds, ok := w.Before.Provenance.Newest(func(e record.Entry) bool { return slices.Contains(e.AddDeps, id) })
	own, at := w.broughtBy(start)
	return ok && (at >= 0 || w.WrittenIn == nil) && adds.Did == record.Updated && adds.Who != start.Who && !adds.At.After(start.At) &&
		start.At.Sub(adds.At) < besides && own.At.Sub(adds.At) < landed
}

// openInBoth lists the dependencies that were open when an entry was written, by all entries and by those of the commit
// that added it. Those that do not exist are left out, which another rule reports; one that only the commit lacks was
// open there.
func (w *walk) openInBoth(i int, openAt func(in Commit, i int) []record.ID) []record.ID {
	e := w.Now.Provenance[i]
	now := Commit{Task: w.Now, Find: w.FindAt(e)}
	if w.Before != nil {
		now.From = []Task{*w.Before}
	}
	open := slices.DeleteFunc(openAt(now, i), func(id record.ID) bool { _, exists := now.Find(id); return !exists })
	if len(open) == 0 {
		return nil
	}
	if own, at := w.broughtBy(e); at >= 0 {
		still := record.SetOf(openAt(own, at))
		open = slices.DeleteFunc(open, func(id record.ID) bool { return !still[id] })
	}
	return open
}

// openAt lists the dependencies that were open, or not there, when an entry of a version of the task moved it, if the
// deps gate applies to that move.
func (w *walk) openAt(in Commit, i int) []record.ID {
	then := Task{ID: in.Task.ID, Status: w.Flow.Initial, Deps: w.depsAt(in, i)}
	if w.Flow.DepsGate(then, in.Task.Provenance[i].To, in.Find) == nil {
		return nil
	}
	return w.Flow.BlockedBy(then, in.Find)
}

// depsAt returns what a version of the task depended on after its i-th entry, by its entries and by what the base had.
// If the first entry does not record dependencies, it works back from those in the file.
func (w *walk) depsAt(in Commit, i int) []record.ID {
	rec, then := in.Task.Provenance, Task{}
	if rec.First().Deps == "" {
		then.Deps = undone(in.Task.Deps, rec)
	}
	for _, from := range in.From {
		then.Deps = append(then.Deps, undone(from.Deps, from.Provenance)...)
	}
	for _, e := range rec[:i+1] {
		then = then.After(e)
	}
	return record.Unique(then.Deps)
}

// undone returns the dependencies as they were before some entries.
func undone(deps []record.ID, entries []record.Entry) []record.ID {
	for _, e := range slices.Backward(entries) {
		deps = record.Entry{AddDeps: e.RemoveDeps, RemoveDeps: e.AddDeps}.WithDeps(deps)
	}
	return deps
}

// judgeDeps reports each open dependency that an entry removes without the right to. One that the task has again does
// not count while the task waits.
func (w *walk) judgeDeps(i int, e record.Entry) {
	open := w.openInBoth(i, func(in Commit, _ int) []record.ID {
		gone := slices.DeleteFunc(slices.Clone(e.RemoveDeps), func(id record.ID) bool {
			return !slices.Contains(w.then.Deps, id) || w.waits(w.Now.Status) && slices.Contains(w.Now.Deps, id)
		})
		return w.Flow.BlockedBy(Task{Deps: gone}, in.Find)
	})
	left := w.Flow.HasLeft(Task{Status: w.then.Status, Provenance: w.Now.Provenance[:i]})
	for _, id := range open {
		adds, _ := w.Now.Provenance[:i].Newest(func(e record.Entry) bool { return slices.Contains(e.AddDeps, id) })
		switch {
		case strings.TrimSpace(e.Text) == "":
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, and gives no reason", id).Dep = id
		case e.Who.Human():
		case left:
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, after work began, and not by a person", id).Dep = id
		case adds.Who != e.Who:
			w.report(QuestionableDep, i, "takes away the dependency on %s, which was open and which somebody else declared", id).Dep = id
		}
	}
}

// compareDeps reports where the task's dependencies differ from those that its entries produce.
func (w *walk) compareDeps() {
	if !w.depsRecorded {
		return
	}
	want, got := record.SetOf(w.then.Deps), record.SetOf(w.Now.Deps)
	for _, id := range record.Unique(w.then.Deps) {
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
