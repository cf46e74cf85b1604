package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// moved asks whether entries account for the status, the holder and the results that the change brings. A file that came
// without any record has nothing that could.
func (j *judge) moved(p pair) {
	t, before := p.now.Task, p.before(j.flow)
	if p.was == nil && len(t.Provenance) == 0 {
		return
	}
	if t.Status != before.Status && !newest(t, movedTo, t.Status) {
		closed := j.flow.IsClosed(t.Status) || j.flow.IsClosed(before.Status)
		j.reportTask(StatusUnexplained, p.now, frontmatter.Path{"status"}, "went from %s to %s, and no entry says so", before.Status, t.Status).
			mend("write %s back into the file, then cairn transition %s %s, so that the gates are asked", before.Status, t.ID, t.Status).
			warnIf(!closed)
	}
	if t.Assignee != before.Assignee && (p.was != nil || t.HasHolder()) && !held(t) {
		j.reportTask(AssigneeUnexplained, p.now, frontmatter.Path{"assignee"}, "is held by %s, was by %s, and no entry says so", nobody(t.Assignee), nobody(before.Assignee))
	}
	if !j.flow.IsAbandoned(t.Status) {
		j.results(p, before)
	}
}

// held reports whether the record makes the task's holder its holder: by what entries say, or by what they tell of where they
// do not say it, as in files of the original cairn.
func held(t task.Task) bool {
	said := func(e task.Entry) (task.Actor, bool) {
		if e.Assignee == nil {
			return "", false
		}
		return *e.Assignee, true
	}
	return newest(t, said, t.Assignee) || newest(t, task.Entry.Holder, t.Assignee)
}

func movedTo(e task.Entry) (task.Status, bool) { return e.To, e.To != "" }

// newest reports whether the newest entry that says anything of a kind says this. Among those of one second nobody knows
// which is the newest: a merge leaves the choice to a person.
func newest[T comparable](t task.Task, of func(task.Entry) (T, bool), want T) bool {
	said := false
	at := t.Last().At
	for _, e := range slices.Backward(t.Provenance) {
		got, ok := of(e)
		if !ok {
			continue
		}
		if said && !e.At.Equal(at) {
			return false
		}
		if got == want {
			return true
		}
		said, at = true, e.At
	}
	return false
}

func nobody(who task.Actor) task.Actor {
	if who == "" {
		return "nobody"
	}
	return who
}

// results asks where the results come from that were others before. That a check waits again needs no entry: so it is after
// a merge with a branch that changed it.
func (j *judge) results(p pair, before task.Task) {
	t := p.now.Task
	was, evidence := resultsIn(before), t.EvidenceIndex()
	for n, c := range t.Checks {
		if c.Result == task.Pending || c.Result == was(c) {
			continue
		}
		if c.Result == task.Pass && evidence.Recorded(j.flow, n) != task.Pass {
			continue // the gate rules say it already
		}
		if ev, ok := evidence.Evidence(n); ok && p.fresh[ev.Entry] && ev.Result == c.Result {
			continue
		}
		j.reportTask(ResultUnexplained, p.now, resultOf(n), "the check %q was %s and is %s, and no new entry says so", c.Desc, was(c), c.Result).
			mend("%s", settle(t, n)).warnIf(!j.flow.IsClosed(t.Status))
	}
}

// resultsIn gives the result that a task has of a check; one that it does not have waits.
func resultsIn(t task.Task) func(task.Check) task.Result {
	byDesc := make(map[string][]task.Check, len(t.Checks)) // a file may say the same twice
	for _, c := range t.Checks {
		byDesc[c.Desc] = append(byDesc[c.Desc], c)
	}
	return func(c task.Check) task.Result {
		for _, old := range byDesc[c.Desc] {
			if old.Same(c) {
				return old.Result
			}
		}
		return task.Pending
	}
}
