package proof

import (
	"bytes"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// RecordFile is one file of a record of any kind but a task.
type RecordFile struct {
	File
	Kind  string      // names a Kind
	Name  string      // of the file, without its extension: the id that the record should have
	Head  task.Header // if the file is sound; Log holds the entries that stand under provenance in the file
	Value any         // what the rules of the kind judge, if the file is sound
}

// Kind is one kind of record: the rules that its records are judged by beyond those that all records share.
//
// All records share these rules: a file can be read, its id is its name, no two names differ only in case, and no merge conflict
// is left in it. Against a base, entries of the provenance are only appended, in the order of time and not ahead of it, and no
// record is deleted. A key that nobody knows is no finding: files keep such keys.
type Kind struct {
	Name    string
	Rules   []Rule        // the kind's own
	Judge   func(c *Case) // judges a record whose file is sound; may be nil
	Deleted func(c *Case) // reports a record that the change deletes; nil reports RecordDeleted
}

// Kinds is every kind of record but tasks and the config.
var Kinds = []Kind{sessionKind, proposalKind}

// Case is one record that the rules of its kind judge.
type Case struct {
	Now  *RecordFile // nil if the change deletes the record
	Base *RecordFile // as the base has it; nil if there is no base, the base lacks it, or its file there is not sound

	judge *judge
}

// Report adds a finding about the record, with the rule's own severity and fix. The finding returned may be changed until the
// next report.
func (c *Case) Report(rule RuleID, at Path, format string, args ...any) *Finding {
	f := c.Now
	if f == nil {
		f = c.Base
	}
	return &c.judge.report(rule, &f.File, at, format, args...).Finding
}

// HasTask reports whether the tree has a task.
func (c *Case) HasTask(id task.ID) bool { return c.judge.byName[id] != nil }

// HadTask reports whether the base has a task.
func (c *Case) HadTask(id task.ID) bool {
	return c.judge.change != nil && c.judge.change.base[id] != nil
}

// kind finds the kind of a record. One that is not declared has no rules of its own.
func (t Tree) kind(name string) Kind {
	for _, kinds := range [][]Kind{Kinds, t.Kinds} {
		for _, k := range kinds {
			if k.Name == name {
				return k
			}
		}
	}
	return Kind{Name: name}
}

// rules lists every rule, those of the tree's own kinds included.
func (t Tree) rules() []Rule {
	out := Rules
	for _, k := range t.Kinds {
		out = append(slices.Clip(out), k.Rules...)
	}
	return out
}

// rule finds one of the rules by its id.
func (t Tree) rule(id RuleID) (Rule, bool) {
	rules := t.rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// recordRules judge the records of every kind but tasks.
type recordRules struct{ *judge }

func (r recordRules) apply() {
	base := map[task.Ref]*RecordFile{}
	if r.change != nil {
		for i := range r.change.Base.Records {
			was := &r.change.Base.Records[i]
			base[was.ref()] = was
		}
	}
	for i := range r.Records {
		f := &r.Records[i]
		was := base[f.ref()]
		delete(base, f.ref())
		if was != nil && !was.Sound() {
			was = nil
		}
		r.record(f, was)
	}
	for _, was := range base {
		r.deleted(was)
	}
}

// ref names a record by its file, whatever id it gives itself.
func (f *RecordFile) ref() task.Ref { return task.Ref{Kind: f.Kind, ID: f.Name} }

// record judges a record that is there.
func (r recordRules) record(f, was *RecordFile) {
	if fileRules(r).readable(&f.File) != nil {
		return
	}
	if f.Head.Ref.ID != f.Name {
		r.report(IDMismatch, &f.File, Path{"id"}, "the file is called %s, and its id is %s", f.Name, f.Head.Ref.ID)
	}
	if bytes.Contains(f.Src, []byte(conflictMark)) {
		fileRules(r).conflict(&f.File)
	}
	if r.change != nil && (was == nil || !same(was.Src, f.Src)) {
		r.provenance(f, was)
	}
	if judge := r.kind(f.Kind).Judge; judge != nil {
		judge(&Case{Now: f, Base: was, judge: r.judge})
	}
}

// provenance compares the provenance of a record that the change touches with that of the base.
func (r recordRules) provenance(f, was *RecordFile) {
	rules := logRules{judge: r.judge, file: &f.File, now: f.Head.Log}
	switch {
	case was == nil:
		rules.logDiff = compareLogs(&f.File, nil, len(f.Head.Log))
	case len(was.Head.Log)+len(f.Head.Log) == 0:
		return
	default:
		rules.base, rules.logDiff = was.Head.Log, compareLogs(&f.File, &was.File, len(f.Head.Log))
	}
	rules.appendOnly()
	rules.aheadOfTime(func(e task.Entry) (time.Time, bool) {
		if r.change.RecordBroughtBy == nil {
			return time.Time{}, false
		}
		return r.change.RecordBroughtBy(f.Path, e)
	})
}

// deleted reports a record of the base that is gone.
func (r recordRules) deleted(was *RecordFile) {
	c := &Case{Base: was, judge: r.judge}
	if report := r.kind(was.Kind).Deleted; report != nil {
		report(c)
		return
	}
	c.Report(RecordDeleted, nil, "the %s %s is deleted (%d entries)", was.Kind, was.Name, len(was.Head.Log))
}
