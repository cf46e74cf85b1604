package verb

import (
	"errors"
	"fmt"
	"time"
)

// ErrEndOfInput is the cause of a context that ended because the server that made the call is coming to its end. A verb
// that waits answers with what it knows by then.
var ErrEndOfInput = errors.New("the input ended")

// Progress is how far a call has come.
type Progress struct {
	Done    float64 // grows with each report
	Total   float64 // what Done will be at the end
	Message string  // what it is doing
}

// progressEvery is how often a check that runs says so.
const progressEvery = 3 * time.Second

// reportWhile says that the check with index n, of so many, runs, and says it again now and then until the function that it
// returns was called. A check under way counts by its share of the time limit.
func (w *Workspace) reportWhile(n, of int, desc string, limit time.Duration) (stop func()) {
	if w.Progress == nil {
		return func() {}
	}
	message := fmt.Sprintf("check %d of %d: %s", n+1, of, desc)
	w.Progress(Progress{Done: float64(n), Total: float64(of), Message: message})
	began, tick := time.Now(), time.NewTicker(progressEvery)
	stopped, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-stopped:
				return
			case <-tick.C:
				took := time.Since(began)
				share := min(took.Seconds()/limit.Seconds(), 1)
				w.Progress(Progress{
					Done: float64(n) + share, Total: float64(of), Message: fmt.Sprintf("%s, %.0f s", message, took.Seconds()),
				})
			}
		}
	}()
	return func() {
		tick.Stop()
		close(stopped)
		<-gone
	}
}
