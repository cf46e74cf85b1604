package check

import (
	"context"
	"errors"
	"sync"

	"github.com/cairn-tasks/cairn/task"
)

// Attempt is Run for a check of a record. One that cannot be started where it should has failed, and its output says why: it
// does not take others with it. If ctx ends its error is returned.
func Attempt(ctx context.Context, s Spec) (Outcome, error) {
	o, err := Run(ctx, s)
	var refused *task.Error
	switch {
	case errors.As(err, &refused) && refused.Code == task.InvalidInput:
		return Outcome{Exit: -1, Output: refused.Msg}, nil
	case err == nil && o.Canceled:
		err = ctx.Err()
	}
	return o, err
}

// All attempts every command, width of them at a time, and tells ended of each as it ends, of one at a time. It returns the
// first error, with the commands that had not ended stopped.
func All(ctx context.Context, specs []Spec, width int, ended func(i int, o Outcome)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var telling sync.Mutex
	var running sync.WaitGroup
	for range min(width, len(specs)) {
		running.Go(func() {
			for i := range next {
				o, err := Attempt(ctx, specs[i])
				if err != nil {
					stop(err)
					return
				}
				telling.Lock()
				ended(i, o)
				telling.Unlock()
			}
		})
	}
	feed(ctx, next, len(specs))
	running.Wait()
	return context.Cause(ctx)
}

// feed hands out the numbers below n, until ctx ends.
func feed(ctx context.Context, next chan<- int, n int) {
	defer close(next)
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}
