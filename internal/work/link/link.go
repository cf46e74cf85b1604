// Package link answers what the core asks of cairn's own work, as a verb.Wing.
package link

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	verbs "github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
)

// Wing is the work of internal/work.
func Wing() verb.Wing {
	var states []record.Status
	for _, s := range job.States {
		states = append(states, record.Status(s))
	}
	return verb.Wing{
		Unmerged:  trees.Unmerged,
		Place:     placeOf,
		Conflicts: trees.ConflictsBeside,
		IsJob: func(id string) bool {
			_, err := job.ParseID(id)
			return err == nil
		},
		JobStates: states,
		Job: func(s *store.Store, id string) (verb.Job, error) {
			one, err := work.Jobs(s).Get(id)
			return jobOf(s, one), err
		},
		Jobs: func(s *store.Store) ([]verb.Job, error) {
			all, _, err := work.Jobs(s).All()
			return jobsOf(s, all), err
		},
		PeekJobs: func(s *store.Store) ([]verb.Job, error) {
			all, err := work.Jobs(s).Peek()
			return jobsOf(s, all), err
		},
		Parked:  parked,
		Wake:    func(ctx context.Context, w *verb.Workspace, s *store.Store) { verbs.Wake(ctx, w, s) },
		FilesIn: work.FilesIn,

		GoesInto:  work.GoesInto,
		Throwaway: work.Throwaway,
		Sweep:     work.Sweep,
		PutFile:   worktree.PutFile,
	}
}

func parked(s *store.Store) map[record.ID]string {
	out := map[record.ID]string{}
	if s.Repo == nil {
		return out
	}
	trees, err := work.Trees(s, time.Now)
	if err != nil {
		return out
	}
	for _, tip := range s.Repo.Local().Tips() {
		id, ok := worktree.ParkedFor(tip.Name)
		if _, made, err := trees.Find(id); !ok || made || err != nil {
			continue
		}
		if was := out[id]; len(tip.Name) > len(was) || len(tip.Name) == len(was) && tip.Name > was {
			out[id] = tip.Name
		}
	}
	return out
}

func placeOf(ctx context.Context, w *verb.Workspace, id record.ID) (verb.Place, error) {
	p, err := trees.OnTask(ctx, w, id)
	if err != nil {
		return verb.Place{}, err
	}
	review := func(ctx context.Context) (any, error) {
		r, err := p.Review(ctx)
		if r == nil {
			return nil, err
		}
		return r, err
	}
	return verb.Place{W: p.W, S: p.S, Task: p.Task, Review: review, Diff: p.Diff}, nil
}

func jobsOf(s *store.Store, all []job.Job) []verb.Job {
	var out []verb.Job
	for _, one := range all {
		out = append(out, jobOf(s, one))
	}
	return out
}

func jobOf(s *store.Store, one job.Job) verb.Job {
	now := one.Status
	return verb.Job{
		ID: one.Spec.Job, Task: one.Spec.Task, Executor: one.Spec.Executor, By: one.Spec.By, Actor: now.Actor, Session: now.Session,
		Ended: cmp.Or(now.FinishedAt, one.Spec.CreatedAt), State: record.Status(now.State), Live: now.State.Live(), Stalled: now.Stalled,
		Why: whyStopped(now), Used: used(now.Usage), Retry: func() string { return retryOf(s, one) },
		Row:  jobRow{now.State, now.Phase, now.Version, now.Attempt, now.Reason, now.Stalled, now.Session, now.Summary, now.PR, now.Usage},
		Show: func(at time.Time) any { return verbs.View(s, one, at) },
	}
}

func used(u job.Usage) string {
	if u == (job.Usage{}) {
		return ""
	}
	return u.Tokens() + " tokens, " + u.Dollars()
}

// retryOf is the command that tries a job again.
func retryOf(s *store.Store, one job.Job) string {
	command := "cairn job retry " + one.Spec.Job
	if trees.Fresh(s, one) {
		command += " --fresh"
	}
	return command
}

// whyStopped says why a job failed or stopped; "" for one that succeeded, that somebody canceled, or that is live.
func whyStopped(s job.Status) string {
	switch s.State {
	case job.Failed:
		return strings.TrimSuffix(string(s.Reason)+": "+s.Message, ": ")
	case job.Stale, job.Expired:
		return cmp.Or(s.Message, strings.ToLower(string(s.State)))
	default:
		return ""
	}
}

// jobRow is what can change of a job. Its events do not.
type jobRow struct {
	State   job.State  `json:"state"`
	Phase   job.Phase  `json:"phase"`
	Version int        `json:"version"`
	Attempt int        `json:"attempt"`
	Reason  job.Reason `json:"reason"`
	Stalled bool       `json:"stalled"`
	Session string     `json:"session"`
	Summary string     `json:"summary"`
	PR      *job.PR    `json:"pr"`
	Usage   job.Usage  `json:"usage"`
}
