package proof

import (
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// earned asks of a task that is closed whether all that it once had to pass was passed, on files that are part of the change.
func (j *judge) earned(p pair) {
	if !stands(j.flow, p.now.Task.Status) {
		return
	}
	if !j.weakenedByRecord(p) {
		j.weakenedByHistory(p)
	}
	j.trees(p)
}

// weakenedByRecord finds, by the hashes that entries carry, a list that lost something.
func (j *judge) weakenedByRecord(p pair) bool {
	e, ok := j.flow.Weakened(p.now.Task)
	if ok {
		j.reportTask(ChecksWeakened, p.now, frontmatter.Path{"checks"}, "is %s, and lost a check on the way (%s), for which no person gave a reason", p.now.Task.Status, told(e))
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
				j.reportTask(ChecksWeakened, p.now, frontmatter.Path{"checks"}, "is %s, and the check %q was taken away or changed on the way, for which no person gave a reason", p.now.Task.Status, c.Desc)
			}
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
		if has, known := j.committed(ev); known && !has {
			j.reportTask(EvidenceTreeUnknown, p.now, frontmatter.Path{"provenance", ev.Entry}, "the check %q passed on files that no commit of this change holds", c.Desc)
		}
	}
}

func (j *judge) committed(ev task.Evidence) (has, known bool) {
	if j.change.Committed == nil {
		return false, false
	}
	return j.change.Committed(ev.Commit, ev.Tree)
}
