package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// waitFlag has a command that starts a job return when that has ended.
const waitFlag = "wait"

// jobCommands are the commands about jobs that are no verbs.
func (p *program) jobCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "show", Usage: "Show a job with its story, or one of the files that it left.", ArgsUsage: "JOB [FILE]",
			Description: "FILE is patch.diff, out.md, logs.txt or pr.json.", Action: p.jobShow, Flags: formFlags(),
		},
		{
			Name: "logs", Usage: "Print what happened in a job, line by line.", ArgsUsage: "JOB",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Local: true, Usage: "go on until the job has ended"}},
			Action: p.jobLogs,
		},
		{
			Name: "retry", Usage: "Try a job again in the same work tree: one that lost its process goes on, of one that ended a new one begins.", ArgsUsage: "JOB",
			Flags: append(startFlags(), formFlags()...), Action: p.jobRetry,
		},
	}
}

// startFlags are the flags of the commands that start a job, beside those of the verb.
func startFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: foregroundFlag, Local: true, Usage: "run the job in this process, and return when it has ended"},
		&cli.BoolFlag{Name: waitFlag, Local: true, Usage: "return when the job has ended; it exits with 4 if that was no success"},
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

// namedJob is the job that a line names first, with what may follow, at most.
func (p *program) namedJob(ctx context.Context, c *cli.Command, most int) (*verb.Workspace, *store.Store, job.Job, error) {
	args := c.Args().Slice()
	if len(args) == 0 || len(args) > most {
		return nil, nil, job.Job{}, usage("needs %s", c.ArgsUsage).WithHint("cairn job list shows the jobs")
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	id, err := work.Jobs(s).Resolve(args[0])
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	one, err := work.Jobs(s).Get(id)
	return w, s, one, err
}

const storyLength = 20 // events of a job that show prints

func (p *program) jobShow(ctx context.Context, c *cli.Command) error {
	_, s, one, err := p.namedJob(ctx, c, 2)
	if err != nil {
		return err
	}
	if name := c.Args().Get(1); name != "" {
		return p.jobFile(s, one, name)
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
	out := jobs.Polled{Job: jobs.View(s, one, p.Now()), Events: events, Total: &total, HasMore: &more, NextOffset: &next}
	return p.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}

// jobFile prints a file that a job left, as it is.
func (p *program) jobFile(s *store.Store, one job.Job, name string) error {
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

func (p *program) jobLogs(ctx context.Context, c *cli.Command) error {
	_, s, one, err := p.namedJob(ctx, c, 1)
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
				p.logLine(e)
			}
			shown += len(events)
		}
	}
	if !c.Bool("follow") {
		return more()
	}
	return untilEnded(ctx, s, one.Spec.Job, more)
}

// logLine prints an event: for a program as one line of JSON.
func (p *program) logLine(e job.Event) {
	if !p.json {
		p.renderer(verb.Verb{}).Show(e)
		return
	}
	src, err := json.Marshal(e)
	if err == nil {
		_, _ = fmt.Fprintf(p.out, "%s\n", src)
	}
}

func (p *program) jobRetry(ctx context.Context, c *cli.Command) error {
	w, s, one, err := p.namedJob(ctx, c, 1)
	if err != nil {
		return err
	}
	start, _ := catalogue.Named("job_start")
	if err := p.checkForm(ctx, start); err != nil {
		return err
	}
	out, err := jobs.Retry(ctx, w, one.Spec.Job)
	if err != nil {
		return err
	}
	if now, err := work.Jobs(s).Get(out.Job); err == nil {
		out = jobs.View(s, now, p.Now())
	}
	p.exit = p.soften(jobs.ExitOfEnd(out))
	return p.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}
