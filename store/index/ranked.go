package index

import (
	"context"
	"runtime"
	"sync"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Terms keeps the terms of the records of a kind for a process that searches often. The zero value is ready: it reads them when somebody
// searches.
type Terms struct {
	mu       sync.Mutex
	known    *postings
	fresh    map[doc]*freshRecord // that known lacks
	searched *Searchable          // of the newest search
}

// freshRecord is the terms of a record that is not among the postings yet. It is nil of one that cannot be read.
type freshRecord struct {
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

// unknown returns the row of each record among the postings, -1 for none, and lists the entries of a view that are not among them. Both are
// sorted by id.
func (t *Terms) unknown(v *View) (rows []int32, unknown []int) {
	rows = make([]int32, len(t.known.docs))
	n := 0
	for i, e := range v.entries {
		for n < len(rows) && t.known.docs[n].id < e.row.ID {
			rows[n] = -1
			n++
		}
		if n < len(rows) && t.known.docs[n] == (doc{e.row.ID, e.sum}) {
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
	counted, err := s.count(ctx, v, unknown)
	if err != nil {
		return err
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
		d := doc{v.entries[i].row.ID, v.entries[i].sum}
		if have, ok := t.fresh[d]; ok {
			fresh[d] = have
			continue
		}
		fresh[d] = nil
		todo = append(todo, i)
	}
	counted, err := s.count(ctx, v, todo)
	if err != nil {
		return err
	}
	for _, c := range counted {
		if _, asked := fresh[c.doc]; asked {
			fresh[c.doc] = &freshRecord{c.byTerm(), c.length}
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
		if f := t.fresh[doc{v.entries[i].row.ID, v.entries[i].sum}]; f != nil {
			out.fresh = append(out.fresh, freshRow{int32(i), f})
			add(int32(i), f.length)
		}
	}
	return out
}

// count reads records and counts their terms. Those that changed since the view, or cannot be read any more, are left out.
func (s Source) count(ctx context.Context, v *View, which []int) ([]*counted, error) {
	all := make([]*counted, len(which))
	workers := make(chan *vocabulary, runtime.GOMAXPROCS(0))
	for range cap(workers) {
		workers <- nil
	}
	onAllProcessors(ctx, len(which), func(i int, _ *layout.Patience) {
		e := v.entries[which[i]]
		value, sum, ok := s.value(e.row.ID)
		if !ok || sum != e.sum {
			return
		}
		words := <-workers
		if words == nil {
			words = newVocabulary()
		}
		all[i] = words.count(doc{e.row.ID, sum}, s.Kind.Wording(value))
		workers <- words
	})
	out := all[:0]
	for _, c := range all {
		if c != nil {
			out = append(out, c)
		}
	}
	return out, ctx.Err()
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
