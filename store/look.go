package store

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/record"
)

// Look returns the rows of all records of a kind, as their files say at this moment. It reads the files that changed since the index was
// written, and the index may be written anew. It returns an error only if a folder cannot be listed.
func (s *Store) Look(ctx context.Context, k *record.Kind) (*index.View, error) {
	return s.look(k, nil, func(src index.Source, _ *index.View) (*index.View, error) { return src.Look(ctx) })
}

// LookAfter is Look for a process that keeps what it saw: it reads only what changed since a view.
func (s *Store) LookAfter(ctx context.Context, k *record.Kind, before *index.View) (*index.View, error) {
	return s.look(k, before, func(src index.Source, before *index.View) (*index.View, error) { return src.LookAfter(ctx, before) })
}

// LookAt is LookAfter for a process that knows that since then no other files have changed than those with these names, in the usual folder
// of the kind, and those of records at rest.
func (s *Store) LookAt(ctx context.Context, k *record.Kind, before *index.View, names []string) (*index.View, error) {
	return s.look(k, before, func(src index.Source, before *index.View) (*index.View, error) {
		if before == nil || src.Folder != k.Folder {
			return src.LookAfter(ctx, before)
		}
		return src.LookAt(ctx, before, names)
	})
}

// look looks at each folder in which records of a kind lie, and joins what it finds.
func (s *Store) look(k *record.Kind, before *index.View, look func(index.Source, *index.View) (*index.View, error)) (*index.View, error) {
	folders, err := place.Folders(s.Layout, k)
	if err != nil {
		return nil, err
	}
	parts := make([]index.Part, len(folders))
	for i, folder := range folders {
		src := s.source(k, folder)
		view, err := look(src, before.Part(src))
		if err != nil {
			return nil, err
		}
		parts[i] = index.Part{Source: src, View: view}
	}
	return index.Join(parts, before), nil
}

// source is what the rows of the records in a folder are made of.
func (s *Store) source(k *record.Kind, folder string) index.Source {
	src := index.Source{
		Kind: k, Folder: folder, Dir: s.Dir(folder), Stat: s.Config.IndexStat,
		Resting: folder != k.Folder && s.Config.RestStat != record.StatFull, Prepare: s.MakeLive,
		File: s.Index(strings.ReplaceAll(strings.Replace(folder, k.Folder, k.Name, 1), "/", "-")), Words: s.Words(k.Name),
		Parse: func(id string, src []byte) (any, error) { return s.parse(k, id, s.Abs(k.FileIn(folder, id)), src) },
	}
	if s.fresh {
		src.File, src.Words, src.Stat, src.Resting = "", "", record.StatContent, false
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
	src := s.source(v.Kind(), v.Kind().Folder)
	if v.Joined() {
		src.Path = func(id string) string { return s.path(v.Kind(), id) }
	}
	return src.Search(ctx, v, known, parts)
}
