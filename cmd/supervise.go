package cmd

import (
	"context"
	"io"
	"os"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/runner"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/urfave/cli/v3"
)

// superviseCommand is cairn job supervise, the process that runs one job. Cairn starts it; no person types it.
type superviseCommand struct{ *program }

func (p superviseCommand) command() *cli.Command {
	return &cli.Command{
		Name:      "supervise",
		Usage:     "Run a job in this process; cairn starts it so for each job.",
		ArgsUsage: "JOB",
		Hidden:    true,
		Action:    p.run,
	}
}

// running is what the supervisor prints once the job is its own, with the id behind it. It prints nothing else, but an
// error before that.
const running = "running "

func (p superviseCommand) run(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return usage("needs the id of a job").WithHint("cairn job list shows them")
	}
	id, err := job.ParseID(c.Args().First())
	if err != nil {
		return err
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	// What this process starts is found by the name of the job, this process itself is not: its own environment began
	// without it.
	if err := os.Setenv(proc.JobVariable, id); err != nil {
		return err
	}
	r := p.runner()
	r.Owned = func() {
		p.printf("%s%s\n", running, id)
		if out, ok := p.Stdout.(io.Closer); ok {
			_ = out.Close() // who started it waits for that, and nobody reads any more
		}
	}
	return r.Run(ctx, w, id)
}

// runner is how this program runs jobs.
func (p *program) runner() runner.Runner { return runner.Runner{OpenPR: review.OpenPR} }

// foregroundFlag has a job run in the process that was asked for it, and not in one of its own.
const foregroundFlag = "foreground"

// jobOf are the job and the executor in whose environment the program runs, "" for none.
func (p *program) jobOf() (id, executor string) {
	id, err := job.ParseID(p.Getenv(proc.JobVariable))
	if err != nil {
		return "", ""
	}
	return id, actorName(p.Getenv("CAIRN_EXECUTOR"))
}
