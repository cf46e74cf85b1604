package filelock

import (
	"context"
	"sync"
)

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
