package proof

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// started asks, where the change starts a task, whether what it depends on was closed by then.
func (j *judge) started(p pair) {
	for i, e := range p.now.Task.Provenance {
		if p.fresh[i] && j.starts(p.now.Task, i) {
			j.early(p, e)
			return
		}
	}
	before := p.before(j.flow).Status
	if p.was != nil && j.leaves(before, p.now.Task.Status) && !newest(p.now.Task, movedTo, p.now.Task.Status) {
		j.openNow(p)
	}
}

// starts reports whether an entry takes the task through the deps gate.
func (j *judge) starts(t task.Task, i int) bool {
	e := t.Provenance[i]
	from := e.From
	if from == "" { // as in files of the original cairn
		from = j.flow.Initial
		for _, earlier := range t.Provenance[:i] {
			if earlier.To != "" {
				from = earlier.To
			}
		}
	}
	return e.To != "" && j.leaves(from, e.To)
}

// leaves reports whether a move asks for the deps.
func (j *judge) leaves(from, to task.Status) bool {
	waits := func(s task.Status) bool { return s == j.flow.Initial || j.flow.IsAbandoned(s) }
	return waits(from) && to != j.flow.Initial && !j.flow.IsAbandoned(to)
}

// early finds the deps that were open when the task was started.
func (j *judge) early(p pair, start task.Entry) {
	for n, id := range p.now.Task.Deps {
		dep := j.byName[id]
		if dep == nil || !dep.Sound() || mayBeLater(p, id, start.At) || j.flow.ClosedAt(dep.Task, start.At) {
			continue
		}
		j.reportTask(StartedEarly, p.now, frontmatter.Path{"deps", n}, "was started (%s) before %s, which it depends on, was closed", told(start), id)
	}
}

// mayBeLater reports whether the task may depend on another only since it was started. Entries tell that something was
// updated, not what: so a dep of the base may be later if it was updated there since, and any other if it was updated at all.
func mayBeLater(p pair, dep task.ID, start time.Time) bool {
	t := p.now.Task
	if p.was != nil && slices.Contains(p.was.Task.Deps, dep) {
		t = p.was.Task
	}
	return slices.ContainsFunc(t.Provenance, func(e task.Entry) bool {
		return e.Did == task.Updated && e.To == "" && !e.At.Before(start)
	})
}

// openNow finds the deps that are open, of a task that was started without an entry.
func (j *judge) openNow(p pair) {
	for n, id := range p.now.Task.Deps {
		if dep := j.byName[id]; dep != nil && dep.Sound() && !j.flow.IsClosed(dep.Task.Status) {
			j.reportTask(StartedEarly, p.now, frontmatter.Path{"deps", n}, "was started, and %s, which it depends on, is %s", id, dep.Task.Status)
		}
	}
}
