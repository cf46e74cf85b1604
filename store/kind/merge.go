package kind

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Merge merges two versions of a file with a common base, which is empty if both sides added the file. name is its
// path, with forward slashes; the kind of record follows from the folder. It reports whether the merge is clean. If
// not, the file has git's conflict markers, around the lines concerned if they can be told apart.
//
// It depends on its arguments only: the same versions always give the same bytes, and in a criss-cross merge git may
// merge several times.
func Merge(name string, base, ours, theirs []byte, flow task.Flow, markers format.Markers) (merged []byte, clean bool) {
	form, schema := format.YAML, format.Schema{}
	k, ok := kindAt(name)
	switch {
	case ok:
		form, schema = k.Form, format.Schema{Order: k.Keys(), Fields: k.mergeRules()}
	case strings.HasSuffix(name, ".md"):
		form = format.Markdown
	case path.Base(name) == layout.ConfigName && path.Base(path.Dir(name)) == layout.Folder:
		schema.Fields = map[string]format.Rule{
			"default_checks": {Kind: format.Keyed, Key: "desc"}, "repos": {Kind: format.Keyed, Key: "name"},
			"fields": {Kind: format.Keyed, Key: "name"}, "views": {Kind: format.Keyed, Key: "name"}, "provenance": LogRule,
		}
	}
	schema.Fields = withLogs(schema.Fields)
	m := format.Merge(base, ours, theirs, form, schema, markers)
	if ok && k.Settle != nil {
		k.Settle(k, m, flow)
	}
	if ok && k.Life.Order != nil {
		k.settleLife(m, flow)
	}
	return m.Bytes(), m.Clean()
}

// mergeRules are the rules by which the keys merge.
func (k *Kind) mergeRules() map[string]format.Rule {
	rules := k.rules()
	for _, key := range movingKeys {
		if k.Life.Order != nil {
			rules[key] = format.Rule{Choose: k.settleLater}
		}
	}
	for _, key := range recordedKeys {
		rule := rules[key]
		rule.Recorded = true
		rules[key] = rule
	}
	return rules
}

// recordedKeys are those that entries account for.
var recordedKeys = append([]string{"deps", "checks", "requires_evidence"}, movingKeys...)

// withLogs adds to rules for logs which values the entries have.
func withLogs(rules map[string]format.Rule) map[string]format.Rule {
	out := maps.Clone(rules)
	for key, rule := range out {
		if rule.Kind == format.Log {
			rule.Values = format.Values(record.EntryValues())
			out[key] = rule
		}
	}
	return out
}

// kindAt is the kind of a record, by a path that may start above the workspace.
func kindAt(name string) (*Kind, bool) {
	for below := true; below; _, name, below = strings.Cut(name, "/") {
		if k, _, ok := At(name); ok {
			return k, true
		}
	}
	return nil, false
}

// LogRule merges provenance: the entries of both sides, by their time. Merge adds which values they have.
var LogRule = format.Rule{Kind: format.Log, Key: "at"}

// later chooses the side that set later what entries set. It chooses neither if a side does not know since when it has
// its value, since a person has edited the file, or if both changed it in the same second. sets says of an entry
// whether it set the key, and whether to what the task has.
func later(sets func(e record.Entry, t task.Task) (some, this bool)) choice {
	return higher(func(t task.Task) (int64, bool) {
		e, _ := t.Provenance.Newest(func(e record.Entry) bool { some, _ := sets(e, t); return some })
		_, this := sets(e, t)
		return e.At.Unix(), this
	})
}

// settleTask sets what follows from the rest of a merged task: the results of its checks, and whether its status still
// holds. A file that cannot be read as a task is left as it was merged.
func settleTask(k *Kind, m *format.Merged, flow task.Flow) {
	base, ours, theirs, ok := m.Sides()
	if !ok {
		return
	}
	v := versions{}
	var err1, err2 error
	if base != nil {
		v.base, _ = taskIn(k, base)
	}
	v.ours, err1 = taskIn(k, ours)
	v.theirs, err2 = taskIn(k, theirs)
	merged, err3 := taskIn(k, m.Doc())
	if err1 != nil || err2 != nil || err3 != nil {
		return
	}
	merged.Checks = v.results(merged)
	setResults(k, m, merged)
	v.disputeStatus(m, merged, flow)
}

func taskIn(k *Kind, doc *format.Doc) (task.Task, error) {
	t, err := k.Decode(doc)
	return t.(task.Task), err
}

// versions are the three versions of a task in a merge. base is the zero value if there is none.
type versions struct{ base, ours, theirs task.Task }

// results returns the checks of the merged task with their results. A check that one side changed is pending. Else a
// result that one side changed wins, and of two changed ones that with the newer evidence.
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
			out[i].Result = record.Pending
		case !inOurs || !inTheirs || o.Result == t.Result:
		case inBase && o.Result == b.Result:
			out[i].Result = t.Result
		case inBase && t.Result == b.Result:
			out[i].Result = o.Result
		default:
			out[i].Result = record.Pending
			if ev, ok := evidence.Evidence(i); ok {
				out[i].Result = ev.Result
			}
		}
	}
	return out
}

// checksByDesc returns the checks by their desc; of several with the same desc the first.
func checksByDesc(checks []task.Check) map[string]task.Check {
	by := make(map[string]task.Check, len(checks))
	for _, c := range slices.Backward(checks) {
		by[c.Desc] = c
	}
	return by
}

// setResults sets the results that the merged document does not have.
func setResults(k *Kind, m *format.Merged, merged task.Task) {
	written, err := taskIn(k, m.Doc())
	if err != nil {
		return
	}
	var edits []format.Edit
	for i, c := range merged.Checks {
		if written.Checks[i].Result != c.Result {
			path := format.Path{"checks", i, "result"}
			edits = append(edits, format.Set(path, format.Plain(c.Result)))
		}
	}
	if m.Edit(edits...) == nil {
		return
	}
	for _, e := range edits { // one by one, those that are possible
		if err := m.Edit(e); err != nil {
			m.Dispute("checks", nil, "")
		}
	}
}

// disputeStatus makes a closed status a conflict if a check of the merged task is not proven. Checks that were not
// proven in the base either do not count.
func (v versions) disputeStatus(m *format.Merged, merged task.Task, flow task.Flow) {
	known := map[string][]task.Check{} // by desc
	if v.base.Status == merged.Status {
		for _, c := range flow.Unproven(v.base) {
			known[c.Desc] = append(known[c.Desc], c)
		}
	}
	var unproven []string
	for _, c := range flow.Unproven(merged) {
		if !slices.ContainsFunc(known[c.Desc], c.Same) {
			unproven = append(unproven, c.Desc)
		}
	}
	if len(unproven) == 0 {
		return
	}
	other := flow.Initial // what to offer in place of the closed status: that of the other side, or of the base, or else this
	for _, s := range []record.Status{v.base.Status, v.theirs.Status} {
		if s != "" && s != merged.Status && !flow.IsClosed(s) {
			other = s
		}
	}
	if merged.Status != v.ours.Status {
		other = merged.Status
		if m.Edit(format.Set(format.Path{"status"}, format.String(v.ours.Status))) != nil {
			return
		}
	}
	m.Dispute("status", format.String(other),
		string(merged.Status)+" no longer stands, not passed: "+strings.Join(unproven, "; "))
}
