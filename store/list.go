package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// All reads every record of a kind, sorted by id, and lists the files that cannot be read. Only a folder that cannot be
// listed is an error. A long body is replaced by its digest.
func (s *Store) All(ctx context.Context, k *kind.Kind) ([]any, []problem.Problem, error) {
	return s.list(ctx, k, func(at place.File, p *layout.Patience) (any, error) {
		f, err := s.readAt(k, at.ID, s.Abs(at.Path), p)
		if err != nil {
			return nil, err
		}
		return k.Lean(f.value), nil
	})
}

// list is All with a function that reads one record.
func (s *Store) list(ctx context.Context, k *kind.Kind, read func(place.File, *layout.Patience) (any, error)) ([]any, []problem.Problem, error) {
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
		v, err := read(at, wait)
		if problem.Missing(err) && k.Rest != "" { // deleted since the folder was read, or moved
			at.Path = s.File(k, at.ID)
			v, err = read(at, wait)
		}
		switch {
		case problem.Missing(err):
		case err != nil:
			problems = append(problems, problem.Of(at.Path, err))
		default:
			out = append(out, v)
		}
	}
	return out, problems, nil
}

// files lists the files of a kind, by their names. A file with the right extension that cannot be such a record is a
// problem, and so is a second one of an id; all other files are ignored.
func (s *Store) files(k *kind.Kind) ([]place.File, []problem.Problem, error) {
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

// ids lists the ids of a kind.
func (s *Store) ids(k *kind.Kind) ([]string, []problem.Problem, error) {
	files, problems, err := s.files(k)
	ids := make([]string, len(files))
	for i, at := range files {
		ids[i] = at.ID
	}
	return ids, problems, err
}

// Resolve completes a part of an id. An exact match wins; otherwise the part, in any case, must occur in one id only.
// It returns AMBIGUOUS_ID, with the candidates, if it occurs in several, and NOT_FOUND if it occurs in none.
func (s *Store) Resolve(k *kind.Kind, part string) (string, error) {
	if k.ParseID(part) == nil {
		path := s.path(k, part)
		if info, err := os.Lstat(path); err == nil && info.Name() == filepath.Base(path) {
			return part, nil
		}
	}
	ids, _, err := s.ids(k)
	if err != nil {
		return "", err
	}
	return Complete(k, part, ids)
}

// Candidates lists the ids of a kind in which a part occurs, in any case; sorted, and all ids for "".
func (s *Store) Candidates(k *kind.Kind, part string) ([]string, error) {
	ids, _, err := s.ids(k)
	return fitting(ids, part), err
}

// fitting returns the names in which a part occurs, in any case.
func fitting(names []string, part string) []string {
	part = strings.ToLower(part)
	var out []string
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), part) {
			out = append(out, name)
		}
	}
	return out
}

// Complete finds the only one of some ids of a kind in which a part occurs, as Resolve does.
func Complete(k *kind.Kind, part string, ids []string) (string, error) {
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
	shown := hits[:min(len(hits), 8)]
	e := record.Errorf(record.AmbiguousID, "%q fits %d %ss", part, len(hits), k.Name).
		WithHint("one of %s%s", strings.Join(shown, ", "), record.AndMore(len(hits)-len(shown)))
	e.Details = map[string]any{"candidates": shown}
	return "", e
}

// Mentions reports whether a file that could not be read contains an id.
func (s *Store) Mentions(p problem.Problem, id string) bool {
	src, err := layout.ReadFile(s.Abs(p.Path))
	return err == nil && strings.Contains(string(src), id)
}

// Commands lists every command in the workspace's files: what its user lets run by trusting it. The tasks come from a
// lister, which may be the store.
func (s *Store) Commands(ctx context.Context, from kind.Lister) ([]Command, error) {
	out := []Command{}
	add := func(where string, checks []task.Check) {
		for _, c := range checks {
			if !c.Manual() {
				out = append(out, Command{where, c.Cmd})
			}
		}
	}
	add(layout.ConfigName, s.Config.Flow.Defaults)
	tasks, _, err := kind.Tasks.List(ctx, from)
	for _, t := range tasks {
		add(string(t.ID), t.Checks)
	}
	return out, err
}

// Command is a command that trusting the workspace lets run.
type Command struct {
	Where string `json:"where"` // the task it belongs to, or config.yaml
	Cmd   string `json:"cmd"`
}

// Harmless reports whether the workspace has no task, not even a broken one, and no command. Then nobody else's
// commands are in it, and init may trust it.
func (s *Store) Harmless(ctx context.Context) (bool, error) {
	ids, problems, err := s.ids(kind.Tasks.Kind)
	if err != nil || len(ids)+len(problems) > 0 {
		return false, err
	}
	commands, err := s.Commands(ctx, s)
	return len(commands) == 0, err
}
