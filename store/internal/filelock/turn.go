package filelock

import (
	"context"
	"sync"
)

// A turn lets one goroutine of this process at a time wait in the kernel for a path, first come, first served. A
// blocked system call occupies a thread, and an abandoned one keeps it, so a server whose callers try again and again
// against a holder that hangs would run out of threads; like this it never occupies more than one a path.
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
