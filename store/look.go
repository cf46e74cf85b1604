package store

import (
	"context"

	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
)

// Rows are the rows of all records of a kind, as package index finds them.
type Rows struct {
	s    *Store
	kind *kind.Kind
}

// Rows returns the rows of a kind.
func (s *Store) Rows(k *kind.Kind) Rows { return Rows{s, k} }

// Fresh is the store without the index: every look reads every file.
func (s *Store) Fresh() *Store {
	fresh := *s
	fresh.fresh = true
	return &fresh
}

// Look returns the rows as the files say at this moment. It reads the files that changed since the index was written,
// and the index may be written anew. It returns an error only if a folder cannot be listed.
func (r Rows) Look(ctx context.Context) (*index.View, error) {
	return r.look(nil, func(src index.Source, _ *index.View) (*index.View, error) { return src.Look(ctx) })
}

// LookAfter is Look for a process that keeps what it saw: it reads only what changed since a view.
func (r Rows) LookAfter(ctx context.Context, before *index.View) (*index.View, error) {
	return r.look(before, func(src index.Source, before *index.View) (*index.View, error) { return src.LookAfter(ctx, before) })
}

// LookAt is LookAfter for a process that knows that since then no other files have changed than those with these names,
// in the usual folder of the kind, and those of records at rest.
func (r Rows) LookAt(ctx context.Context, before *index.View, names []string) (*index.View, error) {
	return r.look(before, func(src index.Source, before *index.View) (*index.View, error) {
		if before == nil || src.Folder != r.kind.Folder {
			return src.LookAfter(ctx, before)
		}
		return src.LookAt(ctx, before, names)
	})
}

// look looks at each folder in which records of the kind lie, and joins what it finds.
func (r Rows) look(before *index.View, look func(index.Source, *index.View) (*index.View, error)) (*index.View, error) {
	var parts []index.Part
	err := place.Each(r.s.Layout, r.kind, func(folder string) error {
		src := r.source(folder)
		view, err := look(src, before.Part(src))
		parts = append(parts, index.Part{Source: src, View: view})
		return err
	})
	if err != nil {
		return nil, err
	}
	return index.Join(parts, before), nil
}

// Known are the rows that earlier looks wrote down, whatever became of the files since: some may be gone or say
// something else by now, and newer ones are missing. It reads no record and writes nothing. It returns nothing where
// nothing was written down, or it cannot be read.
func (r Rows) Known() []*kind.Row {
	var out []*kind.Row
	_ = place.Each(r.s.Layout, r.kind, func(folder string) error {
		out = append(out, r.source(folder).Known()...)
		return nil
	})
	return out
}

// source is what the rows of the records in a folder are made of.
func (r Rows) source(folder string) index.Source {
	s, k := r.s, r.kind
	src := index.Source{
		Kind: k, Folder: folder, Dir: s.Dir(folder), File: s.Index(folder), Words: s.Words(k.Folder), Postings: s.Postings(k.Folder),
		Resting: folder != k.Folder, Prepare: s.MakeLive,
		Parse: func(id string, src []byte) (any, error) { return s.parse(k, id, s.Abs(k.FileIn(folder, id)), src) },
	}
	if s.fresh {
		src.File, src.Words, src.Postings, src.Fresh, src.Resting = "", "", "", true, false
	}
	return src
}

// Search returns for each row of a view whether all parts occur in what the record says: its id, title, labels, body
// and the texts of its entries, in any case. The words are kept in known.
func (r Rows) Search(ctx context.Context, v *index.View, known *index.Words, parts []string) ([]bool, error) {
	return r.everywhere(v).Search(ctx, v, known, parts)
}

// Searchable returns the terms of the records of a view, for index.Rank. They are kept in known.
func (r Rows) Searchable(ctx context.Context, v *index.View, known *index.Terms) (*index.Searchable, error) {
	return r.everywhere(v).Searchable(ctx, v, known)
}

// everywhere is the source of the records of a view, in all of their folders.
func (r Rows) everywhere(v *index.View) index.Source {
	src := r.source(r.kind.Folder)
	if v.Joined() {
		src.Path = func(id string) string { return r.s.path(r.kind, id) }
	}
	return src
}
