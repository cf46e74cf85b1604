package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/filelock"
	"github.com/cairn-tasks/cairn/task"
)

// LockRuns takes the lock under which checks run, one run at a time in a worktree, since two would see each other's files.
// The holder is whoever the next one is told about. It returns BUSY, naming the present holder, after 10 seconds. The
// lock ends with the process at the latest.
func (s *Store) LockRuns(ctx context.Context, holder string) (release func(), err error) {
	if err := s.prepareLive(); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, s.lockPatience)
	defer cancel()
	path := s.runsLock()
	lock, err := filelock.Acquire(waiting, path)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, task.Errorf(task.Busy, "checks are running in this worktree, for %s", readHolder(path)).
			WithHint("try again when they are done")
	case err != nil:
		return nil, s.liveError(err)
	}
	if err := disk.WriteFile(path+".holder", []byte(holder)); err != nil {
		return nil, errors.Join(s.liveError(err), lock.Release())
	}
	return func() { _ = lock.Release() }, nil
}

const maxHolder = 4 << 10 // bytes

func readHolder(path string) string {
	src, err := disk.ReadRegular(path+".holder", maxHolder)
	name, _, _ := strings.Cut(strings.TrimSpace(string(src)), "\n")
	if err != nil || name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return "another process"
	}
	return name
}

// WriteLog keeps the log of a run under .cairn/runs, which git ignores, and returns its path from the workspace root. Of
// the task's older logs the newest 19 stay.
func (s *Store) WriteLog(id task.ID, at time.Time, write func(io.Writer) error) (string, error) {
	if err := s.makeFolder(s.RunsDir()); err != nil {
		return "", err
	}
	f, err := s.newLog(id, at)
	if err != nil {
		return "", ioError(err)
	}
	err = errors.Join(write(f), f.Close())
	s.pruneLogs(id, filepath.Base(f.Name()))
	return s.rel(f.Name()), ioError(err)
}

// newLog makes a file that was not there, also for two runs that end at the same moment.
func (s *Store) newLog(id task.ID, at time.Time) (*disk.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s-%s.log", id, logStamp(at))
		if n > 0 {
			name = fmt.Sprintf("%s-%s-%d.log", id, logStamp(at), n)
		}
		f, err := disk.Create(filepath.Join(s.RunsDir(), name), 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
