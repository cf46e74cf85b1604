package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// All reads every record of a kind, sorted by id, and lists the files that cannot be read. Only a folder that cannot be
// listed is an error. A long body is replaced by its digest.
func (s workTree) All(ctx context.Context, k *kind.Kind) ([]any, []problem.Problem, error) {
	files, problems, err := s.files(k)
	if err != nil {
		return nil, nil, err
	}
	out := make([]any, 0, len(files))
	wait := layout.Patient()
	for _, at := range files {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		f, err := s.readAt(k, at.ID, s.Abs(at.Path), wait)
		if problem.Missing(err) && k.Rest != "" { // deleted since the folder was read, or moved
			at.Path = s.File(k, at.ID)
			f, err = s.readAt(k, at.ID, s.Abs(at.Path), wait)
		}
		switch {
		case problem.Missing(err):
		case err != nil:
			problems = append(problems, problem.Of(at.Path, err))
		default:
			out = append(out, k.Lean(f.value))
		}
	}
	return out, problems, nil
}

// files lists the files of a kind, by their names. A file with the right extension that cannot be such a record is a
// problem, and so is a second one of an id; all other files are ignored.
func (s workTree) files(k *kind.Kind) ([]place.File, []problem.Problem, error) {
	all, problems, err := place.List(s.Layout, k)
	if err != nil {
		return nil, nil, err
	}
	files := all[:0]
	for _, at := range all {
		err := k.ParseID(at.ID)
		if err == nil && !at.Type.IsRegular() {
			err = record.Errorf(record.BadFile, "is not a regular file")
		}
		if err != nil {
			problems = append(problems, problem.Problem{Path: at.Path, Code: record.BadFile, Message: record.MessageOf(err)})
			continue
		}
		files = append(files, at)
	}
	return files, problems, nil
}

func (s workTree) ids(k *kind.Kind) ([]string, error) {
	files, _, err := s.files(k)
	ids := record.Each(files, func(at place.File) string { return at.ID })
	return ids, err
}

// Resolve completes a part of an id. An exact match wins; otherwise the part, in any case, must occur in one id only.
// It returns AMBIGUOUS_ID, with the candidates, if it occurs in several, and NOT_FOUND if it occurs in none.
func (s workTree) Resolve(k *kind.Kind, part string) (string, error) {
	if k.ParseID(part) == nil {
		path := s.Abs(s.File(k, part))
		if info, err := os.Lstat(path); err == nil && info.Name() == filepath.Base(path) {
			return part, nil
		}
	}
	ids, err := s.ids(k)
	if err != nil {
		return "", err
	}
	return Complete(k, part, ids, s.TitleOf)
}

// TitleOf is the title of the record with an id; "" if none can be read.
func (s workTree) TitleOf(id string) string {
	k, v, err := kind.Find(s, id)
	if err != nil {
		return ""
	}
	return k.Header(v).Title
}

// Candidates lists the ids of a kind in which a part occurs, in any case; sorted, and all ids for "".
func (s workTree) Candidates(k *kind.Kind, part string) ([]string, error) {
	ids, err := s.ids(k)
	return fitting(ids, part), err
}

// fitting returns the names in which a part occurs, in any case.
func fitting(names []string, part string) []string {
	part = strings.ToLower(part)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.Contains(strings.ToLower(name), part)
	})
}

// Complete finds the only one of some ids of a kind in which a part occurs, as Resolve does. A refusal shows the titles.
func Complete(k *kind.Kind, part string, ids []string, title func(id string) string) (string, error) {
	if slices.Contains(ids, part) {
		return part, nil
	}
	var hits []string
	if part != "" {
		hits = fitting(ids, part)
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", k.NotFound(part)
	}
	return "", Ambiguous(k, part, hits, title)
}

// Ambiguous is the AMBIGUOUS_ID of what names several records of a kind.
func Ambiguous(k *kind.Kind, part string, hits []string, title func(id string) string) error {
	shown := hits[:min(len(hits), 8)]
	named := record.Each(shown, func(id string) string {
		if title := title(id); title != "" {
			return fmt.Sprintf("%s %q", id, record.Clip(title, 60))
		}
		return id
	})
	e := record.Errorf(record.AmbiguousID, "%q fits %d %ss", part, len(hits), k.Name).
		WithHint("one of %s%s", strings.Join(named, ", "), record.AndMore(len(hits)-len(shown)))
	e.Details = map[string]any{"candidates": shown}
	return e
}

// Mentions reports whether a file that could not be read contains an id.
func (s workTree) Mentions(p problem.Problem, id string) bool {
	src, err := layout.ReadFile(s.Abs(p.Path))
	return err == nil && strings.Contains(string(src), id)
}

// Harmless reports whether the workspace has no command, and no task and no proposal of tasks, not even a broken one.
// Then nobody else's commands are in it, and init may trust it.
func (s *Store) Harmless(ctx context.Context) (bool, error) {
	for _, k := range []*kind.Kind{kind.Tasks.Kind, kind.Proposals.Kind} {
		if files, problems, err := s.files(k); err != nil || len(files)+len(problems) > 0 {
			return false, err
		}
	}
	commands, err := s.Commands(ctx, s)
	return len(commands) == 0, err
}

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

// LookAfter is Look for a process that keeps what it saw: it reads only what changed since a view. If the process knows
// that since then no other files have changed than those with some names, in the usual folder of the kind, and those of
// records at rest, it reads these; nil is for any.
func (r Rows) LookAfter(ctx context.Context, before *index.View, names []string) (*index.View, error) {
	return r.look(before, func(src index.Source, before *index.View) (*index.View, error) {
		if src.Folder != r.kind.Folder {
			return src.LookAfter(ctx, before, nil)
		}
		return src.LookAfter(ctx, before, names)
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
		Kind: k, Folder: folder, Dir: s.Dir(folder),
		File: s.Derived("index", folder), Words: s.Derived("words", k.Folder), Postings: s.Derived("terms", k.Folder),
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
func (r Rows) Search(ctx context.Context, v *index.View, known *index.Terms, parts []string) ([]bool, error) {
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
		src.Path = func(id string) string { return r.s.Abs(r.s.File(r.kind, id)) }
	}
	return src
}
