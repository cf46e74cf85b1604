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
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// jobSession is the session under which the executor works on the task. Another one follows when a round ends it and
// the job goes on.
type jobSession struct {
	desk.Desk
	owned *jobs.Owned
	spec  job.Spec
	id    string   // "" before begin
	ids   []string // of the sessions that this job had, this one last
}

// begin goes on with the active session of the job, or opens one.
func (j *jobSession) begin(ctx context.Context) error {
	old := j.owned.Job().Status
	j.id = old.Session
	if j.now().Status == session.Active {
		if old.Actor == j.Acts.Actor() {
			if err := j.Acts.StillOurs(ctx, j.At, j.Task); err != nil {
				return err
			}
			return j.began()
		}
		if err := j.Cancel(ctx, j.id, old.Actor, "the job goes on as "+string(j.Acts.Actor())); err != nil {
			return err
		}
	}
	return j.beginAnew(ctx)
}

// now is the session as the work tree has it; the zero value if there is none.
func (j *jobSession) now() session.Session {
	if j.id == "" {
		return session.Session{}
	}
	ses, err := kind.Sessions.Get(j.At, j.id)
	if err != nil {
		return session.Session{}
	}
	return ses
}

func (j *jobSession) beginAnew(ctx context.Context) error {
	s := j.owned.Job().Status
	key := fmt.Sprintf("%s-%d", j.Job, s.Attempt)
	if s.Questions > 0 {
		key += fmt.Sprintf("-%d", s.Questions)
	}
	id, err := j.Begin(ctx, sessions.BeginIn{IdempotencyKey: key, Model: j.spec.Model, Client: j.spec.Executor})
	if err != nil {
		return err
	}
	j.id = id
	return j.began()
}

func (j *jobSession) began() error {
	j.ids = append(j.ids, j.id)
	return j.owned.Change(func(s *job.Status) { s.Session, s.Actor = j.id, j.Acts.Actor() })
}

// lostEvery is how often the session of a job looks whether its claim is lost.
const lostEvery = time.Second

// keepAlive sends heartbeats of the session until stop is called, keeps its claim at the git remote, and asks that who
// has it. The work goes
// on if one fails. The context that it returns ends, with an *ended as its cause, once it is known that the remote gave
// the task to another clone, whichever process of this clone learned that.
func (j *jobSession) keepAlive(ctx context.Context) (alive context.Context, stop func()) {
	alive, end := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		verb.KeepClaims(alive, func() *verb.Workspace { return j.Acts }, func() bool { return true }, func([]session.OwnClaim, error) {})
	})
	done.Go(func() {
		every(alive, max(j.At.Config.StaleAfter/3, time.Second), func() {
			_ = j.Acts.WithoutKey().Beat(alive, j.At, session.Heartbeat{Session: j.id})
		})
	})
	if j.At.Shares() {
		done.Go(func() {
			every(alive, lostEvery, func() {
				if to := j.At.Known(j.Task.Ref()).Remote.LostTo(j.Acts.Now()); to != nil {
					end(or(job.ClaimLost, to.Lost(j.Task)))
				}
			})
		})
	}
	return alive, func() { end(nil); done.Wait() }
}

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

// uses writes into the record of the session what was used in it, whether or not the executor has ended it.
func (j *jobSession) uses(ctx context.Context, used job.Usage) error {
	_, err := verb.Change{Kind: kind.Sessions.Kind, IDs: []string{j.id}, Decide: func(wc verb.WriteContext) (any, error) {
		ses := wc.Was.(session.Session)
		return ses.Using(session.Usage{
			Input: int(used.InputTokens), Cached: int(used.CachedTokens), Output: int(used.OutputTokens), Cost: session.Dollars(used.Cost),
		}, j.Acts.Stamp("")), nil
	}}.Run(ctx, j.Acts.WithoutKey(), j.At)
	return err
}

// finish ends the session as finished, unless the executor did. It ends the job with CHECKS_FAILED if the checks of the
// task do not allow that.
func (j *jobSession) finish(ctx context.Context, summary string) error {
	if j.now().Status != session.Active {
		return nil
	}
	_, err := verb.Do(ctx, j.Acts, sessions.Finish, sessions.FinishIn{Session: verb.SessionID(j.id), Summary: summary})
	var refused *record.Error
	if errors.As(err, &refused) && (refused.Code == record.ChecksPending || refused.Code == record.ChecksFailed) {
		return failed(job.ChecksFailed, "%s", refused.Msg)
	}
	return err
}

// giveUp ends the session of a job that did not succeed, as canceled or as failed. A task that was handed over already
// goes back to work, held by nobody.
func (j *jobSession) giveUp(ctx context.Context, canceled bool, why string) error {
	switch status := j.now().Status; {
	case status == session.Active && canceled:
		return j.Cancel(ctx, j.id, j.Acts.Actor(), why)
	case status == session.Active:
		in := sessions.FinishIn{Session: verb.SessionID(j.id), Summary: why, Status: "failed"}
		_, err := verb.Do(ctx, j.Acts, sessions.Finish, in)
		return err
	case status == session.Finished:
		err := tasks.BackToWork(ctx, j.Acts, j.At, j.Task, why)
		_, released := verb.Do(ctx, j.Acts, tasks.Release, tasks.ReleaseIn{ID: verb.RecordID(j.Task), Reason: why})
		return errors.Join(err, released)
	default:
		return nil
	}
}
