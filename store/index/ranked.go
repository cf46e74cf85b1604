package index

import (
	"context"
	"runtime"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Terms keeps the terms of the records of a kind for a process that searches often. The zero value is ready: it reads
// them when somebody searches.
type Terms struct {
	mu       sync.Mutex
	known    *postings
	fresh    map[doc]*freshRecord // that known lacks
	searched *Searchable          // of the newest search
}

// freshRecord is the terms of a record that is not among the postings yet. If the file changed since the view, they are
// of what it says now.
type freshRecord struct {
	of     doc
	times  map[string]uint32
	length uint32
}

// Searchable is the terms of the records of a view. It never changes.
type Searchable struct {
	View *View

	known *postings
	rows  []int32    // of each record of known, the number of its row; -1 for none
	fresh []freshRow // rows of which known has none
	live  int        // how many rows can be found
	total uint64     // the sum of their lengths
	size  []uint32   // the length of each row
}

type freshRow struct {
	row int32
	*freshRecord
}

// Searchable returns the terms of the records of a view. Records whose terms are not known are read.
func (s Source) Searchable(ctx context.Context, v *View, t *Terms) (*Searchable, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.searched != nil && t.searched.View == v {
		return t.searched, nil
	}
	if t.known == nil {
		t.known = s.loadPostings()
	}
	rows, unknown := t.unknown(v)
	if len(unknown) > max(staleMin, len(v.entries)/stale) || s.eager && len(unknown) > 0 {
		if err := s.rebuild(ctx, v, t, rows, unknown); err != nil {
			return nil, err
		}
		rows, unknown = t.unknown(v)
	}
	if err := s.readFresh(ctx, v, t, unknown); err != nil {
		return nil, err
	}
	t.searched = t.searchable(v, rows, unknown)
	return t.searched, nil
}

// unknown returns the row of each record among the postings, -1 for none, and lists the entries of a view that are not
// among them. Both are sorted by id.
func (t *Terms) unknown(v *View) (rows []int32, unknown []int) {
	rows = make([]int32, len(t.known.docs))
	n := 0
	for i, e := range v.entries {
		for n < len(rows) && t.known.docs[n].id < e.row.ID {
			rows[n] = -1
			n++
		}
		if n < len(rows) && t.known.docs[n] == v.doc(i) {
			rows[n] = int32(i)
			n++
			continue
		}
		unknown = append(unknown, i)
	}
	for ; n < len(rows); n++ {
		rows[n] = -1
	}
	return rows, unknown
}

// rebuild makes postings in which nothing of a view is missing that can be read. They are written if that is worth it.
func (s Source) rebuild(ctx context.Context, v *View, t *Terms, rows []int32, unknown []int) error {
	all, err := s.count(ctx, v, unknown)
	if err != nil {
		return err
	}
	var counted []*counted
	for j, i := range unknown {
		if c := all[j]; c != nil && c.doc == v.doc(i) {
			counted = append(counted, c)
		}
	}
	h := s.postingsHeader()
	src := encodePostings(h, t.known, func(i int) bool { return rows[i] >= 0 }, counted)
	known, err := decodePostings(src, h)
	if err != nil { // it is too long for its own form
		return nil //nolint:nilerr // then all records are searched one by one
	}
	t.known, t.fresh = known, nil
	if s.Postings != "" && s.worthWriting(len(v.entries), len(unknown)) {
		s.write(s.Postings, func() []byte { return src })
	}
	return nil
}

// readFresh reads the records that the postings lack, unless that was done before.
func (s Source) readFresh(ctx context.Context, v *View, t *Terms, unknown []int) error {
	fresh := make(map[doc]*freshRecord, len(unknown))
	var todo []int
	for _, i := range unknown {
		if have, ok := t.fresh[v.doc(i)]; ok && have.of == v.doc(i) {
			fresh[v.doc(i)] = have
			continue
		}
		todo = append(todo, i)
	}
	all, err := s.count(ctx, v, todo)
	if err != nil {
		return err
	}
	for j, c := range all {
		if c != nil {
			fresh[v.doc(todo[j])] = &freshRecord{c.doc, c.byTerm(), c.length}
		}
	}
	t.fresh = fresh
	return nil
}

// searchable is what is known of the records of a view.
func (t *Terms) searchable(v *View, rows []int32, unknown []int) *Searchable {
	out := &Searchable{View: v, known: t.known, rows: rows, size: make([]uint32, len(v.entries))}
	add := func(row int32, length uint32) {
		out.size[row] = length
		out.live++
		out.total += uint64(length)
	}
	for i, row := range rows {
		if row >= 0 {
			add(row, t.known.lengths[i])
		}
	}
	for _, i := range unknown {
		if f := t.fresh[v.doc(i)]; f != nil {
			out.fresh = append(out.fresh, freshRow{int32(i), f})
			add(int32(i), f.length)
		}
	}
	return out
}

// doc is the record of the nth entry, and its content.
func (v *View) doc(n int) doc { return doc{v.entries[n].row.ID, v.entries[n].sum} }

// count reads records and counts their terms. It returns nil for one that cannot be read any more.
func (s Source) count(ctx context.Context, v *View, which []int) ([]*counted, error) {
	all := make([]*counted, len(which))
	workers := make(chan *vocabulary, runtime.GOMAXPROCS(0))
	for range cap(workers) {
		workers <- nil
	}
	onAllProcessors(ctx, len(which), func(i int, _ *layout.Patience) {
		id := v.entries[which[i]].row.ID
		value, sum, ok := s.value(id)
		if !ok {
			return
		}
		words := <-workers
		if words == nil {
			words = newVocabulary()
		}
		all[i] = words.count(doc{id, sum}, s.Kind.Wording(value))
		workers <- words
	})
	return all, ctx.Err()
}

func (s Source) postingsHeader() header {
	return header{postingsMagic, postingsFormat, kindHash(s.Kind), s.home(), 0}
}

// loadPostings reads the postings on disk; none if there are none that can be believed.
func (s Source) loadPostings() *postings {
	if s.Postings == "" {
		return noPostings
	}
	src, err := disk.ReadRegular(s.Postings, maxFile)
	if err != nil {
		return noPostings
	}
	p, err := decodePostings(src, s.postingsHeader())
	if err != nil {
		return noPostings
	}
	return p
}
