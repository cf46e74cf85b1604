package verb

import (
	"cmp"
	"context"
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
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Others are the records of a kind that only other branches have. They are shown beside those that are here, and nothing
// else: nobody is handed one, none governs, and what is here does not wait for them. It reads those that are here too.
type Others struct {
	Kind  *kind.Kind
	store *store.Store
	only  map[string]branches.Other
	there map[string]store.Further // those that a work tree has
	rows  []*kind.Row              // sorted by id
}

// Others looks for the records of a kind that only other branches have.
func (w *Workspace) Others(ctx context.Context, s *store.Store, k *kind.Kind) (Others, error) {
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return Others{}, err
	}
	return OthersOf(s, k, view.Rows(), view.Problems()), nil
}

// OthersOf looks for them beside the records that are here.
func OthersOf(s *store.Store, k *kind.Kind, here []*kind.Row, problems []problem.Problem) Others {
	o := Others{Kind: k, store: s, only: map[string]branches.Other{}}
	all := s.Others().Read(k)
	if len(all) == 0 {
		return o
	}
	known := record.By(here, func(r *kind.Row) string { return r.ID })
	for i := range all {
		if known[all[i].ID] == nil && !slices.ContainsFunc(problems, isAbout(k, all[i].ID)) {
			o.only[all[i].ID] = all[i]
			o.rows = append(o.rows, &all[i].Row)
		}
	}
	return o
}

// Rows are their rows, sorted by id.
func (o Others) Rows() []*kind.Row { return o.rows }

// Branch is the branch that has one of them; "" for a record that is here.
func (o Others) Branch(id string) string { return cmp.Or(o.only[id].Branch, o.there[id].Place.Branch) }

// InWorkTree is one of them as a work tree has it; nil for one that no work tree has.
func (o Others) InWorkTree(id string) *store.Further {
	if f, ok := o.there[id]; ok {
		return &f
	}
	return nil
}

// Read implements kind.Reader.
func (o Others) Read(k *kind.Kind, id string) (any, error) {
	if f, ok := o.there[id]; ok && k == o.Kind {
		return f.Value, nil
	}
	other, ok := o.only[id]
	if !ok || k != o.Kind {
		return o.store.Read(k, id)
	}
	src, err := o.store.Others().Text(other)
	if err != nil {
		return nil, err
	}
	return k.Parse(src)
}

// InWorkTrees are the records of a kind that the work trees of tasks have (WorkTrees): each task as it is there, and of
// another kind those that are not here, nor were deleted here. What cannot be read there is left out.
func (g *Graph) InWorkTrees(ctx context.Context, k *kind.Kind) (Others, error) {
	o := Others{Kind: k, store: g.store, there: map[string]store.Further{}}
	add := func(f store.Further) {
		r := k.Row(f.Value)
		o.there[r.ID], o.rows = f, append(o.rows, &r)
	}
	trees := g.WorkTrees()
	if len(trees) == 0 {
		return o, nil
	}
	here, err := g.reads.Look(ctx, g.store, k)
	if err != nil {
		return o, err
	}
	for _, at := range trees {
		if k == kind.Tasks.Kind {
			add(at)
			continue
		}
		there, err := g.store.InWorktree(at.Place.Worktree)
		if err != nil {
			continue // it went meanwhile
		}
		files, _, _ := place.List(there.Layout, k)
		for _, f := range files {
			_, known := o.there[f.ID]
			known = known || here.Find(f.ID) != nil || slices.ContainsFunc(here.Problems(), isAbout(k, f.ID))
			if known || layout.Exists(g.store.Trash().File(k.Ref(f.ID))) {
				continue
			}
			if v, err := readAt(there.Abs(f.Path), k); err == nil {
				add(store.Further{Value: v, Place: at.Place, Root: at.Root})
			}
		}
	}
	sorted.By(o.rows, func(a, b *kind.Row) int { return strings.Compare(a.ID, b.ID) })
	return o, nil
}

func readAt(path string, k *kind.Kind) (any, error) {
	src, err := layout.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return k.Parse(src)
}

// OtherTasks is the tasks that only other branches have, beside those of a graph.
type OtherTasks struct {
	*Graph
	Others
}

// Others looks for the tasks that only other branches have.
func (g *Graph) Others() OtherTasks {
	others := OthersOf(g.store, kind.Tasks.Kind, g.Rows(), g.Problems())
	if len(others.rows) == 0 {
		return OtherTasks{}
	}
	beside := *g
	beside.view, beside.reads, beside.only = g.view.Beside(others.rows), nil, others.only
	beside.derive()
	return OtherTasks{&beside, others}
}

// isAbout reports whether a file that cannot be read is that of a record.
func isAbout(k *kind.Kind, id string) func(problem.Problem) bool {
	return func(p problem.Problem) bool {
		at, of, ok := kind.At(p.Path)
		return ok && at == k && of == id
	}
}

// Rows are their rows, sorted by id.
func (o OtherTasks) Rows() []*kind.Row { return o.rows }

// Has reports whether a row is of one of them.
func (o OtherTasks) Has(r *kind.Row) bool { return o.Graph != nil && o.OnBranch(r) != "" }

// Row shows one of them as a list does.
func (o OtherTasks) Row(v View, r *kind.Row) Row {
	row := v.WholeRow(o.Graph, r)
	row.onBranch(o.Branch(r.ID))
	return v.CutRow(row)
}

// onBranch marks a row as one of a task that only another branch has.
func (r *Row) onBranch(branch string) {
	r.OnBranch = branch
	r.Ready, r.IsPending, r.Elsewhere, r.Lost = false, false, nil, nil
}

// Says reports whether all words occur in what the file of one of them says, in any case.
func (o OtherTasks) Says(r *kind.Row, words []string) bool {
	v, err := o.Read(kind.Tasks.Kind, r.ID)
	if err != nil {
		return false
	}
	says := kind.Tasks.Wording(v)
	text := strings.ToLower(strings.Join([]string{says.Name, says.Body, says.Rest}, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// OnlyOnBranch finds a record that only another branch has. It returns NOT_FOUND if none has it, or if it is here.
func OnlyOnBranch(s *store.Store, of record.Ref) (branches.Other, error) {
	k, ok := kind.Named(of.Kind)
	if !ok {
		return branches.Other{}, record.Errorf(record.NotFound, "there is no %s", of)
	}
	if _, err := s.Read(k, of.ID); record.CodeOf(err) == record.NotFound {
		for _, other := range s.Others().All() {
			if other.Ref() == of {
				return other, nil
			}
		}
	}
	return branches.Other{}, k.NotFound(of.ID)
}

// OffersTake makes of a NOT_FOUND about a record that only another branch has one that says so, and how it is brought
// here. Any other error stays as it is.
func OffersTake(s *store.Store, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Code != record.NotFound || s == nil {
		return err
	}
	missing, ok := errors.AsType[record.MissingError](err)
	if !ok {
		return err
	}
	other, none := OnlyOnBranch(s, missing.Ref)
	if none != nil {
		return err
	}
	there := *e
	there.Msg = missing.Ref.ID + " is on the branch " + other.Branch + ", and not on this one"
	return there.WithHint("%s brings it here, as it is there", record.CallTo("take", "id", missing.Ref.ID))
}

// TaskOnBranch shows a task that only another branch has, with nothing cut, and returns it. It returns NOT_FOUND if the
// clone does not have it any more.
func (v View) TaskOnBranch(other branches.Other) (Task, task.Task, error) {
	src, err := v.Store.Others().Text(other)
	if err != nil {
		return Task{}, task.Task{}, err
	}
	t, err := kind.Tasks.Parse(src)
	if err != nil {
		return Task{}, t, err
	}
	t.Rev = kind.Rev(src)
	out := v.WholeTask(t)
	out.onBranch(other.Branch)
	return out, t, nil
}

// RecordOnBranch shows a record of another kind that only another branch has. Its errors are those of TaskOnBranch.
func (v View) RecordOnBranch(other branches.Other, b Bounds) (Record, error) {
	k, _ := kind.For(other.Ref())
	src, err := v.Store.Others().Text(other)
	if err != nil {
		return Record{}, err
	}
	doc, err := format.Parse(src, k.Form)
	if err != nil {
		return Record{}, err
	}
	value, err := k.Decode(doc)
	if err != nil {
		return Record{}, err
	}
	out := v.Record(k, doc, value, b)
	out.OnBranch = other.Branch
	return out, nil
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
	versions := s.Others().Versions(t.ID.Ref())
	if len(versions) == 0 {
		return nil
	}
	here, _, err := s.Document(kind.Tasks.Kind, string(t.ID))
	if err != nil {
		return nil
	}
	known := record.SetOf(entryNames(t.Provenance))
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
		one := BranchState{Branch: other.Branch, Commit: other.Commit, Changes: Between(here, doc)}
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

// Between are the fields in which two files of a record differ, but for its entries. Long values are left out.
func Between(here, there *format.Doc) (out []FieldChange) {
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
