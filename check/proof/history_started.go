package proof

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// started asks, where the change starts a task, whether what it depends on was closed by then. A task that went back and was
// started once more is asked about the last time only: so an early start is made good.
func (j *judge) started(p pair) {
	t := p.now.Task
	switch {
	case j.waits(t.Status):
	case p.was != nil && j.waits(p.was.Task.Status) && !newest(t, movedTo, t.Status):
		j.openNow(p) // no entry tells when
	default:
		for i, e := range slices.Backward(t.Provenance) {
			if j.starts(t, i) {
				if p.fresh[i] {
					j.early(p, e)
				}
				return
			}
		}
	}
}

// waits reports whether leaving a state asks for the deps.
func (j *judge) waits(s task.Status) bool { return s == j.flow.Initial || j.flow.IsAbandoned(s) }

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
	return e.To != "" && j.waits(from) && !j.waits(e.To)
}

// early finds the deps that were open when the task was started. What others did meanwhile on other branches whoever started
// it could not know: where a dep seems to have been open, the question is put to the commit that brought the start, if there
// is one already.
func (j *judge) early(p pair, start task.Entry) {
	late := j.openAt(p, p.now.Task, j.find, start)
	if len(late) == 0 {
		return
	}
	if find, ok := j.change.broughtBy(p.now.Name, start); ok {
		then, _ := find(p.now.Name)
		late = j.openAt(p, then, find, start)
	}
	for n, id := range p.now.Task.Deps {
		if slices.Contains(late, id) {
			j.reportTask(StartedEarly, p.now, frontmatter.Path{"deps", n}, "was started (%s) before %s, which it depends on, was closed", told(start), id).
				mend("cairn transition %s %s, and start it again once %s is closed", p.now.Name, j.flow.Initial, id)
		}
	}
}

// openAt lists the deps of a task, as it was at one time, that were not closed when it was started.
func (j *judge) openAt(p pair, then task.Task, find task.Find, start task.Entry) []task.ID {
	var open []task.ID
	for _, id := range then.Deps {
		if dep, ok := find(id); ok && !mayBeLater(p, then, id, start.At) && !j.flow.ClosedAt(dep, start.At) {
			open = append(open, id)
		}
	}
	return open
}

// find is a task.Find in the tree.
func (j *judge) find(id task.ID) (task.Task, bool) {
	f := j.byName[id]
	if f == nil || !f.Sound() {
		return task.Task{}, false
	}
	return f.Task, true
}

func (c *Change) broughtBy(id task.ID, e task.Entry) (task.Find, bool) {
	if c.BroughtBy == nil {
		return nil, false
	}
	return c.BroughtBy(id, e)
}

// mayBeLater reports whether the task, as it was at one time, may depend on another only since it was started. Entries tell that
// something was updated, not what: so a dep of the base may be later if it was updated there since, and any other if it was
// updated at all.
func mayBeLater(p pair, then task.Task, dep task.ID, start time.Time) bool {
	if p.was != nil && slices.Contains(p.was.Task.Deps, dep) {
		then = p.was.Task
	}
	return slices.ContainsFunc(then.Provenance, func(e task.Entry) bool {
		return e.Did == task.Updated && e.To == "" && !e.At.Before(start)
	})
}

// openNow finds the deps that are open, of a task that was started without an entry.
func (j *judge) openNow(p pair) {
	for n, id := range p.now.Task.Deps {
		if dep, ok := j.find(id); ok && !j.flow.IsClosed(dep.Status) {
			j.reportTask(StartedEarly, p.now, frontmatter.Path{"deps", n}, "was started, and %s, which it depends on, is %s", id, dep.Status).
				mend("write %s back into the file; start it once %s is closed", j.flow.Initial, id)
		}
	}
}
