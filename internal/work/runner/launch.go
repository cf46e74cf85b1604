package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
)

// exit is how the last run of the executor ended: the content of exit.json.
type exit struct {
	Exit   int    `json:"exit"`
	Signal string `json:"signal,omitempty"`
	Done   bool   `json:"done"`
	Failed bool   `json:"failed,omitempty"`
	Runs   int    `json:"runs"` // of the executor since the job was started or went on, crashed ones included
}

// execute runs the executor to its end. One that crashes is started again, after longer and longer pauses.
func (r *run) execute(ctx context.Context, more followUp) (executor.Result, error) {
	if err := show(r.owned, job.Working); err != nil {
		return executor.Result{}, err
	}
	backoff := r.Backoff
	if backoff == nil {
		backoff = job.Backoff
	}
	for crashes := 1; ; crashes++ {
		result, err := r.start(ctx, more)
		switch {
		case ctx.Err() != nil:
			return result, ctx.Err()
		case record.CodeOf(err) == record.ExecutorMissing:
			return result, or(job.ExecutorMissing, err)
		case err != nil:
			return result, or(job.ExecutorError, err)
		case result.Signal == "" || result.Done || r.session.now().Status != session.Active:
			return result, nil
		}
		pause, again := backoff(crashes)
		if !again {
			return result, failed(job.ExecutorError, "the executor was ended by %s, %d times", result.Signal, crashes)
		}
		r.note(fmt.Errorf("the executor was ended by %s; it is started again in %s", result.Signal, pause))
		select {
		case <-ctx.Done():
			return result, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// start runs the executor once. It keeps how the run ended, what it cost, and the id under which the executor can go on
// with it.
func (r *run) start(ctx context.Context, more followUp) (executor.Result, error) {
	resume := ""
	if r.agent.Resumes() && more != (followUp{}) {
		resume = r.owned.Job().Status.ResumeID
	}
	text, err := r.prompt(ctx, more, resume != "")
	if err == nil {
		err = r.owned.WriteFile(job.PromptFile, []byte(text))
	}
	if err != nil {
		return executor.Result{}, err
	}
	private, err := r.owned.Private()
	if err != nil {
		return executor.Result{}, err
	}
	actor, promptFile := r.session.Acts.Actor(), work.Jobs(r.s).File(r.spec.Job, job.PromptFile)
	env := append(slices.Clone(r.Env),
		"CAIRN_ACTOR="+string(actor), "CAIRN_SESSION="+r.session.id, proc.JobVariable+"="+r.spec.Job,
		"CAIRN_EXECUTOR="+r.spec.Executor, "CAIRN_TASK="+string(r.spec.Task), "CAIRN_PORT="+strconv.Itoa(r.ports),
		"CAIRN_PROMPT="+promptFile)
	// Cairn as the MCP server of the executor: it may change the one task, under the session of the job.
	cairn := executor.Cairn{
		Program: r.Program, Root: r.tree.Root, Actor: actor, Task: r.spec.Task, Profile: verb.PairWorker.String(),
		Client: r.spec.Executor,
	}
	budget := 0.0
	if r.spec.Budget > 0 {
		budget = max(r.spec.Budget-r.spent, 0.000001) // a budget that is used up must not become no limit
	}
	alive, stop := r.session.keepAlive(ctx)
	r.watch.pulse.begin(r.w.Now())
	result, err := r.agent.Start(alive, executor.Run{
		Dir: r.tree.Root, Prompt: text, PromptFile: promptFile, Model: r.spec.Model, Output: r.spec.Output,
		Resume: resume, MCP: cairn.Server(), Env: env, Private: private, Stdout: r.out, Stderr: r.problem, Event: r.watch.event,
		Budget: budget,
	})
	r.watch.pulse.end()
	lost := context.Cause(alive)
	stop()
	r.spent += result.Usage.Cost
	r.exit = exit{result.Exit, result.Signal, result.Done, result.Failed, r.exit.Runs + 1}
	known := r.owned.Job().Status
	if id := result.ResumeID; id != "" && id != known.ResumeID || r.spent != known.Cost {
		_ = r.owned.Change(func(s *job.Status) {
			s.Cost = r.spent
			if id != "" {
				s.ResumeID = id
			}
		})
	}
	var e *ended
	if errors.As(lost, &e) {
		return result, e
	}
	return result, err
}
