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
	base, ours, theirs := checksByDesc(v.base.Checks), checksByDesc(v.ours.Checks), checksByDesc(v.theirs.Checks)
	evidence := merged.EvidenceIndex()
	for i, c := range out {
		b, inBase := base[c.Desc]
		o, inOurs := ours[c.Desc]
		t, inTheirs := theirs[c.Desc]
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
			if ev, ok := evidence.Evidence(i); ok {
				out[i].Result = ev.Result
			}
		}
	}
	return out
}

// checksByDesc gives each check by its name; of two with the same one the first.
func checksByDesc(checks []task.Check) map[string]task.Check {
	by := make(map[string]task.Check, len(checks))
	for _, c := range slices.Backward(checks) {
		by[c.Desc] = c
	}
	return by
}

// setResults writes the results that the merged document does not have yet.
func setResults(m *frontmatter.Merged, merged task.Task) {
	written, err := readTask(m.Doc())
	if err != nil {
		return
	}
	var edits []frontmatter.Edit
	for i, c := range merged.Checks {
		if written.Checks[i].Result != c.Result {
			path := frontmatter.Path{"checks", i, "result"}
			edits = append(edits, frontmatter.Set(path, frontmatter.Plain(c.Result)))
		}
	}
	if m.Edit(edits...) == nil {
		return
	}
	for _, e := range edits { // those that can be made
		if err := m.Edit(e); err != nil {
			m.Dispute("checks", nil, "")
		}
	}
}

// askAgain makes a conflict of a closed status that the merged record does not bear out. What the base did not bear out
// either is no news.
func (v versions) askAgain(m *frontmatter.Merged, merged task.Task, flow task.Flow) {
	known := map[string][]task.Check{} // by desc
	if v.base.Status == merged.Status {
		for _, c := range flow.Unproven(v.base) {
			known[c.Desc] = append(known[c.Desc], c)
		}
	}
	var news []string
	for _, c := range flow.Unproven(merged) {
		if !slices.ContainsFunc(known[c.Desc], c.Same) {
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
