package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// Verify lists what no sound sequence of writes leaves beside the files that Judge looks at: sessions without their task,
// and, in the live state, what a killed writer left behind. Each problem names its file. It mends nothing; the next write
// sweeps leftovers.
//
// It holds the write lock, so that nothing it finds belongs to a writer at work, and returns BUSY or SANDBOXED if it
// cannot have it.
func (s *Store) Verify(ctx context.Context) ([]Problem, error) {
	lock, err := s.lockWrites(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	sessions, _, err := s.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	leftovers, err := s.leftovers(ctx)
	problems := s.orphans(sessions)
	for _, l := range leftovers {
		problems = append(problems, l.Problem)
	}
	return problems, err
}

// Leftover is something that is sound in itself and should not be there.
type Leftover struct {
	Problem
	Swept bool // Sweep takes it away, and nothing is lost with it

	clean func() error // what Sweep has to do; nil if settling does all there is to do
}

// Leftovers lists what a killed writer left behind, and live state that says nothing any more. It holds the write lock, as
// Verify does.
func (s *Store) Leftovers(ctx context.Context) ([]Leftover, error) {
	lock, err := s.lockWrites(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }()
	return s.leftovers(ctx)
}

// Sweep takes leftovers away: it does what the next write would do after a kill, without waiting for one, and removes live
// state that counts as absent. It returns BUSY or SANDBOXED if it cannot have the write lock.
func (s *Store) Sweep(ctx context.Context) error {
	lock, err := s.lockWrites(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	for _, l := range s.notFiles() { // they stand in the way of the rest
		if err := s.liveError(l.clean()); err != nil {
			return err
		}
	}
	if err := errors.Join(s.recover(), s.sweep(), s.settleAll()); err != nil {
		return err
	}
	left, err := s.leftovers(ctx)
	for _, l := range left {
		if l.clean != nil && err == nil {
			err = s.liveError(l.clean())
		}
	}
	return err
}

// notFiles are what stands in the live state and is no file: cairn makes nothing but files there. A folder is told too, and
// goes if it is empty.
func (s *Store) notFiles() (left []Leftover) {
	folders := s.liveFolders()
	for _, dir := range folders {
		entries, _ := os.ReadDir(dir) // one that cannot be listed is told of by whoever looks for something in it
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !e.Type().IsRegular() && !slices.Contains(folders, path) {
				left = append(left, s.spent(path, "is no file"))
			}
		}
	}
	return left
}

// orphans are sessions about a task that has no file.
func (s *Store) orphans(sessions []session.Session) []Problem {
	var problems []Problem
	for _, ses := range sessions {
		if ses.Task != "" && !exists(s.task(ses.Task)) {
			problems = append(problems, s.leftover(s.session(ses.ID), "task %s does not exist", ses.Task).Problem)
		}
	}
	return problems
}

// leftovers are what a killed writer left: its marker, its temporary files, and live state about files that are not there.
func (s *Store) leftovers(ctx context.Context) ([]Leftover, error) {
	var left []Leftover
	odd := s.notFiles()
	if isFile(s.dirty()) {
		left = append(left, s.unfinished(s.dirty(), "a writer was killed, and nobody has written since"))
	}
	temps, err := s.temps()
	if err != nil {
		return nil, err
	}
	records, err := s.staleRecords(ctx)
	if err != nil {
		return nil, err
	}
	beats, err := s.staleBeats()
	if err != nil {
		return nil, err
	}
	others, err := s.unreadable()
	return slices.Concat(odd, left, temps, records, beats, others), err
}

// unreadable are journals and remembered calls that say nothing to anybody.
func (s *Store) unreadable() ([]Leftover, error) {
	var left []Leftover
	err := eachName(filepath.Join(s.Layout.Live, "journal"), journalExt, func(name string) {
		path := s.journal(task.ID(name))
		if _, err := task.ParseID(name); err != nil {
			left = append(left, s.spent(path, "is the journal of nothing"))
			return
		}
		if !isFile(path) {
			return
		}
		switch _, bad, err := s.journalLines(task.ID(name)); {
		case err != nil:
			left = append(left, s.spent(path, "cannot be read"))
		case bad > 0:
			l := s.leftover(path, "has %d lines that cannot be read", bad)
			l.Swept, l.clean = true, func() error { return s.rewriteJournal(task.ID(name)) }
			left = append(left, l)
		}
	})
	if err != nil {
		return nil, err
	}
	err = eachName(filepath.Dir(s.key("")), ".json", func(call string) {
		if isFile(s.key(call)) && s.Key(call) == nil {
			left = append(left, s.spent(s.key(call), "cannot be read"))
		}
	})
	return left, err
}

func (s *Store) temps() ([]Leftover, error) {
	var left []Leftover
	for _, dir := range s.writtenTo() {
		err := eachName(dir, "", func(name string) {
			if atomicfile.IsTemp(name) {
				left = append(left, s.unfinished(filepath.Join(dir, name), "is the temporary file of a writer that was killed"))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}

// writtenTo is every folder that writes put files into.
func (s *Store) writtenTo() []string {
	return append([]string{filepath.Join(s.Root, Folder), s.TasksDir(), s.SessionsDir(), filepath.Dir(s.proposal(""))}, s.liveFolders()...)
}

// staleRecords are records of writes that nobody settled, records that say nothing, and records of tasks that do not exist.
func (s *Store) staleRecords(ctx context.Context) ([]Leftover, error) {
	var left []Leftover
	err := eachName(filepath.Join(s.Layout.Live, "claims"), ".json", func(name string) {
		id := task.ID(name)
		path := s.Layout.record(id)
		if !isFile(path) {
			return
		}
		switch r := s.record(id); {
		case r == nil:
			left = append(left, s.spent(path, "cannot be read"))
		case r.Intent != nil:
			left = append(left, s.unfinished(path, "announces a write that was never settled"))
		case len(r.Reaches)+len(r.Ended) == 0 && r.Lease == nil:
			left = append(left, s.spent(path, "says nothing"))
		case slices.ContainsFunc(r.Reaches, func(reach session.Reach) bool { return !s.mayHave(ctx, id, reach) }):
			left = append(left, s.leftover(path, "task %s does not exist", id))
		}
	})
	return left, err
}

// mayHave reports whether a task that was carried somewhere may still be there: it is, or other files than those of its
// branch are checked out there now.
func (s *Store) mayHave(ctx context.Context, id task.ID, reach session.Reach) bool {
	there, err := s.inWorktree(reach.Worktree)
	if err != nil {
		return true
	}
	return exists(there.task(id)) || there.Head(ctx).Branch != reach.Branch
}

// staleBeats are heartbeats that cannot be read and, outside git, those of sessions that do not exist and under which nobody
// holds a task. In git a session that is not here may lie on another branch.
func (s *Store) staleBeats() ([]Leftover, error) {
	atWork := map[string]bool{}
	err := eachName(filepath.Join(s.Layout.Live, "claims"), ".json", func(name string) {
		if r := s.record(task.ID(name)); r != nil && r.Lease != nil {
			atWork[r.Lease.Session] = true
		}
	})
	if err != nil {
		return nil, err
	}
	var left []Leftover
	err = eachName(filepath.Join(s.Layout.Live, "live"), ".json", func(ses string) {
		if !isFile(s.heartbeat(ses)) {
			return
		}
		beat := s.Heartbeat(ses)
		if beat == nil {
			left = append(left, s.spent(s.heartbeat(ses), "cannot be read"))
			return
		}
		if s.Repo == nil && !atWork[ses] && !exists(s.session(ses)) {
			left = append(left, s.spent(s.heartbeat(ses), "session %s does not exist", ses))
		}
	})
	return left, err
}

// leftover names a file that is sound in itself and should not be there.
func (s *Store) leftover(path, format string, args ...any) Leftover {
	return Leftover{Problem: s.problemOf(path, task.Errorf(task.BadFile, format, args...))}
}

// spent is a leftover that counts as absent already, so it can be removed.
func (s *Store) spent(path, format string, args ...any) Leftover {
	l := s.leftover(path, format, args...)
	l.Swept, l.clean = true, func() error { return disk.RemoveFile(path) }
	return l
}

// unfinished is a leftover that the next write deals with.
func (s *Store) unfinished(path, format string, args ...any) Leftover {
	l := s.leftover(path, format, args...)
	l.Swept = true
	return l
}

// eachName calls fn with the names in a folder that end in ext, without it. A folder that is missing is empty.
func eachName(dir, ext string, fn func(name string)) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ioError(err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok {
			fn(name)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
