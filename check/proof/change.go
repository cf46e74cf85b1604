package proof

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Change is a tree and its base, the tree that it was made from. Compare makes it, and the caller fills in the fields
// about the commits between the two. "The change's commits" below are those commits.
type Change struct {
	Tree
	Base Tree

	// Past holds the versions of the Suspects' files in the change's commits, in any order.
	Past map[record.ID][]task.Task

	History // of the commits between the two

	// Erased lists the entries that a record had in one of the change's commits, and that it does not have now, or in
	// another order.
	Erased []Erased

	// Newest is the latest time of one of the change's commits and of those that they were made from; zero if there is
	// none.
	Newest time.Time

	base   map[record.ID]*TaskFile
	others map[record.ID]*RecordFile // of the base: records of other kinds that tasks can depend on
	pairs  []pair
	gone   []*TaskFile // of the base
}

// History answers what the rules ask of the change's commits.
type History interface {
	// Committed reports whether the judged tree, or a commit since the base, has this fingerprint. commit is HEAD at the
	// time of the run, "" if there was none. known is false if that commit is not part of the change.
	Committed(commit, fingerprint string) (has, known bool)

	// BroughtBy finds the first of the change's commits in which a task has an entry. It reports false if there is none.
	BroughtBy(id record.ID, e record.Entry) (Written, bool)

	// RecordBroughtBy finds the first of the change's commits in which a record of any kind has an entry. It reports false
	// if there is none.
	RecordBroughtBy(of record.Ref, e record.Entry) (WrittenIn, bool)

	// DefaultsAt returns the default checks of the commit of the base that a new task was made on, by the entry that made
	// it. That is the newest one on which the first of the change's commits stands that has the entry; if that is the base
	// itself, as after a rebase or a squash, the one that stood at the time in the entry and in the task's id, of which
	// the later counts. known is false if it cannot be told.
	DefaultsAt(id record.ID, e record.Entry) (defaults []task.Check, known bool)

	// FilesAt returns the fingerprint of the files in the first of the change's commits in which a task has an entry, or
	// else of the judged tree. known is false if the fingerprint may not be computed.
	FilesAt(id record.ID, e record.Entry) (fingerprint string, known bool)

	// HeldSince reports whether the judged tree, or one of the change's commits that have an entry of a task, has this
	// fingerprint. known is false if that cannot be told.
	HeldSince(id record.ID, e record.Entry, fingerprint string) (has, known bool)

	// FilesSince says how files differ between where the change began, or before the commit that brought an entry of a task,
	// and the first commit that has another one, or the judged files. known is false if that cannot be told.
	FilesSince(id record.ID, from *record.Entry, to record.Entry) (d FileDiff, known bool)

	// FilesUpTo says how files differ between where the change began, for the commit that has an entry of a task, and
	// another commit. inside is false if that is none of the change's.
	FilesUpTo(id record.ID, to record.Entry, commit string) (d FileDiff, inside bool)

	// Merged says how the commit that an entry of a task names as merged came to the files that the entry came with. known
	// is false if that commit is not in the history of the judged tree, or the entry is not committed.
	Merged(id record.ID, e record.Entry) (m Merge, known bool)
}

// pair is a task that the change touches, as it is and as it was.
type pair struct {
	now *TaskFile
	was *TaskFile // nil if the change brings the task
	logDiff
}

// Compare pairs the tasks of a tree with those of its base. A task whose file is not sound in either tree has no pair:
// that is a finding of its own. A task whose file was renamed is recognised by its provenance.
func Compare(tree, base Tree) *Change {
	c := &Change{Tree: tree, Base: base, others: base.dependable()}
	was := record.By(base.Tasks, (*TaskFile).ID)
	c.base = maps.Clone(was)
	var brought []*TaskFile
	for _, now := range tree.Tasks {
		before := was[now.ID()]
		delete(was, now.ID())
		switch {
		case !now.Sound() || before != nil && (!before.Sound() || same(before.Src, now.Src)):
		case before == nil:
			brought = append(brought, now)
		default:
			c.pairs = append(c.pairs, newPair(now, before))
		}
	}
	c.renames(was, brought)
	return c
}

// same reports whether two files are equal but for their line ends, which a checkout may change.
func same(a, b []byte) bool {
	unix := func(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) }
	return bytes.Equal(a, b) || bytes.Equal(unix(a), unix(b))
}

// renames pairs tasks that are gone with new ones, by how their provenance begins. The rest is new, or deleted.
func (c *Change) renames(gone map[record.ID]*TaskFile, brought []*TaskFile) {
	byBeginning := map[string][]*TaskFile{}
	for _, f := range c.Base.Tasks {
		if gone[f.ID()] != nil && f.Sound() {
			key := beginning(f.Task)
			byBeginning[key] = append(byBeginning[key], f)
		}
	}
	for _, now := range brought {
		key := beginning(now.Task)
		var was *TaskFile
		if same := byBeginning[key]; len(same) > 0 { // tasks of one plan begin alike
			at := max(0, slices.IndexFunc(same, func(f *TaskFile) bool { return f.Task.Title == now.Task.Title }))
			was = same[at]
			byBeginning[key] = slices.Delete(same, at, at+1)
			delete(gone, was.ID())
		}
		c.pairs = append(c.pairs, newPair(now, was))
	}
	for _, f := range c.Base.Tasks {
		if gone[f.ID()] != nil {
			c.gone = append(c.gone, f)
		}
	}
}

// beginning identifies a task under any name: by its first entry, or without entries by its title and body.
func beginning(t task.Task) string {
	if len(t.Provenance) == 0 {
		return t.Title + "\x00" + t.Body
	}
	return t.Provenance.First().Hash()
}

func newPair(now, was *TaskFile) pair {
	var base *File
	if was != nil {
		base = &was.File
	}
	return pair{now, was, compareLogs(&now.File, base)}
}

// before is the task in the base. For one that the change brings, it is a new task.
func (p pair) before(flow task.Flow) task.Task {
	if p.was == nil {
		return task.Task{ID: p.now.ID(), Status: flow.Initial}
	}
	return p.was.Task
}

// depAt returns the path of a dependency of the task, or of the whole list if the task does not have it.
func (p pair) depAt(id record.ID) Path {
	if n := slices.Index(p.now.Task.Deps, id); n >= 0 {
		return Path{"deps", n}
	}
	return Path{"deps"}
}

// Closed lists the tasks that the change closes, without those that it abandons.
func (c *Change) Closed() []record.ID {
	var out []record.ID
	for _, p := range c.pairs {
		if c.closes(p) {
			out = append(out, p.now.ID())
		}
	}
	slices.Sort(out)
	return out
}

// closes reports whether the change closes a task, for the first time or again.
func (c *Change) closes(p pair) bool {
	flow, t := c.flow(), p.now.Task
	if !flow.ClaimsDone(t.Status) {
		return false
	}
	if p.was == nil || !flow.ClaimsDone(p.was.Task.Status) {
		return true
	}
	for i, e := range t.Provenance {
		if p.fresh[i] && flow.Closes(e) {
			return true
		}
	}
	return false
}

// Suspect is a task for which the rules need earlier versions of its file, not only the ones in the tree and the base.
type Suspect struct {
	ID         record.ID
	Path       string
	Undeclared bool // no entry of the base says which checks it had when it left the initial state
}

// Suspects lists the closed tasks that the change touches.
func (c *Change) Suspects() []Suspect {
	var out []Suspect
	flow := c.flow()
	for _, p := range c.pairs {
		if flow.ClaimsDone(p.now.Task.Status) {
			undeclared := false
			if p.was != nil {
				log := p.was.Task.Provenance
				undeclared = !slices.ContainsFunc(log, func(e record.Entry) bool { return e.Checks != nil }) &&
					slices.ContainsFunc(log, func(e record.Entry) bool { return e.To != "" && e.To != flow.Initial })
			}
			out = append(out, Suspect{p.now.ID(), p.now.Path, undeclared})
		}
	}
	return out
}
