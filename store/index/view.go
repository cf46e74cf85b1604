package index

import (
	"cmp"
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
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

// View is what a look found. It never changes.
type View struct {
	kind     *kind.Kind
	entries  []entry // sorted by id
	problems []problem.Problem
	set      *Set
	parts    []Part     // that it was joined of; nil for a view of one folder
	folder   disk.Stamp // of the folder, before it was listed; zero if that is not known, or cannot be believed later

	numbers func() map[string]int32 // where the entry of an id is; made when it is first asked for
}

// newView makes a view of entries that are sorted by id.
func newView(k *kind.Kind, entries []entry, problems []problem.Problem) *View {
	slices.SortFunc(problems, func(a, b problem.Problem) int { return cmp.Compare(a.Path, b.Path) })
	rows := make([]*kind.Row, len(entries))
	for i, e := range entries {
		rows[i] = e.row
	}
	v := &View{kind: k, entries: entries, problems: problems, set: NewSet(rows)}
	v.numbers = sync.OnceValue(func() map[string]int32 {
		at := make(map[string]int32, len(entries))
		for i, e := range entries {
			at[e.row.ID] = int32(i)
		}
		return at
	})
	return v
}

// Kind is the kind of the records.
func (v *View) Kind() *kind.Kind { return v.kind }

// Rows returns the rows of all records that can be read, sorted by id. The caller must not change them.
func (v *View) Rows() []*kind.Row { return v.set.rows }

// Set is the rows as a set.
func (v *View) Set() *Set { return v.set }

// Problems lists the files that cannot be read, sorted by path. The caller must not change it.
func (v *View) Problems() []problem.Problem { return v.problems }

// Find returns the row of a record, or nil.
func (v *View) Find(id string) *kind.Row {
	if i := v.number(id); i >= 0 {
		return v.entries[i].row
	}
	return nil
}

// number returns where the entry of an id is, or -1.
func (v *View) number(id string) int {
	if i, ok := v.numbers()[id]; ok {
		return int(i)
	}
	return -1
}

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
		if at := v.number(id); at >= 0 {
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
