package store

import (
	"context"

	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/record"
)

// Look returns the rows of all records of a kind, as their files say at this moment. It reads the files that changed since the index was
// written, and the index may be written anew. It returns an error only if the folder cannot be listed.
func (s *Store) Look(ctx context.Context, k *record.Kind) (*index.View, error) {
	return s.source(k).Look(ctx)
}

// LookAfter is Look for a process that keeps what it saw: it reads only what changed since a view.
func (s *Store) LookAfter(ctx context.Context, k *record.Kind, before *index.View) (*index.View, error) {
	return s.source(k).LookAfter(ctx, before)
}

// LookAt is LookAfter for a process that knows that since then no other files have changed than those with these names.
func (s *Store) LookAt(ctx context.Context, k *record.Kind, before *index.View, names []string) (*index.View, error) {
	return s.source(k).LookAt(ctx, before, names)
}

// source is what the rows of a kind are made of.
func (s *Store) source(k *record.Kind) index.Source {
	src := index.Source{
		Kind: k, Dir: s.Dir(k.Folder), File: s.Index(k.Name), Words: s.Words(k.Name), Stat: s.Config.IndexStat,
		Parse: func(id string, src []byte) (any, error) { return s.parse(k, id, src) },
	}
	if s.fresh {
		src.File, src.Words, src.Stat = "", "", record.StatContent
	}
	return src
}

// Fresh is the store without the index: every look reads every file.
func (s *Store) Fresh() *Store {
	fresh := *s
	fresh.fresh = true
	return &fresh
}

// Search returns for each row of a view whether all parts occur in what the record says: its id, title, labels, body and the texts of its
// entries, in any case. The words are kept in known.
func (s *Store) Search(ctx context.Context, v *index.View, known *index.Words, parts []string) ([]bool, error) {
	return s.source(v.Kind()).Search(ctx, v, known, parts)
}
