package store

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/filelock"
	"github.com/cairn-tasks/cairn/task"
)

const (
	lockPatience = 10 * time.Second // how long a write waits for its turn
	maxRestarts  = 10               // how often a write starts over because an editor got in between
)

// Update makes one write. It waits for the workspace's lock, runs fn, and then writes everything that fn put into the Tx.
// fn reads the newest revisions through the Tx and decides; it must be quick, must not call the Store's own writers, and
// may run again from the start if an editor or git, which take no lock, change a file before it is replaced, or git does so
// before the write is over. If fn fails, nothing is written and its error returns.
//
// It returns BUSY if the lock was not free within 10 seconds, SANDBOXED if the folder of the lock cannot be written,
// READ_ONLY if the workspace has a newer format than this version knows, and CONFLICT if an editor kept changing the file.
//
// After a kill each file holds its old revision or its new one, whole. Of several files the new sessions come first, then
// the tasks in the order they were put, so no file names one that is not there; what was only announced is settled by the
// next write: a task and its sessions then hold all of the write or nothing of it.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.exclusively(ctx, func() error {
		until := time.Now().Add(gitPatience)
		for range maxRestarts {
			tx := &Tx{s: s, patient: until, tasks: map[task.ID]*staged{}, sessions: map[string]*stagedSession{}}
			if err := fn(tx); err != nil {
				return err
			}
			if err := tx.write(ctx); !errors.Is(err, errOvertaken) {
				return err
			}
		}
		return task.Errorf(task.Conflict, "the file is being changed by another program").WithHint("try again once that program is done")
	})
}

// exclusively runs fn as the only writer of this clone's workspace, once what a killed one left is cleaned up.
func (s *Store) exclusively(ctx context.Context, fn func() error) error {
	if err := knownFormat(s.Config.Format); err != nil {
		return err
	}
	lock, err := s.lockWrites(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	if err := s.recover(); err != nil {
		return err
	}
	return fn()
}

// knownFormat returns READ_ONLY for a format that is newer than this version.
func knownFormat(format int) error {
	if format <= Format {
		return nil
	}
	return task.Errorf(task.ReadOnly, "the workspace has format %d, and this version writes %d", format, Format).
		WithHint("install a newer cairn")
}

// errOvertaken says that a file changed between being read and being replaced.
var errOvertaken = errors.New("changed meanwhile")

// lockWrites takes the one lock that every write of this clone's workspace holds.
func (s *Store) lockWrites(ctx context.Context) (*filelock.Lock, error) {
	if err := s.prepareLive(); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, s.lockPatience)
	defer cancel()
	lock, err := filelock.Acquire(waiting, s.lock())
	switch {
	case err == nil:
		return lock, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, task.Errorf(task.Busy, "waited %v for other processes that write", s.lockPatience).
			WithHint("try again in a moment; if it stays like that, see which process has %s open", s.lock())
	default:
		return nil, s.liveError(err)
	}
}

// Settle brings to its end what a killed writer left, as the next write would. Without that it does nothing, and takes no
// lock.
func (s *Store) Settle(ctx context.Context) error {
	if !exists(s.dirty()) {
		return nil
	}
	return s.Update(ctx, func(*Tx) error { return nil })
}

// recover cleans up after a writer that was killed. The marker is there exactly while somebody writes, so under the lock it
// means that somebody died; it says in which worktree.
func (s *Store) recover() error {
	worktree, err := disk.ReadRegular(s.dirty(), maxLive)
	if isMissing(err) {
		return nil // nothing to clean up
	}
	if err != nil {
		return s.liveError(err)
	}
	if len(worktree) == 0 {
		worktree = []byte(s.Worktree) // it was only being made, or a power cut emptied it
	}
	if there, err := s.inWorktree(string(worktree)); err == nil {
		if err := there.sweep(); err != nil {
			return err
		}
	}
	if err := s.settleAll(); err != nil {
		return err
	}
	return s.setDirty(false)
}

func (s *Store) setDirty(on bool) error {
	if on {
		return s.liveError(disk.WriteFile(s.dirty(), []byte(s.Worktree)))
	}
	return s.liveError(disk.RemoveFile(s.dirty()))
}
