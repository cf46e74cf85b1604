package proof

import (
	"reflect"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// RecordFile is one file of a record of any kind but a task.
type RecordFile struct {
	File
	Value any // what the rules of the kind judge, if the file is sound
}

// Kind is one kind of record: the rules that its records are judged by beyond those that all records share.
//
// All records share these rules: a file can be read, its id is its name, no two names differ only in case, and no merge
// conflict is left in it. Against a base, entries of the provenance are only appended, in the order of time and not
// ahead of it, and no record is deleted. A key that nobody knows is no finding: files keep such keys.
type Kind struct {
	Name    string
	Rules   []Rule        // the kind's own
	Judge   func(c *Case) // judges a record whose file is sound; may be nil
	Deleted func(c *Case) // reports a record that the change deletes; nil reports RecordDeleted

	// Life is how its records live: their entries, states and holders are judged by it. Without Kinds they are not.
	Life  task.Life
	Mover string // the command that moves such a record ID to a STATE, for fixes; "" for update

	// States are those in which a record can be; nil for a kind that has none.
	States []record.Status

	// Closed reports whether a state is a closed one. It is nil for a kind that tasks cannot depend on.
	Closed func(task.Flow, record.Status) bool
}

// Case is one record that the rules of its kind judge.
type Case struct {
	Now  *RecordFile // nil if the change deletes the record
	Base *RecordFile // as the base has it; nil if there is no base, the base lacks it, or its file there is not sound

	judge *judge
	fresh map[int]bool // indexes of the entries of Now that the change brings
}

// WrittenIn is the commit that brought an entry of a record.
type WrittenIn struct {
	At  time.Time  // when it was made
	Log record.Log // the provenance of the record as that commit has it
}

// WrittenWith returns the provenance of the record as it was when its i-th entry was written: as the first commit with
// the entry has it, or as it is now if no commit of the change has it.
func (c *Case) WrittenWith(i int) record.Log {
	log := c.Now.Head.Log
	if change := c.judge.change; change != nil {
		if w, ok := change.RecordBroughtBy(c.Now.Ref, log[i]); ok {
			return w.Log
		}
	}
	return log
}

// entries reports the entries of a change that no verb writes: refused says why not, or "".
func (c *Case) entries(refused func(e record.Entry, i int) string) {
	for i, e := range c.Now.Head.Log {
		if !c.fresh[i] {
			continue
		}
		if reason := refused(e, i); reason != "" {
			c.Report(EntryRefused, Path{"provenance", i}, "entry %d (%s) %s", i+1, describe(e), reason)
		}
	}
}

// badForm returns why no verb writes an entry of this form in a record that is no task, or "". did lists the kinds of
// entry that the record has. Such an entry says who, when and what, with a text, a key, a session, and the details of
// its kind.
func badForm(e record.Entry, did ...record.Did) string {
	if _, err := record.ParseActor(string(e.Who)); err != nil {
		return "names no actor who wrote it"
	}
	plain := record.Entry{Who: e.Who, At: e.At, Did: e.Did, From: e.From, To: e.To, Text: e.Text, Key: e.Key, Session: e.Session, Detail: e.Detail}
	switch {
	case e.At.IsZero():
		return "has no time"
	case !slices.Contains(did, e.Did) || e.Old:
		return "is of a kind that no verb writes to such a record"
	case !reflect.DeepEqual(e, plain), !e.MayDetail():
		return "changes what an entry of its kind does not change"
	}
	return ""
}

// Report adds a finding about the record, with the rule's own severity and fix. The finding returned may be changed
// until the next report.
func (c *Case) Report(rule Rule, at Path, format string, args ...any) *Finding {
	f := c.Now
	if f == nil {
		f = c.Base
	}
	return &c.judge.report(rule, &f.File, at, format, args...).Finding
}

// badField reports a value that is not allowed.
func (c *Case) badField(at Path, err error) {
	c.judge.report(BadField, &c.Now.File, at, "%s", record.MessageOf(err)).allowing(err)
}

// HasTask reports whether the tree has a task.
func (c *Case) HasTask(id record.ID) bool { return c.judge.byName[id] != nil }

// Record returns a record of the tree that is no task, or nil.
func (c *Case) Record(of record.Ref) *RecordFile { return c.judge.named[of] }

// kind finds the kind of a record. One that is not declared has no rules of its own.
func (t Tree) kind(name string) Kind {
	if i := slices.IndexFunc(t.Kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return t.Kinds[i]
	}
	return Kind{Name: name}
}

// dependable returns the records of a tree that tasks can depend on, by their names.
func (t Tree) dependable() map[record.ID]*RecordFile {
	out := map[record.ID]*RecordFile{}
	for _, f := range t.Records {
		if t.kind(f.Ref.Kind).Closed != nil {
			out[record.ID(f.Ref.ID)] = f
		}
	}
	return out
}

// dep returns a record as a dependency. It reports false for nil, and for a record whose file is not sound.
func (t Tree) dep(f *RecordFile) (task.Task, bool) {
	if f == nil || !f.Sound() {
		return task.Task{}, false
	}
	closed := t.kind(f.Ref.Kind).Closed
	return task.DepOf(f.Head, func(s record.Status) bool { return closed(t.Config.Flow, s) }), true
}

// rules lists every rule that the tree is judged by: those of no single kind, and those of its kinds.
func (t Tree) rules() []Rule {
	out := slices.Clip(ownRules)
	for _, k := range t.Kinds {
		out = append(out, k.Rules...)
	}
	return out
}

// recordRules judge the records of every kind but tasks.
type recordRules struct{ *judge }

func (r recordRules) apply() {
	base := map[record.Ref]*RecordFile{}
	if r.change != nil {
		for _, was := range r.change.Base.Records {
			base[was.Ref] = was
		}
	}
	for _, f := range r.Records {
		was := base[f.Ref]
		delete(base, f.Ref)
		if was != nil && !was.Sound() {
			was = nil
		}
		r.record(f, was)
	}
	for _, was := range base {
		r.deleted(was)
	}
}

// record judges a record that is there.
func (r recordRules) record(f, was *RecordFile) {
	if !f.Sound() {
		return
	}
	kind := r.kind(f.Ref.Kind)
	c := &Case{Now: f, Base: was, judge: r.judge}
	if r.change != nil && (was == nil || !same(was.Src, f.Src)) {
		var base *File
		if was != nil {
			base = &was.File
		}
		log := logRules{r.judge, compareLogs(&f.File, base)}
		log.apply()
		c.fresh = log.fresh
	}
	if kind.States != nil && !slices.Contains(kind.States, f.Head.Status) {
		r.report(UnknownState, &f.File, Path{"status"}, "%q is not a state of a %s", f.Head.Status, f.Ref.Kind)
	}
	if kind.Life.Kinds != nil {
		lifeRules{c, kind}.apply()
	}
	if kind.Judge != nil {
		kind.Judge(c)
	}
}

// deleted reports a record of the base that is gone.
func (r recordRules) deleted(was *RecordFile) {
	c := &Case{Base: was, judge: r.judge}
	if report := r.kind(was.Ref.Kind).Deleted; report != nil {
		report(c)
		return
	}
	c.Report(RecordDeleted, nil, "the %s %s is deleted (%s)", was.Ref.Kind, was.Ref.ID, record.Count(len(was.Head.Log), "entry"))
}
