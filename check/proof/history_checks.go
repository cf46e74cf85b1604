package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// earned asks of a task that is closed whether all that it once had to pass was passed, on files that are part of the change.
func (j *judge) earned(p pair) {
	j.lacksDefaults(p)
	j.movedOn(p)
	if !stands(j.flow, p.now.Task.Status) {
		return
	}
	if !j.weakenedByRecord(p) {
		j.weakenedByHistory(p)
	}
	j.trees(p)
}

// lacksDefaults finds, of a task that the change brings, the default checks of the base's config that it does not have. A person
// may have taken one away, with a reason.
func (j *judge) lacksDefaults(p pair) {
	t := p.now.Task
	if p.was != nil || slices.ContainsFunc(t.Provenance, task.Entry.Excuses) {
		return
	}
	for _, c := range task.Dropped(j.flow.Defaults, t.Checks) {
		j.reportTask(ChecksWeakened, p.now, Path{"checks"}, "is new and lacks the default check %q of the base's config, for which no person gave a reason", c.Desc).
			mend("give it the check: cairn update %s --check or --manual, with those it has", t.ID).
			warnIf(!stands(j.flow, t.Status))
	}
}

// weakenedByRecord finds, by the hashes that entries carry, a list that lost something.
func (j *judge) weakenedByRecord(p pair) bool {
	e, ok := j.flow.Weakened(p.now.Task)
	if ok {
		j.reportTask(ChecksWeakened, p.now, Path{"checks"}, "is %s, and lost a check on the way (%s), for which no person gave a reason", p.now.Task.Status, told(e))
	}
	return ok
}

// weakenedByHistory finds, in what the file said before, checks that are no longer asked for.
func (j *judge) weakenedByHistory(p pair) {
	versions := j.change.Past[p.now.Name]
	if p.was != nil {
		versions = append([]task.Task{p.was.Task}, versions...)
	}
	reported := map[string]bool{}
	for _, earlier := range versions {
		for _, c := range j.flow.Lost(p.now.Task, earlier) {
			if !reported[c.Desc] {
				reported[c.Desc] = true
				j.reportTask(ChecksWeakened, p.now, Path{"checks"}, "is %s, and the check %q was taken away or changed on the way, for which no person gave a reason", p.now.Task.Status, c.Desc)
			}
		}
	}
}

// movedOn finds moves that rest on earlier passes and were made on files that the change does not have.
func (j *judge) movedOn(p pair) {
	for i, e := range p.now.Task.Provenance {
		if !p.fresh[i] || e.To == "" || e.Tree == "" || len(e.Results) > 0 {
			continue
		}
		if has, known := j.committed(e.Commit, e.Tree); known && !has {
			j.reportTask(EvidenceTreeUnknown, p.now, Path{"provenance", i}, "was moved to %s on files that no commit of this change holds", e.To)
		}
	}
}

// trees finds passes that the change brings and that were earned on files that it does not have.
func (j *judge) trees(p pair) {
	t := p.now.Task
	asked, evidence := map[int]bool{}, t.EvidenceIndex()
	for n, c := range t.Checks {
		ev, ok := evidence.Evidence(n)
		if !ok || c.Manual() || ev.Result != task.Pass || ev.Tree == "" || !p.fresh[ev.Entry] || asked[ev.Entry] {
			continue
		}
		asked[ev.Entry] = true
		if has, known := j.committed(ev.Commit, ev.Tree); known && !has {
			j.reportTask(EvidenceTreeUnknown, p.now, Path{"provenance", ev.Entry}, "the check %q passed on files that no commit of this change holds", c.Desc)
		}
	}
}

func (j *judge) committed(commit, tree string) (has, known bool) {
	if j.change.Committed == nil {
		return false, false
	}
	return j.change.Committed(commit, tree)
}
