// Package jobs holds the verbs of jobs: attempts at tasks that cairn runs with a program. They create, show and cancel
// jobs (internal/work/jobs); the process that runs one is internal/work/runner, which a front-end starts.
package jobs

import (
	"cmp"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
)

// Verbs are the verbs of jobs.
var Verbs = verb.Group{Name: "jobs", Noun: "job", Toolset: verb.Jobs}.Of(
	verb.Declare(Start, verb.Verb{Name: "job_start", Title: "Start a job", Kind: verb.Write,
		Profile: verb.PairWorker, Scopes: true, Exit: exitOfStart,
		Summary: "Have a program work on a task, in a work tree and on a branch of its own, until it hands over and the task's checks have run there.",
		When:    "To hand a task to another agent. The answer comes at once; job_poll with wait follows it. The job never closes the task.",
	}),
	verb.Declare(Poll, verb.Verb{Name: "job_poll", Title: "Read a job", Waits: true, Slim: true, Exit: exitOfPoll,
		Summary: "Read a job: its state, what became of it, its files; if asked, wait for a change, and page through its events.",
		When:    "After job_start, with wait true, until the state is SUCCEEDED, FAILED, CANCELED, EXPIRED, STALE or WAITING.",
	}),
	verb.Declare(List, verb.Verb{Name: "job_list", Title: "List jobs", Slim: true,
		Summary: "List the jobs of this clone that fit all filters given, the newest first.",
		When:    "To see what runs, what waits, and what failed.",
	}),
	verb.Declare(Say, verb.Verb{Name: "job_say", Title: "Say something to a job", Kind: verb.Write,
		Profile: verb.Operator, Scopes: true,
		Summary: "Tell the program of a running or waiting job something; it is also kept as a note of the task.",
		When:    "When the work goes the wrong way, or something new is known. The answer says whether it was told now or waits for the next round.",
	}),
	verb.Declare(Cancel, verb.Verb{Name: "job_cancel", Title: "Cancel a job", Kind: verb.Write,
		Profile: verb.PairWorker, Scopes: true,
		Summary: "End a job that has not ended; its work tree and branch stay.",
		When:    "When the work is not wanted any more, or goes wrong.",
	}),
	verb.Declare(Discard, verb.Verb{Name: "job_discard", Title: "Give an attempt up", Kind: verb.Write,
		Profile: verb.Operator, Scopes: true,
		Summary: "Give up what was done on a task in its work tree: its job ends, nobody holds it any more, and its work is kept on a branch of its own (cairn/ID.1).",
		When:    "When a task is to be begun anew, or is stuck, whatever state its work tree is in.",
	}),
)

// Job is a job as every verb returns it.
type Job struct {
	Job        string       `json:"job"`
	Task       record.ID    `json:"task"`
	Session    string       `json:"session,omitempty"` // under which the executor works; the newest one
	Executor   string       `json:"executor"`
	Model      string       `json:"model,omitempty"`
	Output     job.Output   `json:"output"`
	State      job.State    `json:"state"`
	Phase      job.Phase    `json:"phase,omitempty"`
	Version    int          `json:"version"`
	Attempt    int          `json:"attempt"`  // the round that it is in; 0 while queued
	Attempts   int          `json:"attempts"` // further rounds that it may have after the first
	Reason     job.Reason   `json:"reason,omitempty"`
	Message    string       `json:"message,omitempty"`
	Question   string       `json:"question,omitempty"` // the handoff whose answer it waits for, or is about to be given
	Stalled    bool         `json:"stalled,omitempty"`  // it is silent for long
	Priority   job.Priority `json:"priority"`
	By         record.Actor `json:"by"`              // who asked for it
	Actor      record.Actor `json:"actor,omitempty"` // as whom the executor acts
	Branch     string       `json:"branch,omitempty"`
	Worktree   string       `json:"worktree,omitempty"`
	Base       string       `json:"base,omitempty"`
	BaseCommit string       `json:"base_commit,omitempty"`
	Head       string       `json:"head,omitempty"`
	CreatedAt  time.Time    `json:"created_at"`
	StartedAt  time.Time    `json:"started_at,omitzero"`
	FinishedAt time.Time    `json:"finished_at,omitzero"`
	DurationMS int64        `json:"duration_ms,omitempty"`
	job.Usage               // as the executor told
	RetryOf    string       `json:"retry_of,omitempty"`
	Summary    string       `json:"summary,omitempty"`
	Artifacts  []Artifact   `json:"artifacts"`
	PR         *job.PR      `json:"pr,omitempty"`

	// Of a job that waits for a slot.
	Code          string         `json:"code,omitempty"` // START_PENDING
	NextTool      string         `json:"next_tool,omitempty"`
	NextArguments map[string]any `json:"next_arguments,omitempty"`

	Replayed bool `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Artifact is a file that a job left for whoever reads it.
type Artifact struct {
	Name  string `json:"name"`
	URI   string `json:"uri"`
	Bytes int64  `json:"bytes"`
}

// StartPending is the code of a job that waits for a slot.
const StartPending = "START_PENDING"

// View is a job as every verb shows it.
func View(at *store.Store, one job.Job, now time.Time) Job {
	spec, s := one.Spec, one.Status
	out := Job{
		Job: spec.Job, Task: spec.Task, Session: s.Session, Executor: spec.Executor, Model: spec.Model, Output: spec.Output, State: s.State, Phase: s.Phase,
		Version: s.Version, Attempt: s.Attempt, Attempts: spec.Attempts, Reason: s.Reason, Message: s.Message, Question: s.Question, Stalled: s.Stalled, Priority: spec.Priority,
		By: spec.By, Actor: s.Actor, Branch: s.Branch, Worktree: s.Worktree, Base: cmp.Or(s.Base, spec.Base), BaseCommit: cmp.Or(s.BaseCommit, spec.BaseCommit),
		Head: s.Head, CreatedAt: spec.CreatedAt, StartedAt: s.StartedAt, FinishedAt: s.FinishedAt, DurationMS: s.Duration(now).Milliseconds(), Usage: s.Usage,
		RetryOf: spec.Retries, Summary: s.Summary, Artifacts: []Artifact{}, PR: s.PR,
	}
	for _, a := range job.Artifacts {
		parts, bytes := work.Jobs(at).Left(spec.Job, a), int64(0)
		for _, part := range parts {
			bytes += part.Bytes
		}
		if len(parts) > 0 {
			out.Artifacts = append(out.Artifacts, Artifact{a.Name, job.ArtifactURI(spec.Job, a.Name), bytes})
		}
	}
	if s.State == job.Queued {
		out.Code = StartPending
		next := record.CallTo("job_poll", "job", spec.Job, "wait", true)
		out.NextTool, out.NextArguments = next.Verb, map[string]any{"job": spec.Job, "wait": true}
	}
	return out
}

// ExitOfEnd says whether a job ended without success.
func ExitOfEnd(one Job) int {
	if one.State.Final() && one.State != job.Succeeded || one.State == job.Stale || one.State == job.Waiting {
		return verb.ExitCheckFailed
	}
	return 0
}

// exitOfStart is that of a job that has ended by the time it is answered with, because the caller waited for it.
func exitOfStart(out any) int {
	if one := out.(Job); !one.Replayed {
		return ExitOfEnd(one)
	}
	return 0
}
