package verb

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Abroad is the tasks that only other branches have, beside those of a graph. They are shown, and nothing else: nobody
// is handed one, and what is here does not wait for them.
type Abroad struct{ *Graph }

// Abroad looks for the tasks that only other branches have.
func (g *Graph) Abroad() Abroad {
	only := map[string]branches.Other{}
	var rows []*kind.Row
	all := g.store.Others().Read()
	for i := range all {
		if g.Row(record.ID(all[i].ID)) == nil && !slices.ContainsFunc(g.Problems(), isAbout(all[i].ID)) {
			only[all[i].ID] = all[i]
			rows = append(rows, &all[i].Row)
		}
	}
	if len(rows) == 0 {
		return Abroad{}
	}
	beside := *g
	beside.view, beside.reads, beside.only = g.view.Beside(rows), nil, only
	beside.derive()
	return Abroad{&beside}
}

// isAbout reports whether a file that cannot be read is that of a task.
func isAbout(id string) func(problem.Problem) bool {
	return func(p problem.Problem) bool {
		k, of, ok := kind.At(p.Path)
		return ok && k == kind.Tasks.Kind && of == id
	}
}

// Rows are their rows, sorted by id.
func (a Abroad) Rows() []*kind.Row {
	if a.Graph == nil {
		return nil
	}
	all := a.Graph.Rows()
	return all[len(all)-len(a.only):]
}

// Has reports whether a row is of one of them.
func (a Abroad) Has(r *kind.Row) bool {
	return a.Graph != nil && a.isAbroad(r)
}

// Row shows one of them as a list does.
func (a Abroad) Row(v View, r *kind.Row) Row {
	row := v.WholeRow(a.Graph, r)
	row.abroad(a.only[r.ID])
	return v.CutRow(row)
}

// abroad marks a row as one of a task that only another branch has.
func (r *Row) abroad(other branches.Other) {
	r.OnBranch = other.Branch
	r.Ready, r.IsPending, r.Elsewhere, r.Lost = false, false, nil, nil
}

// Says reports whether all words occur in what the file of one of them says, in any case.
func (a Abroad) Says(r *kind.Row, words []string) bool {
	t, err := a.Task(r)
	if err != nil {
		return false
	}
	says := kind.Tasks.Wording(t)
	text := strings.ToLower(strings.Join([]string{says.Name, says.Body, says.Rest}, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// Task reads one of them.
func (a Abroad) Task(r *kind.Row) (task.Task, error) { return taskOf(a.store, a.only[r.ID]) }

// Branch is the branch that has one of them.
func (a Abroad) Branch(r *kind.Row) string { return a.only[r.ID].Branch }

// taskOf is a task as a branch has it.
func taskOf(s *store.Store, other branches.Other) (task.Task, error) {
	src, err := s.Others().Text(other)
	if err != nil {
		return task.Task{}, err
	}
	t, err := kind.Tasks.Parse(src)
	t.Rev = kind.Rev(src)
	return t, err
}

// OnlyOnBranch finds a task that only another branch has. It returns NOT_FOUND if none has it, or if it is here.
func OnlyOnBranch(s *store.Store, id record.ID) (branches.Other, error) {
	if _, err := kind.Tasks.Get(s, id); record.CodeOf(err) == record.NotFound {
		for _, other := range s.Others().Read() {
			if other.ID == string(id) {
				return other, nil
			}
		}
	}
	return branches.Other{}, kind.Tasks.NotFound(string(id))
}

// OffersTake makes of a NOT_FOUND about a task that only another branch has one that says so, and how it is brought
// here. Any other error stays as it is.
func OffersTake(s *store.Store, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Code != record.NotFound || s == nil {
		return err
	}
	missing, ok := errors.AsType[kind.MissingError](err)
	if !ok || missing.Ref.Kind != record.TaskKind {
		return err
	}
	other, none := OnlyOnBranch(s, record.ID(missing.Ref.ID))
	if none != nil {
		return err
	}
	there := *e
	there.Msg = missing.Ref.ID + " is on the branch " + other.Branch + ", and not on this one"
	return there.WithHint("%s brings it here, as it is there", record.CallTo("take", "id", missing.Ref.ID))
}

// TaskOnBranch shows a task that only another branch has, with nothing cut, and returns it. Its errors are those of
// OnlyOnBranch.
func (v View) TaskOnBranch(id record.ID) (Task, task.Task, error) {
	other, err := OnlyOnBranch(v.Store, id)
	if err != nil {
		return Task{}, task.Task{}, err
	}
	t, err := taskOf(v.Store, other)
	if err != nil {
		return Task{}, t, err
	}
	out := v.WholeTask(t)
	out.abroad(other)
	return out, t, nil
}

// BranchState is a task as another branch has it, and this work tree has not.
type BranchState struct {
	Branch  string        `json:"branch"`
	Commit  string        `json:"commit"`
	At      time.Time     `json:"at"`      // of the newest entry that is not here
	Who     record.Actor  `json:"who"`     // who wrote it
	Entries int           `json:"entries"` // how many are not here
	Changes []FieldChange `json:"changes,omitempty"`
}

// OnBranches lists what other branches say of a task beyond what is said here, the newest first. A branch that only
// lacks something says nothing.
func OnBranches(s *store.Store, t task.Task) []BranchState {
	versions := s.Others().Versions(string(t.ID))
	if len(versions) == 0 {
		return nil
	}
	here, _, err := s.Document(kind.Tasks.Kind, string(t.ID))
	if err != nil {
		return nil
	}
	known := map[string]bool{}
	for _, name := range entryNames(t.Provenance) {
		known[name] = true
	}
	var all []BranchState
	for _, other := range versions {
		src, err := s.Others().Text(other)
		if err != nil {
			continue
		}
		doc, err := format.Parse(src, kind.Tasks.Form)
		if err != nil {
			continue
		}
		there, err := kind.Tasks.Parse(src)
		if err != nil {
			continue
		}
		one := BranchState{Branch: other.Branch, Commit: other.Commit, Changes: between(here, doc)}
		for i, name := range entryNames(there.Provenance) {
			if known[name] {
				continue
			}
			one.Entries++
			if e := there.Provenance[i]; !e.At.Before(one.At) {
				one.At, one.Who = e.At, e.Who
			}
		}
		if one.Entries > 0 {
			all = append(all, one)
		}
	}
	sorted.By(all, func(a, b BranchState) int { return b.At.Compare(a.At) })
	return all
}

// between are the fields in which two files of a record differ, but for its entries. Long values are left out.
func between(here, there *format.Doc) (out []FieldChange) {
	add := func(field string) {
		from, to := valueIn(here, field), valueIn(there, field)
		if from == to {
			return
		}
		if len(from)+len(to) > ValuesShown {
			from, to = "", ""
		}
		out = append(out, FieldChange{Field: field, From: from, To: to})
	}
	var keys []string
	for _, doc := range []*format.Doc{here, there} {
		for i := 0; i+1 < len(doc.Root().Content); i += 2 {
			keys = append(keys, doc.Root().Content[i].Value)
		}
	}
	for _, key := range record.Unique(keys) {
		if key != "provenance" {
			add(key)
		}
	}
	add("body")
	return out
}
