package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// jobSession is the session under which the executor works on the task. Another one follows when a round ends it and
// the job goes on.
type jobSession struct {
	owned *jobs.Owned
	spec  job.Spec
	acts  *verb.Workspace // the work tree, in the name of the executor
	at    *store.Store    // the same workspace
	id    string          // "" before begin
}

// begin goes on with the active session of the job, or opens one.
func (j *jobSession) begin(ctx context.Context) error {
	old := j.owned.Job().Status
	j.id = old.Session
	if j.status() == session.Active {
		if old.Actor == j.acts.Actor() {
			if err := j.acts.StillOurs(ctx, j.at, j.spec.Task); err != nil {
				return err
			}
			return j.began()
		}
		if err := j.cancelAs(ctx, old.Actor, "the job goes on as "+string(j.acts.Actor())); err != nil {
			return err
		}
	}
	return j.beginAnew(ctx)
}

// status is the status of the session, as the work tree has it; "" if there is none.
func (j *jobSession) status() session.Status {
	if j.id == "" {
		return ""
	}
	ses, err := kind.Sessions.Get(j.at, j.id)
	if err != nil {
		return ""
	}
	return ses.Status
}

// cancelAs cancels the session in the name of the actor to whom it belongs.
func (j *jobSession) cancelAs(ctx context.Context, who record.Actor, why string) error {
	_, err := verb.Do(ctx, j.acts.InNameOf(who), sessions.Cancel, sessions.CancelIn{Session: verb.SessionID(j.id), Reason: why})
	return err
}

// beginAnew opens a session. It first releases the task if its holder is not at work on it, and moves a task in review
// back to work.
func (j *jobSession) beginAnew(ctx context.Context) error {
	if err := j.release(ctx); err != nil {
		return err
	}
	if err := tasks.BackToWork(ctx, j.acts, j.at, j.spec.Task, j.spec.Job+" works on it"); err != nil {
		return err
	}
	attempt := j.owned.Job().Status.Attempt
	ses, err := verb.Do(ctx, j.acts, sessions.Begin, sessions.BeginIn{
		ID: j.spec.Task, ExpectedActor: string(j.acts.Actor()), IdempotencyKey: fmt.Sprintf("%s-%d", j.spec.Job, attempt),
		Model: j.spec.Model, Client: j.spec.Executor, Takeover: j.mayTakeOver(),
	})
	if err != nil {
		return err
	}
	j.id = ses.ID
	return j.began()
}

func (j *jobSession) began() error {
	return j.owned.Change(func(s *job.Status) { s.Session, s.Actor = j.id, j.acts.Actor() })
}

// hold is who holds the task, as the work tree sees it.
func (j *jobSession) hold() (session.Claim, error) {
	t, err := kind.Tasks.Get(j.at, j.spec.Task)
	if err != nil {
		return session.Claim{}, err
	}
	return session.Holder(t.Header(), j.at.Known(t.ID.Ref()), j.acts.Now()), nil
}

// mayTakeOver reports whether the claim on the task has lapsed. That of an earlier job whose supervisor is gone has,
// since only this job's lock is held.
func (j *jobSession) mayTakeOver() bool {
	h, err := j.hold()
	return err == nil && h.Lapsed
}

// release ends the hold on the task of these, who are not at work on it: an earlier job, since no other job of the task
// is live; an agent that handed the task over in this work tree; and the actor who asked for this job, unless they are
// in a session. Any other hold is left for Begin to refuse.
func (j *jobSession) release(ctx context.Context) error {
	h, err := j.hold()
	if err != nil || !h.Holds() || h.Mine(j.acts.Actor(), j.at.Worktree) && h.Session == "" {
		return err
	}
	if ses, err := kind.Sessions.Get(j.at, h.Session); err == nil && ses.Status == session.Active {
		if ses.Job == "" {
			return nil
		}
		j.id = ses.ID
		return j.cancelAs(ctx, ses.Actor, ses.Job+" has ended, and "+j.spec.Job+" goes on")
	}
	if h.Actor != j.spec.By && h.Worktree != j.at.Worktree {
		return nil
	}
	as := j.acts.InNameOf(h.Actor)
	if h.Worktree != "" && !h.Actor.Human() {
		as.Dir = h.Worktree
	}
	_, err = tasks.Release(ctx, as, tasks.ReleaseIn{ID: verb.RecordID(j.spec.Task), Reason: j.spec.Job + " works on it"})
	return err
}

// lostEvery is how often the session of a job looks whether its claim is lost.
const lostEvery = time.Second

// keepAlive sends heartbeats of the session until stop is called, and keeps its claim at the git remote. The work goes
// on if one fails. The context that it returns ends, with an *ended as its cause, once it is known that the remote gave
// the task to another clone.
func (j *jobSession) keepAlive(ctx context.Context) (alive context.Context, stop func()) {
	alive, end := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		verb.KeepClaims(alive, func() *verb.Workspace { return j.acts }, func() bool { return false }, func([]session.OwnClaim, error) {})
	})
	done.Go(func() {
		every(alive, max(j.at.Config.StaleAfter/3, time.Second), func() {
			_ = j.acts.WithoutKey().Beat(alive, j.at, session.Heartbeat{Session: j.id})
		})
	})
	done.Go(func() {
		every(alive, lostEvery, func() {
			if err := j.lost(); err != nil {
				end(err)
			}
		})
	})
	return alive, func() { end(nil); done.Wait() }
}

// every does something at regular intervals until ctx ends.
func every(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// lost is the end of a job whose claim the git remote gave to another clone, as far as this clone knows; whichever of
// its processes learned that. It is nil otherwise.
func (j *jobSession) lost() error {
	if !j.at.Shares() {
		return nil
	}
	to := j.at.Known(j.spec.Task.Ref()).Remote.LostTo(j.acts.Now())
	if to == nil {
		return nil
	}
	return or(job.ClaimLost, to.Lost(j.spec.Task))
}

// finish ends the session as finished, unless the executor did. It ends the job with CHECKS_FAILED if the checks of the
// task do not allow that.
func (j *jobSession) finish(ctx context.Context, summary string) error {
	if j.status() != session.Active {
		return nil
	}
	_, err := verb.Do(ctx, j.acts, sessions.Finish, sessions.FinishIn{Session: verb.SessionID(j.id), Summary: summary})
	var refused *record.Error
	if errors.As(err, &refused) && (refused.Code == record.ChecksPending || refused.Code == record.ChecksFailed) {
		return failed(job.ChecksFailed, "%s", refused.Msg)
	}
	return err
}

// giveUp ends the session of a job that did not succeed, as canceled or as failed. A task that was handed over already
// goes back to work, held by nobody.
func (j *jobSession) giveUp(ctx context.Context, canceled bool, why string) error {
	switch j.status() {
	case session.Active:
		if canceled {
			_, err := verb.Do(ctx, j.acts, sessions.Cancel, sessions.CancelIn{Session: verb.SessionID(j.id), Reason: why})
			return err
		}
		_, err := verb.Do(ctx, j.acts, sessions.Finish, sessions.FinishIn{Session: verb.SessionID(j.id), Summary: why, Status: "failed"})
		return err
	case session.Finished:
		err := tasks.BackToWork(ctx, j.acts, j.at, j.spec.Task, why)
		_, released := tasks.Release(ctx, j.acts, tasks.ReleaseIn{ID: verb.RecordID(j.spec.Task), Reason: why})
		return errors.Join(err, released)
	default:
		return nil
	}
}

// said is what the session says of its end: its summary and its reason, on one line.
func (j *jobSession) said() string {
	ses, err := kind.Sessions.Get(j.at, j.id)
	if err != nil {
		return record.MessageOf(err)
	}
	return oneLine(ses.Summary + " " + ses.Reason)
}
