package index

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Terms keeps the terms of the records of a kind, for one of the two searches, in a process that searches often. The
// zero value is ready: it reads them when somebody searches.
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

// Search returns for each row of a view whether all the parts occur in what the record says (kind.Kind.Text), each of
// them somewhere, in any case. A part has no blanks. Records whose words are not known are read.
func (s Source) Search(ctx context.Context, v *View, t *Terms, parts []string) ([]bool, error) {
	all, err := searcher{s, asWords}.searchable(ctx, v, t)
	if err != nil {
		return nil, err
	}
	out := slices.Repeat([]bool{true}, len(v.entries))
	for _, part := range parts {
		part = record.Folded(part)
		has := make([]bool, len(out))
		all.known.containing(part, func(record int) {
			if row := all.rows[record]; row >= 0 {
				has[row] = true
			}
		})
		for _, f := range all.fresh {
			for word := range f.times {
				has[f.row] = has[f.row] || strings.Contains(word, part)
			}
		}
		for i := range out {
			out[i] = out[i] && has[i]
		}
	}
	return out, nil
}

// Searchable returns the terms of the records of a view, for Rank. Records whose terms are not known are read.
func (s Source) Searchable(ctx context.Context, v *View, t *Terms) (*Searchable, error) {
	return searcher{s, asTerms}.searchable(ctx, v, t)
}

// searcher finds the terms of records, as they are read for one of the searches.
type searcher struct {
	Source
	*reading
}

func (s searcher) searchable(ctx context.Context, v *View, t *Terms) (*Searchable, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.searched != nil && t.searched.View == v {
		return t.searched, nil
	}
	if t.known == nil {
		t.known = s.load()
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
	t.searched = out
	return out, nil
}

// unknown returns the row of each record among the postings, -1 for none, and lists the entries of a view that are not
// among them. Both are sorted by id.
func (t *Terms) unknown(v *View) (rows []int32, unknown []int) {
	rows = slices.Repeat([]int32{-1}, len(t.known.docs))
	n := 0
	for i, e := range v.entries {
		for n < len(rows) && t.known.docs[n].id < e.row.ID {
			n++
		}
		if n == len(rows) || t.known.docs[n] != v.doc(i) {
			unknown = append(unknown, i)
			continue
		}
		rows[n] = int32(i)
		n++
	}
	return rows, unknown
}

// rebuild makes postings in which nothing of a view is missing that can be read. They are written if that is worth it.
func (s searcher) rebuild(ctx context.Context, v *View, t *Terms, rows []int32, unknown []int) error {
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
	src := encodePostings(s.header(), t.known, func(i int) bool { return rows[i] >= 0 }, counted)
	known, err := decodePostings(src, s.header())
	if err != nil { // it is too long for its own form
		return nil //nolint:nilerr // then all records are searched one by one
	}
	t.known, t.fresh = known, nil
	if path := s.reading.path(s.Source); path != "" && s.worthWriting(len(v.entries), len(unknown)) {
		s.write(path, func() []byte { return src })
	}
	return nil
}

// readFresh reads the records that the postings lack, unless that was done before.
func (s searcher) readFresh(ctx context.Context, v *View, t *Terms, unknown []int) error {
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
		if c == nil {
			continue
		}
		f := &freshRecord{c.doc, make(map[string]uint32, len(c.terms)), c.length}
		for _, t := range c.terms {
			f.times[c.of.all[t.term]] = t.times
		}
		fresh[v.doc(todo[j])] = f
	}
	t.fresh = fresh
	return nil
}

// doc is the record of the nth entry, and its content.
func (v *View) doc(n int) doc { return doc{v.entries[n].row.ID, v.entries[n].sum} }

// count reads records, wherever their files lie, and counts their terms. It returns nil for one that cannot be read any
// more.
func (s searcher) count(ctx context.Context, v *View, which []int) ([]*counted, error) {
	all := make([]*counted, len(which))
	workers := make(chan *vocabulary, runtime.GOMAXPROCS(0))
	for range cap(workers) {
		workers <- nil
	}
	layout.OnAllProcessors(ctx, len(which), func(i int, _ *layout.Patience) {
		id := v.entries[which[i]].row.ID
		path := s.file(id)
		if s.Path != nil {
			path = s.Path(id)
		}
		src, err := layout.ReadFile(path)
		if err != nil {
			return
		}
		value, err := s.Parse(id, src)
		if err != nil {
			return
		}
		words := <-workers
		if words == nil {
			words = s.vocabulary()
		}
		all[i] = words.count(doc{id, sumOf(src)}, s.Kind, value)
		workers <- words
	})
	return all, ctx.Err()
}

func (s searcher) header() header {
	return header{s.magic, s.form, kindHash(s.Kind), s.home(), 0}
}

// load reads the postings on disk; none if there are none that can be believed.
func (s searcher) load() *postings {
	path := s.reading.path(s.Source)
	if path == "" {
		return noPostings
	}
	src, err := disk.ReadRegular(path, maxFile)
	if err != nil {
		return noPostings
	}
	p, err := decodePostings(src, s.header())
	if err != nil {
		return noPostings
	}
	return p
}
