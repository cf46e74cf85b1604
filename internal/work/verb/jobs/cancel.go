package jobs

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// CancelIn is the input of Cancel.
type CancelIn struct {
	Job    string `json:"job" doc:"job to end" cli:"arg" from:"jobs"`
	Reason string `json:"reason,omitempty" doc:"why"`
	verb.Once
}

// cancelPatience is how long a caller waits for the supervisor of a job to carry a cancellation out: it ends the
// executor, which may be given some seconds to end by itself.
const cancelPatience = 20 * time.Second

// Cancel ends a job, and returns it as it is then. It returns ALREADY_TERMINAL if the job has ended, but for a call
// that is repeated under its key. The request stands if the supervisor takes longer than the caller waits.
func Cancel(ctx context.Context, w *verb.Workspace, s *store.Store, in CancelIn) (Job, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return Job{}, err
	}
	one, err := work.Jobs(s).Get(in.Job)
	if err == nil {
		err = w.InScope(one.Spec.Task)
	}
	if err != nil {
		return Job{}, err
	}
	if err := work.Jobs(s).Cancel(in.Job, w.Actor(), in.Reason); err != nil {
		return Job{}, verb.WithID(err, record.ID(in.Job))
	}
	if one.Status.State == job.Stale { // it has no supervisor that would end its session
		if err := letTaskGo(ctx, w, s, one.Spec.Task, cmp.Or(in.Reason, in.Job+" was canceled")); err != nil {
			return Job{}, err
		}
	}
	if err := w.RememberCall(ctx, s, session.Key{Session: in.Job}); err != nil {
		return Job{}, err
	}
	one, err = ended(ctx, s, in.Job, cancelPatience)
	return View(s, one, w.Now()), err
}

// Replay shows the job as it is now.
func (Job) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	one, err := work.Jobs(s).Get(made.Session)
	if err != nil {
		return Job{}, verb.NotHere(err, made.Session)
	}
	out := View(s, one, w.Now())
	out.Replayed = true
	return out, nil
}

// ended waits until a job has ended, for so long at most, and returns it as it is then.
func ended(ctx context.Context, s *store.Store, id string, patience time.Duration) (job.Job, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		one, err := work.Jobs(s).Get(id)
		if err != nil || one.Status.State.Final() {
			return one, err
		}
		select {
		case <-ctx.Done():
			return one, ctx.Err()
		case <-late.C:
			return one, nil
		case <-again.C:
		}
	}
}

// cancelLive cancels the jobs of a task that have not ended, if there are any. It returns BUSY if one does not end in
// time.
func cancelLive(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, why string) error {
	all, err := work.Jobs(s).List()
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Spec.Task != id || one.Status.State.Final() {
			continue
		}
		err := work.Jobs(s).Cancel(one.Spec.Job, w.Actor(), why)
		if err != nil && record.CodeOf(err) != record.AlreadyTerminal {
			return err
		}
		if one, err = ended(ctx, s, one.Spec.Job, cancelPatience); err != nil {
			return err
		}
		if !one.Status.State.Final() {
			return record.Errorf(record.Busy, "%s was told to end, and has not ended yet", one.Spec.Job).
				WithHint("%s, then try again", record.CallTo("job_poll", "job", one.Spec.Job, "wait", true).OnlyShown())
		}
	}
	return nil
}
