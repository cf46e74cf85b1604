package index

import (
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Set is rows, sorted by id. It never changes. A record whose file did not change between two looks has the same row,
// so that two sets can be compared without comparing what rows say.
type Set struct {
	rows    []*kind.Row
	numbers func() map[string]int32 // where the row of an id is; made when it is first asked for

	mu     sync.Mutex
	before *Set     // that Touched was last asked about
	ids    []string // its answer
}

// NewSet makes a set of rows that are sorted by id.
func NewSet(rows []*kind.Row) *Set {
	return &Set{rows: rows, numbers: sync.OnceValue(func() map[string]int32 {
		at := make(map[string]int32, len(rows))
		for i, r := range rows {
			at[r.ID] = int32(i)
		}
		return at
	})}
}

// Rows returns the rows, sorted by id. The caller must not change them.
func (s *Set) Rows() []*kind.Row { return s.rows }

// SameIDs reports whether two sets have rows of the same records, in the same places.
func (s *Set) SameIDs(other *Set) bool {
	return slices.EqualFunc(s.rows, other.rows, func(a, b *kind.Row) bool { return a == b || a.ID == b.ID })
}

// Find returns the row of a record, or nil.
func (s *Set) Find(id string) *kind.Row {
	if i := s.Number(id); i >= 0 {
		return s.rows[i]
	}
	return nil
}

// Number returns where the row of a record is, or -1.
func (s *Set) Number(id string) int {
	if i, ok := s.numbers()[id]; ok {
		return int(i)
	}
	return -1
}

// Touched lists the ids, sorted, of the rows in which two sets differ, and of those that depend on one of these. Many
// can ask about the same two: it is worked out once.
func (s *Set) Touched(before *Set) []string {
	if s == before {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != before {
		s.before, s.ids = before, s.withDependents(differences(before.rows, s.rows))
	}
	return s.ids
}

// withDependents adds to ids those of the rows that depend on one of them.
func (s *Set) withDependents(ids []string) []string {
	touched := make(map[record.ID]bool, len(ids))
	for _, id := range ids {
		touched[record.ID(id)] = true
	}
	for _, r := range s.rows {
		if slices.ContainsFunc(r.Deps, func(id record.ID) bool { return touched[id] }) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// differences lists the ids of rows that are in one list and not in the other.
func differences(before, now []*kind.Row) (ids []string) {
	for len(before)+len(now) > 0 {
		switch {
		case len(before) > 0 && len(now) > 0 && before[0] == now[0]:
			before, now = before[1:], now[1:]
		case len(now) == 0 || len(before) > 0 && before[0].ID < now[0].ID:
			ids = append(ids, before[0].ID)
			before = before[1:]
		case len(before) == 0 || now[0].ID < before[0].ID:
			ids = append(ids, now[0].ID)
			now = now[1:]
		default:
			ids = append(ids, now[0].ID)
			before, now = before[1:], now[1:]
		}
	}
	return ids
}
