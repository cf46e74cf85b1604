package index

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// entry is what is known of one file.
type entry struct {
	stamp disk.Stamp // when it was read; zero if that is not known
	young bool       // when it was read it was so new that another state of it can have this stamp
	sum   sum
	row   *kind.Row
}

// View is what a look found: the rows of all records that can be read, and the files that cannot. It never changes.
type View struct {
	*Set
	kind     *kind.Kind
	entries  []entry // sorted by id, as the rows
	problems []problem.Problem
	parts    []Part     // that it was joined of; nil for a view of one folder
	folder   disk.Stamp // of the folder, before it was listed; zero if that is not known, or cannot be believed later
}

// newView makes a view of entries that are sorted by id.
func newView(k *kind.Kind, entries []entry, problems []problem.Problem) *View {
	sorted.By(problems, func(a, b problem.Problem) int { return cmp.Compare(a.Path, b.Path) })
	rows := make([]*kind.Row, len(entries))
	for i, e := range entries {
		rows[i] = e.row
	}
	return &View{Set: NewSet(rows), kind: k, entries: entries, problems: problems}
}

// Beside is a view of rows beside those of another: of records that lie in no folder. The rows of the view come first,
// in their order, and the others, of other records, behind them.
func (v *View) Beside(rows []*kind.Row) *View {
	return &View{Set: NewSet(slices.Concat(v.Rows(), rows)), kind: v.kind}
}

// With is the view with other rows in place of those of the same records.
func (v *View) With(rows map[string]*kind.Row) *View {
	next, all := *v, slices.Clone(v.Rows())
	for i, r := range all {
		if other := rows[r.ID]; other != nil {
			all[i] = other
		}
	}
	next.Set = NewSet(all)
	return &next
}

// Kind is the kind of the records.
func (v *View) Kind() *kind.Kind { return v.kind }

// Problems lists the files that cannot be read, sorted by path. The caller must not change it.
func (v *View) Problems() []problem.Problem { return v.problems }

// without returns which entries of a view are not about named records, and the problems that are not; none of them if
// all are named, by nil.
func (v *View) without(named map[string]bool) (stay []bool, problems []problem.Problem) {
	stay = make([]bool, len(v.entries))
	if named == nil {
		return stay, nil
	}
	for i := range stay {
		stay[i] = true
	}
	for id := range named {
		if at := v.Number(id); at >= 0 {
			stay[at] = false
		}
	}
	for _, p := range v.problems {
		if _, id, ok := kind.At(p.Path); !ok || !named[id] {
			problems = append(problems, p)
		}
	}
	return stay, problems
}
