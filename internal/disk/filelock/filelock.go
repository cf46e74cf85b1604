package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/gofrs/flock"
)

// A Lock is held from Acquire or TryAcquire until Release, or until the process ends. It is not re-entrant: a holder
// that acquires it again waits for itself.
type Lock struct {
	file    *flock.Flock
	turn    turn
	release sync.Once
	err     error
}

// Acquire takes the lock on path, and waits for it until ctx ends. It creates the file if it is missing, but not its
// folder, and never removes it.
//
// The error is the *fs.PathError of the system call that failed, such as fs.ErrPermission in a read-only folder; it
// wraps ctx.Err() if ctx ended first.
//
// The wait in the kernel cannot be cancelled. If ctx ends first, the wait goes on in the background and releases the
// lock as soon as it gets it; until then other calls of Acquire for the path in this process queue behind it.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	if err := mayBeLock(path); err != nil {
		return nil, err
	}
	turn := turnFor(path)
	if err := turn.wait(ctx); err != nil {
		return nil, named(path, err)
	}
	type outcome struct {
		lock *Lock
		err  error
	}
	got := make(chan outcome)
	go func() {
		lock, err := block(path, turn)
		select {
		case got <- outcome{lock, err}:
		case <-ctx.Done():
			if lock != nil {
				_ = lock.Release() // the caller is gone
			}
		}
	}()
	select {
	case o := <-got:
		return o.lock, o.err
	case <-ctx.Done():
		return nil, named(path, ctx.Err())
	}
}

// AcquireWithin is Acquire for a caller that waits no longer than patience. If the lock is not free in that time, the
// error wraps context.DeadlineExceeded while ctx has not ended.
func AcquireWithin(ctx context.Context, path string, patience time.Duration) (*Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return Acquire(ctx, path)
}

// TryAcquire takes the lock on path if it is free, and reports whether it did. A lock that is held is no error; others
// are those of Acquire.
func TryAcquire(path string) (*Lock, bool, error) {
	if err := mayBeLock(path); err != nil {
		return nil, false, err
	}
	turn := turnFor(path)
	if !turn.try() {
		return nil, false, nil
	}
	file := open(path)
	ok := false
	err := disk.Do(disk.Lock, path, func() (err error) {
		ok, err = file.TryLock()
		return err
	})
	if err != nil || !ok {
		turn.end()
		return nil, false, named(path, err)
	}
	return &Lock{file: file, turn: turn}, true, nil
}

// mayBeLock returns disk.ErrNotRegular for what is no regular file: through a link the file would be created wherever
// that leads.
func mayBeLock(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return named(path, disk.ErrNotRegular)
	}
	return nil
}

// InPlace reports whether the file that is locked is the one that lies at its path now. Once it was removed, replaced
// or moved away, others get a lock on that path too, and the one that is held excludes nobody. It is true as well if
// that cannot be told.
func (l *Lock) InPlace() bool {
	held, err := l.file.Stat()
	if err != nil {
		return true
	}
	now, err := os.Lstat(l.file.Path())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(held, now)
}

// Release releases the lock. Calling it again does nothing and returns the same error.
func (l *Lock) Release() error {
	l.release.Do(func() {
		l.err = named(l.file.Path(), l.file.Unlock())
		l.turn.end()
	})
	return l.err
}

// block waits in the kernel until it has the lock. It ends the turn if that fails.
func block(path string, turn turn) (*Lock, error) {
	file := open(path)
	for {
		err := disk.Do(disk.Lock, path, file.Lock)
		if err == nil {
			return &Lock{file: file, turn: turn}, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			turn.end()
			return nil, named(path, err)
		}
	}
}

// open returns the file to lock; locking opens it. The descriptor must be writable: an exclusive lock over NFS needs
// that, and a folder that cannot be written must fail here, before anything is decided under the lock.
func open(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
}

// named adds the path to an error that does not have it.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return &fs.PathError{Op: "lock", Path: path, Err: err}
}

// A turn lets one goroutine of this process at a time wait in the kernel for a path, first come, first served. A
// blocked system call occupies a thread, even after its caller has given up. Without turns, a server whose callers
// retry while a holder hangs would run out of threads; with them it never occupies more than one for each path.
//
// Two spellings of one path have two turns. The kernel's lock still excludes them from each other.
type turn chan struct{}

var turns sync.Map // path -> turn

func turnFor(path string) turn {
	t, _ := turns.LoadOrStore(path, make(turn, 1))
	return t.(turn)
}

func (t turn) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t turn) end() { <-t }
