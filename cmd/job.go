package cmd

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/cmd/background"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/runner"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/remote"
)

// startIn is what the commands that start a job take beside the fields of the verb.
type startIn struct {
	Foreground bool `json:"foreground,omitempty" doc:"run the job in this process, and return when it has ended"`
	Wait       bool `json:"wait,omitempty" doc:"return when the job has ended; it exits with 4 if that was no success"`
}

// The flags of startIn.
const (
	foregroundFlag = "foreground"
	waitFlag       = "wait"
)

type jobIn struct {
	Job string `json:"job" doc:"the job" cli:"arg" from:"jobs"`
}

type jobShowIn struct {
	jobIn
	File string `json:"file,omitempty" doc:"a file that it left" cli:"arg" values:"patch.diff,out.md,logs.txt,pr.json"`
}

type jobLogsIn struct {
	jobIn
	Follow bool `json:"follow,omitempty" doc:"go on until the job has ended" cli:"also=f"`
}

type jobRetryIn struct {
	jobIn
	startIn
}

// jobCommands are the commands about jobs that are no verbs.
func jobCommands() []command {
	return []command{
		declare(command{
			name: "job show", usage: "Show a job with its story, or one of the files that it left.", prints: "job_poll",
			about: "FILE is patch.diff, out.md, logs.txt or pr.json.",
		}, jobShow),
		declare(command{name: "job logs", usage: "Print what happened in a job, line by line."}, jobLogs),
		declare(command{
			name: "job retry", prints: "job_start",
			usage: "Try a job again in the same work tree: one that lost its process goes on, of one that ended a new one begins.",
		}, jobRetry),
		declare(command{name: "job supervise", usage: "Run a job in this process; cairn starts it so for each job.", hidden: true}, superviseJob),
	}
}

// awaiting starts the supervisor of a job, and returns when the job has ended.
func awaiting(start func(context.Context, *verb.Workspace, string) error) func(context.Context, *verb.Workspace, string) error {
	return func(ctx context.Context, w *verb.Workspace, id string) error {
		if err := start(ctx, w, id); err != nil {
			return err
		}
		s, err := w.Open()
		if err != nil {
			return err
		}
		return untilEnded(ctx, s, id, func() error { return nil })
	}
}

// lookEvery is how often a job is looked at that somebody follows.
const lookEvery = 200 * time.Millisecond

// untilEnded calls a function again and again until a job is not at work any more, and once after that.
func untilEnded(ctx context.Context, s *store.Store, id string, each func() error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		one, err := work.Jobs(s).Get(id) // before the call, so that what comes before the end is seen
		if err == nil {
			err = each()
		}
		if err != nil || !one.Status.State.Live() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// namedJob is the job that a line names.
func (c *call) namedJob(ctx context.Context, in jobIn) (*verb.Workspace, *store.Store, job.Job, error) {
	w, s, err := c.open(ctx)
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	id, err := work.Jobs(s).Resolve(in.Job)
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	one, err := work.Jobs(s).Get(id)
	return w, s, one, err
}

const storyLength = 20 // events of a job that show prints

func jobShow(ctx context.Context, c *call, in jobShowIn) error {
	_, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	if in.File != "" {
		return c.jobFile(s, one, in.File)
	}
	_, total, err := work.Jobs(s).Events(one.Spec.Job, 0, 0)
	if err != nil {
		return err
	}
	first := max(total-storyLength, 0)
	events, total, err := work.Jobs(s).Events(one.Spec.Job, first, storyLength)
	if err != nil {
		return err
	}
	more, next := false, first+len(events)
	out := jobs.Polled{Job: jobs.View(s, one, c.Now()), Events: events, Total: &total, HasMore: &more, NextOffset: &next}
	return c.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}

// jobFile prints a file that a job left, as it is.
func (p *call) jobFile(s *store.Store, one job.Job, name string) error {
	i := slices.IndexFunc(job.Artifacts, func(a job.Artifact) bool { return a.Name == name })
	if i < 0 {
		return usage("there is no file %q of a job", name).WithHint("patch.diff, out.md, logs.txt or pr.json")
	}
	parts, err := work.Jobs(s).Artifact(one, job.Artifacts[i])
	if err != nil {
		return err
	}
	for _, part := range parts {
		src, err := part.Read(maxInput)
		if err != nil {
			return err
		}
		p.printf("%s", screen.Lines(src))
	}
	return nil
}

func jobLogs(ctx context.Context, c *call, in jobLogsIn) error {
	_, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	shown := 0
	more := func() error {
		for {
			events, _, err := work.Jobs(s).Events(one.Spec.Job, shown, 500)
			if err != nil || len(events) == 0 {
				return err
			}
			for _, e := range events {
				if err := c.logLine(e); err != nil {
					return err
				}
			}
			shown += len(events)
		}
	}
	if !in.Follow {
		return more()
	}
	return untilEnded(ctx, s, one.Spec.Job, more)
}

// logLine prints an event: for a program as one line of JSON.
func (p *call) logLine(e job.Event) error {
	if p.json {
		return json.NewEncoder(p.out).Encode(e)
	}
	p.renderer(verb.Verb{}).Event(e)
	return nil
}

func jobRetry(ctx context.Context, c *call, in jobRetryIn) error {
	w, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	out, err := jobs.Retry(ctx, w, one.Spec.Job)
	if err != nil {
		return err
	}
	if now, err := work.Jobs(s).Get(out.Job); err == nil {
		out = jobs.View(s, now, c.Now())
	}
	c.exit = c.soften(jobs.ExitOfEnd(out))
	return c.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}

// superviseJob is cairn job supervise, the process that runs one job. Cairn starts it; no person types it.
func superviseJob(ctx context.Context, p *call, in jobIn) error {
	id, err := job.ParseID(in.Job)
	if err != nil {
		return err
	}
	w, err := p.workspace(ctx)
	if err != nil {
		return err
	}
	// What this process starts is found by the name of the job, this process itself is not: its own environment began
	// without it.
	if err := os.Setenv(proc.JobVariable, id); err != nil {
		return err
	}
	r := jobRunner
	r.Owned = func() {
		p.printf("%s%s\n", background.Running, id)
		if out, ok := p.Stdout.(io.Closer); ok {
			_ = out.Close() // who started it waits for that, and nobody reads any more
		}
	}
	return r.Run(ctx, w, id)
}

// jobRunner is how this program runs jobs.
var jobRunner = runner.Runner{OpenPR: review.OpenPR}

// jobOf are the job and the executor in whose environment the program runs, "" for none.
func (p Env) jobOf() (id, executor string) {
	id, err := job.ParseID(p.Getenv(proc.JobVariable))
	if err != nil {
		return "", ""
	}
	return id, actorName(p.Getenv("CAIRN_EXECUTOR"))
}

// backgroundVariable set to off keeps commands from starting a process that tells the git remote of claims; then cairn
// remote sync does.
const backgroundVariable = "CAIRN_CLAIMS_BACKGROUND"

// keepClaims has a process of its own tell the git remote what it does not know yet, and ask it what is old, after a
// command that wrote. The command does not wait for it. It is started at most every ten seconds, and not while another
// process asks the remote.
func (p *program) keepClaims(w *verb.Workspace) {
	if p.Getenv(backgroundVariable) == "off" {
		return
	}
	s, err := w.Open()
	if err != nil || !s.Shares() || !remote.Of(s, w.Actor(), w.Now).WantsSync() {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := background.Command([]string{self}, []string{"--json", "-C", s.Root, "--actor", string(w.Actor()), "remote", "keep"}, s.Root)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// remoteCommands are cairn remote keep, which tells the git remote what it does not know yet, within what the budget has
// to spare. Cairn starts it after commands that write; no person types it.
func remoteCommands() []command {
	return []command{declare(command{
		name: "remote keep", usage: "Keep claims at the git remote; cairn starts it so in the background.", hidden: true,
	}, func(ctx context.Context, c *call, _ nothing) error {
		w, s, err := c.open(ctx)
		if err != nil || !s.Shares() {
			return err
		}
		_, err = remote.Of(s, w.Actor(), w.Now).Sync(ctx)
		return err
	})}
}
