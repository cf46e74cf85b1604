package jobs

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
)

// Retry tries a job again, in the work tree that it left: a STALE one goes on under its id, as does one that waits for
// an answer, without it; for one that has ended
// a new one begins, with the same spec and the id of the old one in retry_of. It returns ALREADY_CLAIMED for a job that
// is at work, and otherwise what Start refuses. A fresh one begins at the base: what the work tree has is given up, as
// Discard does.
func Retry(ctx context.Context, w *verb.Workspace, id string, fresh bool) (Job, error) {
	s, err := w.Open()
	if err != nil {
		return Job{}, err
	}
	old, err := work.Jobs(s).Get(id)
	if err == nil && fresh && !old.Status.State.Live() {
		if _, err = discard(ctx, w, s, old.Spec.Task, "started anew"); err == nil {
			old, err = work.Jobs(s).Get(id)
		}
	}
	if err == nil {
		err = mayRetry(ctx, w, s, old)
	}
	if err != nil {
		return Job{}, err
	}
	if old.Status.State == job.Stale || old.Status.State == job.Waiting {
		return goOn(ctx, w, s, old)
	}
	token, err := record.Token(w.Now(), w.Rand)
	if err != nil {
		return Job{}, err
	}
	st := starter{w: w, s: s, spec: old.Spec} // its time to live begins anew, and no idempotency key stands for it
	spec := &st.spec
	spec.Job, spec.Retries, spec.By, spec.CreatedAt = job.Prefix+"-"+token, old.Spec.Job, w.Actor(), w.Now().UTC()
	spec.Key, spec.Asked = "", ""
	return st.create(ctx)
}

// mayRetry asks again what Start asks before there is a job.
func mayRetry(ctx context.Context, w *verb.Workspace, s *store.Store, old job.Job) error {
	if old.Status.State.Live() {
		return record.Errorf(record.AlreadyClaimed, "%s is at work (%s)", old.Spec.Job, old.Status.State).
			WithHint("%s follows it", record.CallTo("job_poll", "job", old.Spec.Job, "wait", true).OnlyShown())
	}
	if err := mayStart(ctx, w, s); err != nil {
		return err
	}
	ex, err := chosen(w, s, old.Spec.Executor)
	if err == nil {
		err = cmp.Or(ex.Holds(old.Spec.Budget, old.Spec.Tokens), ex.Present(), confined(w, s, ex))
	}
	if err != nil {
		return err
	}
	return verb.WithID(mayWork(ctx, w, s, old.Spec.Task, old.Spec.Executor), old.Spec.Task)
}

func goOn(ctx context.Context, w *verb.Workspace, s *store.Store, old job.Job) (Job, error) {
	all, err := work.Jobs(s).List()
	if err != nil {
		return Job{}, err
	}
	st := starter{w: w, s: s, spec: job.Spec{Task: old.Spec.Task, Job: old.Spec.Job}}
	st.look(ctx)
	if _, err := st.admit(all); err != nil {
		return Job{}, verb.WithID(err, old.Spec.Task)
	}
	owned, err := work.Jobs(s).Own(old.Spec.Job)
	if err != nil {
		return Job{}, err
	}
	err = owned.Change(func(s *job.Status) { s.State, s.Reason, s.Message = job.Queued, "", "goes on" })
	if release := owned.Release(); err == nil {
		err = release
	}
	if err != nil {
		return Job{}, err
	}
	return supervise(ctx, w, s, old.Spec.Job)
}
