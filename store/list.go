package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// List reads every task, sorted by id, and names the files that could not be read. Only a folder that cannot be listed at
// all is an error. In place of a long body a task has its digest; Body reads it.
func (s *Store) List(ctx context.Context) ([]task.Task, []Problem, error) {
	return s.list(ctx, func(id task.ID, wait *patience) (task.Task, error) {
		_, t, err := s.readTaskPatiently(id, wait)
		return gist(t), err
	})
}

// list lists what read returns of each task.
func (s *Store) list(ctx context.Context, read func(task.ID, *patience) (task.Task, error)) ([]task.Task, []Problem, error) {
	ids, problems, err := s.ids()
	if err != nil {
		return nil, nil, err
	}
	tasks := make([]task.Task, 0, len(ids))
	wait := &patience{patient}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		t, err := read(id, wait)
		switch {
		case isMissing(err): // deleted since the folder was read
		case err != nil:
			problems = append(problems, s.problemOf(s.task(id), err))
		default:
			tasks = append(tasks, t)
		}
	}
	return tasks, problems, nil
}

// ids lists the names of the task files. What ends in .md and cannot be a task is a problem; everything else is not ours.
func (s *Store) ids() ([]task.ID, []Problem, error) {
	entries, err := os.ReadDir(s.TasksDir())
	if err != nil && !isMissing(err) {
		return nil, nil, ioError(err)
	}
	var ids []task.ID
	var problems []Problem
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), taskExt)
		if !ok || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		id, err := task.ParseID(name)
		if err == nil && !e.Type().IsRegular() {
			err = task.Errorf(task.BadFile, "is not a regular file")
		}
		if err != nil {
			problems = append(problems, Problem{s.rel(filepath.Join(s.TasksDir(), e.Name())), 0, task.BadFile, messageOf(err)})
			continue
		}
		ids = append(ids, id)
	}
	return ids, problems, nil
}

func messageOf(err error) string {
	var e *task.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}

// Resolve completes part of an id. An exact match wins; otherwise the part, in any case, must occur in one id only:
// AMBIGUOUS_ID lists the candidates, NOT_FOUND says that there is none.
func (s *Store) Resolve(part string) (task.ID, error) {
	if id, err := task.ParseID(part); err == nil {
		if info, err := os.Lstat(s.task(id)); err == nil && strings.TrimSuffix(info.Name(), taskExt) == part {
			return id, nil
		}
	}
	names, err := s.taskNames()
	if err != nil {
		return "", err
	}
	name, err := complete("task", part, names)
	return task.ID(name), err
}

// Candidates lists the ids of tasks in which a part occurs, in any case, sorted; all ids for "".
func (s *Store) Candidates(part string) ([]string, error) {
	names, err := s.taskNames()
	return fitting(names, part), err
}

func (s *Store) taskNames() ([]string, error) {
	ids, _, err := s.ids()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return names, err
}

// fitting are the names in which a part occurs, in any case.
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

// complete finds the one name that a part occurs in.
func complete(kind, part string, names []string) (string, error) {
	if slices.Contains(names, part) {
		return part, nil
	}
	var hits []string
	if part != "" {
		hits = fitting(names, part)
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", missing(kind, part)
	}
	shown := hits
	more := ""
	if len(shown) > 8 {
		shown, more = shown[:8], fmt.Sprintf(" and %d more", len(hits)-8)
	}
	e := task.Errorf(task.AmbiguousID, "%q fits %d %ss", part, len(hits), kind).
		WithHint("one of %s%s", strings.Join(shown, ", "), more)
	e.Details = map[string]any{"candidates": shown}
	return "", e
}
