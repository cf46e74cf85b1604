package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// earned judges whether a task that is closed passed every check that it ever had to pass, on files that are part of the
// change.
func (r pairRules) earned() {
	r.lacksDefaults()
	r.movedOn()
	r.guarded()
	r.neverRed()
	if !r.flow.ClaimsDone(r.now.Task.Status) {
		return
	}
	if e, ok := r.flow.Weakened(r.now.Task); ok { // by the hashes in the entries
		r.report(ChecksWeakened, &r.now.File, Path{"checks"}, "is %s, and lost a check on the way (%s), for which no person gave a reason", r.now.Task.Status, describe(e))
	} else {
		r.weakenedByHistory()
	}
	r.trees()
}

// lacksDefaults finds the default checks that a new task lacks: those of the base, as the commit that made the task had
// it. A person may have taken one away, with a reason.
func (r pairRules) lacksDefaults() {
	t := r.now.Task
	if r.was != nil {
		return
	}
	lacks := slices.DeleteFunc(task.Dropped(r.flow.DefaultsOf(t), t.Checks), t.MayLack)
	if len(lacks) == 0 {
		return
	}
	if then, known := r.defaultsThen(); known { // some may have come to the base since
		now := task.Flow{Defaults: then}.DefaultsOf(t)
		lacks = slices.DeleteFunc(lacks, func(c task.Check) bool { return !slices.ContainsFunc(now, c.Same) })
	}
	for _, c := range lacks {
		r.report(ChecksWeakened, &r.now.File, Path{"checks"}, "is new and lacks the default check %q of the base's config, for which no person gave a reason", c.Desc).
			fix("give it the check, with those it has, by --check or --manual of cairn update %s", t.ID).
			warnIf(!r.flow.ClaimsDone(t.Status))
	}
}

// defaultsThen returns the default checks of the base as the commit that made the task had it.
func (r pairRules) defaultsThen() ([]task.Check, bool) {
	log := r.now.Task.Provenance
	if len(log) == 0 {
		return nil, false
	}
	return r.change.DefaultsAt(r.now.ID(), log.First())
}

// weakenedByHistory finds checks that earlier versions of the file had and that the task need not pass any more.
func (r pairRules) weakenedByHistory() {
	versions := r.change.Past[r.now.ID()]
	if r.was != nil {
		versions = append([]task.Task{r.was.Task}, versions...)
	}
	reported := map[string]bool{}
	if slices.ContainsFunc(versions, func(earlier task.Task) bool { return r.flow.LostEvidence(r.now.Task, earlier) }) {
		r.report(ChecksWeakened, &r.now.File, Path{"status"}, "is %s, and on the way evidence was required no more, for which no person gave a reason", r.now.Task.Status)
	}
	for _, earlier := range versions {
		for _, c := range r.flow.Lost(r.now.Task, earlier) {
			if !reported[c.Desc] {
				reported[c.Desc] = true
				r.report(ChecksWeakened, &r.now.File, Path{"checks"}, "is %s, and the check %q was taken away or changed on the way, for which no person gave a reason", r.now.Task.Status, c.Desc)
			}
		}
	}
}

// movedOn finds moves that relied on earlier passes and were made on files that the change does not have.
func (r pairRules) movedOn() {
	for i, e := range r.now.Task.Provenance {
		if r.now.Task.Repo != "" || !r.fresh[i] || e.To == "" || e.Tree == "" || len(e.Results) > 0 {
			continue
		}
		if has, known := r.change.Committed(e.Commit, e.Tree); known && !has {
			r.report(EvidenceTreeUnknown, &r.now.File, Path{"provenance", i}, "was moved to %s on files that no commit of this change holds", e.To)
		}
	}
}

// trees finds passes that the change brings and that were earned on files that the change does not have.
func (r pairRules) trees() {
	t := r.now.Task
	asked, evidence := map[int]bool{}, t.EvidenceIndex()
	for n, c := range t.Checks {
		ev, ok := evidence.Evidence(n)
		if !ok || c.Manual() || c.Repo != "" || ev.Result != record.Pass || ev.Tree == "" || !r.fresh[ev.Entry] || asked[ev.Entry] {
			continue
		}
		asked[ev.Entry] = true
		if has, known := r.change.Committed(ev.Commit, ev.Tree); known && !has {
			r.report(EvidenceTreeUnknown, &r.now.File, Path{"provenance", ev.Entry}, "the check %q passed on files that no commit of this change holds", c.Desc)
		}
	}
}
