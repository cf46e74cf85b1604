package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
)

const (
	lockPatience = 10 * time.Second // how long a write waits for the lock
	maxRestarts  = 10               // how often a write starts over because another program changed a file
)

// Update makes one write: all of what fn puts into the Tx, or nothing. It waits for the write lock of the workspace,
// runs fn, and writes. If fn fails, nothing is written and its error is returned.
//
// fn reads the newest revisions through the Tx and decides by them. It must be quick and must not call other methods of
// the Store that write. It may run more than once: from the start, whenever an editor or git changes one of the files
// before the write is over.
//
// It returns BUSY if the lock was not free within 10 seconds, SANDBOXED if the folder of the lock cannot be written,
// READ_ONLY if the workspace has a newer format than this version knows, and CONFLICT if another program kept changing
// the file.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.exclusively(ctx, func() error {
		until := time.Now().Add(gitPatience)
		for range maxRestarts {
			tx := &Tx{s: s, gitUntil: until, records: map[record.Ref]*staged{}}
			if err := fn(tx); err != nil {
				return err
			}
			if err := tx.write(ctx); !errors.Is(err, errOvertaken) {
				return err
			}
		}
		return record.Errorf(record.Conflict, "the file is being changed by another program").WithHint("try again once that program is done")
	})
}

// exclusively runs fn under the write lock, after the write of a killed writer was finished or dropped.
func (s *Store) exclusively(ctx context.Context, fn func() error) error {
	if err := kind.KnownFormat(s.Config.Format); err != nil {
		return err
	}
	return s.locked(ctx, func() error {
		if err := (redoLog{s.Clone}).recover(); err != nil {
			return err
		}
		return fn()
	})
}

func (s *Store) locked(ctx context.Context, fn func() error) error {
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	return fn()
}

func (s *Store) lock(ctx context.Context) (*filelock.Lock, error) {
	defer progress.Waiting(ctx, "waiting for another process that writes")()
	return s.Lock(ctx, s.Live.Lock(), s.lockPatience, "other processes that write",
		"a large import or plan takes a while: try again in a moment; if it stays like that, see which process has "+
			s.Live.Lock()+" open")
}

// Settle finishes or drops the write of a killed writer, as the next write would. If there is none, it does nothing and
// takes no lock.
func (s *Store) Settle(ctx context.Context) error {
	if !layout.Exists(s.Live.Redo()) {
		return nil
	}
	return s.Update(ctx, func(*Tx) error { return nil })
}

// DropProgress forgets the progress that an entry made on a record, so that no worktree has to catch up with it. It
// returns NOT_FOUND if the clone does not know of it, for example since all files have caught up.
func (s *Store) DropProgress(ctx context.Context, of record.Ref, entry string) error {
	made := func(p session.Progress) bool { return p.Entry == entry }
	return s.exclusively(ctx, func() error {
		state := s.State(of)
		if state == nil || !slices.ContainsFunc(state.Progress, made) {
			return record.Errorf(record.NotFound, "nothing is recorded of that").WithHint("look again: it may have been settled meanwhile")
		}
		state.Progress = slices.DeleteFunc(state.Progress, made)
		return s.Put(*state)
	})
}

// DropLease ends a lease that the file of a record overrules, once its holder was told. One that was made since stays.
func (s *Store) DropLease(ctx context.Context, of record.Ref, told session.Lease) error {
	return s.exclusively(ctx, func() error {
		state := s.State(of)
		if state == nil || state.Lease == nil || state.Lease.Made.Entry != told.Made.Entry || !state.Lease.Since.Equal(told.Since) {
			return nil
		}
		return s.Put(state.WithLease(nil))
	})
}

// DropBranch forgets what was done to a record on a branch that is given up: who holds it there, and how far it came.
func (s *Store) DropBranch(ctx context.Context, of record.Ref, branch string) error {
	return s.exclusively(ctx, func() error {
		state := s.State(of)
		if state == nil {
			return nil
		}
		if state.Lease != nil && state.Lease.Branch == branch {
			*state = state.WithLease(nil)
		}
		state.Progress = slices.DeleteFunc(state.Progress, func(p session.Progress) bool { return p.Branch == branch })
		return s.Put(*state)
	})
}

// DropCaughtUp drops the states that no worktree needs any more (live.Clone.CaughtUp), and returns their number.
func (s *Store) DropCaughtUp(ctx context.Context) (dropped int, err error) {
	states, err := s.CaughtUp(ctx)
	if err != nil || len(states) == 0 {
		return 0, err
	}
	err = s.exclusively(ctx, func() error {
		for _, known := range states {
			if now := s.State(known.Ref); now == nil || !reflect.DeepEqual(*now, known) {
				continue // it was written since it was read
			}
			if err := s.Put(session.State{Ref: known.Ref}); err != nil {
				return err
			}
			dropped++
		}
		return nil
	})
	return dropped, err
}

// edit makes a write of one file that is no record: what fn makes of its content, which is nil for a file that does not
// exist. Its errors are those of Update.
func edit(ctx context.Context, l layout.Layout, path string, fn func(src []byte) ([]byte, error)) error {
	return editing(ctx, l, func(tx *Tx) error {
		src, err := layout.ReadFile(path)
		if err != nil && !problem.Missing(err) {
			return problem.IO(err)
		}
		now, err := fn(src)
		if err == nil {
			tx.replace(path, src, now)
		}
		return err
	})
}

// editing makes a write of files by their paths. The config may be broken, since it may be what is repaired. Its errors
// are those of Update.
func editing(ctx context.Context, l layout.Layout, fn func(*Tx) error) error {
	s := &Store{workTree: workTree{live.Clone{Layout: l}}, lockPatience: lockPatience}
	if src, err := layout.ReadFile(l.ConfigFile()); err == nil {
		config, _ := kind.ParseConfig(src)
		s.Config.Format = config.Format
	}
	return s.Update(ctx, fn)
}

// Writes are the workspaces in which files of records were written. It may be used by several goroutines.
type Writes struct {
	mu    sync.Mutex
	roots []string
}

type writesKey struct{}

// NoteWrites is a context whose writes are noted.
func NoteWrites(ctx context.Context) (context.Context, *Writes) {
	w := &Writes{}
	return context.WithValue(ctx, writesKey{}, w), w
}

// Take returns the roots of the workspaces that were written to since it was called last.
func (w *Writes) Take() (roots []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	roots, w.roots = w.roots, nil
	return roots
}

// noteWrite notes that files of the workspace at a root were written.
func noteWrite(ctx context.Context, root string) {
	w, ok := ctx.Value(writesKey{}).(*Writes)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.roots, root) {
		w.roots = append(w.roots, root)
	}
}
