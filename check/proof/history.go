package proof

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
)

// historyRules judge whether the provenance of every task that the change touches explains how the task came to be as
// it is.
type historyRules struct{ *judge }

// pairRules judge one of these tasks, as it is and as it was.
type pairRules struct {
	*judge
	pair
}

func (r historyRules) apply() {
	if r.change == nil {
		return
	}
	if r.Config.Sound() && r.change.Base.Config.Sound() {
		logRules{r.judge, compareLogs(&r.Config.File, &r.change.Base.Config.File)}.appendOnly()
	}
	for _, p := range r.change.pairs {
		if p.was != nil && (p.was.ID() != p.now.ID() || p.was.Task.ID != p.now.Task.ID) {
			was := p.was.Task.ID
			r.report(IDChanged, &p.now.File, Path{"id"}, "was %s before", was).
				fix("call the file %s.md again, and let its id say so", was)
		}
		logRules{r.judge, p.logDiff}.apply()
		if r.Config.Sound() {
			of := pairRules{r.judge, p}
			of.moved()
			of.replayed()
			of.earned()
		}
	}
	r.deleted()
}

// deleted finds the tasks that the change deletes, and says which of them other tasks still refer to.
func (r historyRules) deleted() {
	needs := map[record.ID]record.ID{}
	for _, f := range r.Tasks {
		t := f.Task
		for _, to := range append(parents(t), t.Deps...) {
			if _, ok := needs[to]; !ok {
				needs[to] = f.ID()
			}
		}
	}
	for _, f := range r.change.gone {
		if who, ok := needs[f.ID()]; ok {
			r.report(DeletedNeeded, &f.File, nil, "is deleted, and %s depends on it or belongs to it", who)
		} else {
			r.report(TaskDeleted, &f.File, nil, "is deleted (%s, %s)", cmp.Or(f.Task.Status, "unreadable"), record.Count(len(f.Task.Provenance), "entry"))
		}
	}
}
