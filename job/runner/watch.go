package runner

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/job"
)

const (
	lookEvery    = 200 * time.Millisecond // for a cancellation, and for the time
	silenceShown = 10 * time.Minute       // without an event and without an open tool call: the job is shown as stalled
)

// watch is a context that ends, with an *ended as its cause, when somebody cancels the job, when its time is over, or when its folder
// is not this process's any more. stop ends the watching.
func (r *run) watch(ctx context.Context, end time.Time, over error) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			if r.owned.Held() != nil {
				cancel(errLost)
				return
			}
			if who, reason, yes := r.owned.Canceled(); yes {
				cancel(canceledBy(who, reason))
				return
			}
			if !r.w.Now().Before(end) {
				cancel(over)
				return
			}
			if err := r.silent(); err != nil {
				cancel(err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// pulse is what is known of an executor at work by its events. Its zero value is of none.
type pulse struct {
	mu      sync.Mutex
	working bool
	last    time.Time
	open    int  // tool calls that began and did not end
	shown   bool // as stalled
}

// begin says that an executor starts to work.
func (p *pulse) begin(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.working, p.last, p.open = true, now, 0
}

// end says that no executor works.
func (p *pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.working = false
}

// feel takes an event into account. It reports whether that ends a silence that was shown.
func (p *pulse) feel(e job.Event, now time.Time) (ends bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	switch e.Type {
	case job.EventToolStart:
		p.open++
	case job.EventToolEnd:
		p.open = max(0, p.open-1)
	default:
	}
	ends, p.shown = p.shown, false
	return ends
}

// silence is for how long the executor has been silent; 0 if it works with a tool, or none works.
func (p *pulse) silence(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.working || p.open > 0 {
		return 0
	}
	return now.Sub(p.last)
}

// show reports whether a silence is to be shown that is not yet.
func (p *pulse) show() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	show := !p.shown
	p.shown = true
	return show
}

// silent shows that the executor has been silent for long, and returns why the job ends if its spec allows no such silence.
func (r *run) silent() error {
	silence := r.pulse.silence(r.w.Now())
	if limit := r.spec.Stall.Duration(); limit > 0 && silence >= limit {
		return failed(job.Stalled, "the executor said nothing for %s", limit)
	}
	if silence >= silenceShown && r.pulse.show() {
		_ = r.owned.Change(func(s *job.Status) { s.Stalled = true })
	}
	return nil
}
