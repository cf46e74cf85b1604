package jobs

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
)

// PollIn is the input of Poll.
type PollIn struct {
	Job     string     `json:"job" doc:"job to read" cli:"arg" from:"jobs"`
	Wait    bool       `json:"wait,omitempty" doc:"true: return at the next change, or at once if it has ended"`
	Timeout *float64   `json:"timeout_seconds" doc:"how long to wait at most; 1.5 by default, 45 over MCP"`
	Events  bool       `json:"events,omitempty" doc:"true: with its events"`
	Limit   verb.Count `json:"limit,omitempty" doc:"how many events; 50 by default, 500 at most"`
	Offset  int        `json:"offset,omitempty" doc:"how many of the first events to leave out; next_offset of the page before"`
}

// Polled is a job, and a page of its events if they were asked for.
type Polled struct {
	Job
	Events     []job.Event `json:"events,omitzero"`
	Total      *int        `json:"total,omitempty"`
	HasMore    *bool       `json:"has_more,omitempty"`
	NextOffset *int        `json:"next_offset,omitempty"` // behind the last event of this page
	TimedOut   bool        `json:"timed_out,omitempty"`   // of a wait: nothing changed
}

func exitOfPoll(out any) int {
	if out.(Polled).TimedOut {
		return verb.ExitTimedOut
	}
	return 0
}

const (
	usualPoll   = 1500 * time.Millisecond
	usualWait   = 45 * time.Second // of a client of MCP, many of which give up after 60
	usualEvents = 50
	maxEvents   = 500
)

// Poll reads a job. With wait it returns when the job is not as it was at the beginning of the call, when it has ended,
// or when the time is up; with offset and events, also when there are events behind that offset.
func Poll(ctx context.Context, w *verb.Workspace, s *store.Store, in PollIn) (Polled, error) {
	if err := validPage(in.Limit, maxEvents, in.Offset); err != nil {
		return Polled{}, err
	}
	limit := usualPoll.Seconds()
	if w.Bounded {
		limit = min(usualWait.Seconds(), s.Config.WaitMax.Seconds())
	}
	if in.Timeout != nil {
		limit = *in.Timeout
	}
	if most := s.Config.WaitMax.Seconds(); in.Timeout != nil && (limit < 0 || limit > most) {
		return Polled{}, record.Errorf(record.InvalidTimeout, "timeout_seconds is %v", limit).
			WithHint("0 to %v; call again for longer", most)
	}
	one, err := work.Jobs(s).Get(in.Job)
	timedOut := false
	if err == nil && in.Wait {
		one, timedOut, err = in.wait(ctx, w, s, limit)
	}
	if err != nil {
		return Polled{}, err
	}
	out := Polled{Job: View(s, one, w.Now()), TimedOut: timedOut}
	if !in.Events {
		return out, nil
	}
	events, total, err := work.Jobs(s).Events(in.Job, in.Offset, cmp.Or(int(in.Limit), usualEvents))
	if err == nil {
		next := min(in.Offset, total) + len(events)
		more := next < total
		out.Events, out.Total, out.HasMore, out.NextOffset = verb.NoNil(events), &total, &more, &next
	}
	return out, err
}

// wait waits until the job changes, as the verb wait does, and reports whether the time was up before. One that has
// ended does not change. A caller whose context is small sleeps until its state or its phase changes, or it falls silent.
func (in PollIn) wait(ctx context.Context, w *verb.Workspace, s *store.Store, limit float64) (now job.Job, timedOut bool, err error) {
	var at activity.Waited
	var was job.Status
	end := time.Now().Add(time.Duration(limit * float64(time.Second)))
	for first := true; ; first = false {
		seconds := 0.0 // says where it stands, so that no change after that is missed
		if !first {
			seconds = max(0, time.Until(end).Seconds())
		}
		at, err = verb.Do(ctx, w, activity.Wait, activity.WaitIn{Job: in.Job, Timeout: &seconds, Cursor: at.Cursor})
		if err != nil {
			return now, false, err
		}
		if now, err = work.Jobs(s).Get(in.Job); err != nil || now.Status.State.Final() {
			return now, false, err
		}
		is := now.Status
		switch {
		case first:
			was = is
		case at.Code == activity.WaitTimeout || at.Code == activity.WaitInterrupted:
			return now, true, nil
		case !w.Bounded || is.State != was.State || is.Phase != was.Phase || is.Stalled != was.Stalled || is.Attempt != was.Attempt:
			return now, false, nil
		}
	}
}
