package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
)

const (
	watchEvery   = 200 * time.Millisecond // how often a watch looks
	silenceShown = 10 * time.Minute       // after such a silence without an open tool call the job is shown as stalled
)

// watch ends a job that waits or works when it must not go on: it was canceled, its time is over, its executor is
// silent for longer than the spec allows, or its lock is lost. It also records the events of the executor.
type watch struct {
	owned *jobs.Owned
	now   func() time.Time
	stall time.Duration // the longest silence that the spec allows; 0 for any
	pulse pulse
	used  job.Usage // by the runs before this one
}

// begin says that a run of the executor begins, and what those before it used.
func (w *watch) begin(used job.Usage) {
	w.used = used
	w.pulse.begin(w.now())
}

// until returns a context that ends when the job must not go on, with an *ended as its cause: over if the time end has
// come. stop ends the watching.
func (w *watch) until(ctx context.Context, end time.Time, over error) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			if err := w.mustEnd(end, over); err != nil {
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

// mustEnd returns why the job must not go on, or nil. It shows a long silence that the spec allows.
func (w *watch) mustEnd(end time.Time, over error) error {
	if w.owned.Held() != nil {
		return errLost
	}
	if who, reason, yes := w.owned.Canceled(); yes {
		return &ended{state: job.Canceled, message: job.CanceledBy(who, reason)}
	}
	if !w.now().Before(end) {
		var e *ended
		if last := w.pulse.lastError(); last != "" && errors.As(over, &e) {
			return &ended{e.state, e.reason, e.message + last}
		}
		return over
	}
	silence := w.pulse.silence(w.now())
	if w.stall > 0 && silence >= w.stall {
		return failed(job.Stalled, "the executor said nothing for %s%s", w.stall, w.pulse.lastError())
	}
	if silence >= silenceShown && w.pulse.show() {
		_ = w.owned.Change(func(s *job.Status) { s.Stalled = true })
	}
	return nil
}

// event records what the executor reports. An event that ends a shown silence, changes the phase, tells what
// was used or names the executor's own session also changes the state of the job.
func (w *watch) event(e job.Event) {
	ends := w.pulse.event(e, w.now())
	_ = w.owned.Event(e)
	was := w.owned.Job().Status
	phase := job.Working
	if e.Type == job.EventPermission {
		phase = job.NeedsInput
	}
	named := e.Type == job.EventSession && e.ID != ""
	if changed := ends || was.Phase != phase || named && e.ID != was.ResumeID || e.Usage != nil; !changed {
		return
	}
	_ = w.owned.Change(func(s *job.Status) {
		s.Stalled, s.Phase = false, phase
		if e.Usage != nil {
			s.Usage = w.used.Plus(*e.Usage)
		}
		if named {
			s.ResumeID = e.ID
		}
	})
}

func show(owned *jobs.Owned, p job.Phase) error {
	if owned.Job().Status.Phase == p {
		return nil
	}
	return owned.Change(func(s *job.Status) { s.Phase = p })
}

// pulse tells from its events how long the executor has been silent. In the zero value no executor works. It is safe
// for concurrent use.
type pulse struct {
	mu      sync.Mutex
	working bool
	last    time.Time
	open    int  // tool calls that began and did not end
	shown   bool // the silence is shown already

	worked  bool   // the run has said or done something
	problem string // what its program or provider told last that went wrong
}

func (p *pulse) begin(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.working, p.last, p.open, p.worked = true, now, 0, false
}

func (p *pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.working = false
}

// event records an event. It reports whether it ends a silence that was shown.
func (p *pulse) event(e job.Event, now time.Time) (ends bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	switch e.Type {
	case job.EventToolStart:
		p.open++
		p.worked = true
	case job.EventText:
		p.worked = true
	case job.EventToolEnd:
		p.open = max(0, p.open-1)
	case job.EventError, job.EventRetry:
		p.problem = oneLine(e.Text)
	default:
	}
	ends, p.shown = p.shown, false
	return ends
}

func (p *pulse) hasWorked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.worked
}

// lastError is what went wrong last, as the end of a message; "" for nothing.
func (p *pulse) lastError() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == "" {
		return ""
	}
	return "; the last error that was told: " + record.Clip(p.problem, 300)
}

// silence is how long the executor has been silent; 0 if a tool call is open, or if no executor works.
func (p *pulse) silence(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.working || p.open > 0 {
		return 0
	}
	return now.Sub(p.last)
}

// show reports whether the silence is still to be shown, and records that it is.
func (p *pulse) show() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	show := !p.shown
	p.shown = true
	return show
}
