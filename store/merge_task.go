package store

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// settleTask sets what follows from the rest of a merged task: the results of its checks, and whether its status stands.
// What cannot be read as a task is left as it was merged.
func settleTask(m *frontmatter.Merged, flow task.Flow) {
	base, ours, theirs, ok := m.Sides()
	if !ok {
		return
	}
	v := versions{}
	var err1, err2 error
	if base != nil {
		v.base, _ = readTask(base)
	}
	v.ours, err1 = readTask(ours)
	v.theirs, err2 = readTask(theirs)
	merged, err3 := readTask(m.Doc())
	if err1 != nil || err2 != nil || err3 != nil {
		return
	}
	merged.Checks = v.results(merged)
	setResults(m, merged)
	v.askAgain(m, merged, flow)
}

// versions are the three tasks of a merge. base is empty if there is none.
type versions struct{ base, ours, theirs task.Task }

// results gives each check of the merged task its result. If a side changed what it runs, that is pending; else a result
// that one side changed, and between two the one with the newer evidence.
func (v versions) results(merged task.Task) []task.Check {
	out := slices.Clone(merged.Checks)
	for i, c := range out {
		b, inBase := checkOf(v.base, c.Desc)
		o, inOurs := checkOf(v.ours, c.Desc)
		t, inTheirs := checkOf(v.theirs, c.Desc)
		switch {
		case inBase && (inOurs && !o.Same(b) || inTheirs && !t.Same(b)):
			out[i].Result = task.Pending
		case !inOurs || !inTheirs || o.Result == t.Result:
		case inBase && o.Result == b.Result:
			out[i].Result = t.Result
		case inBase && t.Result == b.Result:
			out[i].Result = o.Result
		default:
			out[i].Result = task.Pending
			if ev, ok := merged.Evidence(i); ok {
				out[i].Result = ev.Result
			}
		}
	}
	return out
}

func checkOf(t task.Task, desc string) (task.Check, bool) {
	i := slices.IndexFunc(t.Checks, func(c task.Check) bool { return c.Desc == desc })
	if i < 0 {
		return task.Check{}, false
	}
	return t.Checks[i], true
}

// setResults writes the results that the merged document does not have yet.
func setResults(m *frontmatter.Merged, merged task.Task) {
	written, err := readTask(m.Doc())
	if err != nil {
		return
	}
	for i, c := range merged.Checks {
		if written.Checks[i].Result != c.Result {
			path := frontmatter.Path{"checks", i, "result"}
			if err := m.Edit(frontmatter.Set(path, frontmatter.Plain(c.Result))); err != nil {
				m.Dispute("checks", nil, "")
			}
		}
	}
}

// askAgain makes a conflict of a closed status that the merged record does not bear out. What the base did not bear out
// either is no news.
func (v versions) askAgain(m *frontmatter.Merged, merged task.Task, flow task.Flow) {
	var known []task.Check
	if v.base.Status == merged.Status {
		known = flow.Unproven(v.base)
	}
	var news []string
	for _, c := range flow.Unproven(merged) {
		if !slices.ContainsFunc(known, c.Same) {
			news = append(news, c.Desc)
		}
	}
	if len(news) == 0 {
		return
	}
	other := v.reopened(merged.Status, flow)
	if merged.Status != v.ours.Status {
		other = merged.Status
		if m.Edit(frontmatter.Set(frontmatter.Path{"status"}, frontmatter.String(v.ours.Status))) != nil {
			return
		}
	}
	m.Dispute("status", frontmatter.String(other),
		string(merged.Status)+" no longer stands, not passed: "+strings.Join(news, "; "))
}

// reopened is what the status is if it is not the closed one: what it was on the other side, or before, or else the initial
// state.
func (v versions) reopened(closed task.Status, flow task.Flow) task.Status {
	for _, s := range []task.Status{v.theirs.Status, v.base.Status} {
		if s != "" && s != closed && !flow.IsClosed(s) {
			return s
		}
	}
	return flow.Initial
}
