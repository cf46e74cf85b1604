package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
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

// launcher starts the executor in the work tree, and again after a crash. It adds up what the runs cost.
type launcher struct {
	agent        Agent
	backoff      func(crash int) (time.Duration, bool) // nil for job.Backoff
	program, env []string                              // Program and Env of the Runner
	ports        int                                   // the first port of the job's block
	out, problem io.Writer                             // logs of what the executor prints
	promptFile   string                                // where the prompt is kept

	owned   *jobs.Owned
	spec    job.Spec
	now     func() time.Time
	tree    *workTree
	session *jobSession
	watch   *watch

	exit  exit    // of the last run
	spent float64 // US dollars, in all runs
}

// execute runs the executor to its end. One that crashes is started again, after longer and longer pauses.
func (l *launcher) execute(ctx context.Context, more followUp) (executor.Result, error) {
	if err := show(l.owned, job.Working); err != nil {
		return executor.Result{}, err
	}
	for crashes := 1; ; crashes++ {
		result, err := l.start(ctx, more)
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		if record.CodeOf(err) == record.ExecutorMissing {
			return result, or(job.ExecutorMissing, err)
		}
		if err != nil {
			return result, or(job.ExecutorError, err)
		}
		if result.Signal == "" || result.Done || l.session.status() != session.Active {
			return result, nil
		}
		backoff := l.backoff
		if backoff == nil {
			backoff = job.Backoff
		}
		pause, again := backoff(crashes)
		if !again {
			return result, failed(job.ExecutorError, "the executor was ended by %s, %d times", result.Signal, crashes)
		}
		_ = l.owned.Event(job.Event{Type: job.EventError, Text: fmt.Sprintf("the executor was ended by %s; it is started again in %s", result.Signal, pause)})
		select {
		case <-ctx.Done():
			return result, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// start runs the executor once.
func (l *launcher) start(ctx context.Context, more followUp) (executor.Result, error) {
	resume := ""
	if l.agent.Resumes() && more != (followUp{}) {
		resume = l.owned.Job().Status.ResumeID
	}
	brief := briefing{spec: l.spec, branch: l.tree.Branch, at: l.tree.at, acts: l.session.acts, session: l.session.id, handsOver: l.agent.HandsOver()}
	text, err := brief.reminder(more), error(nil)
	if resume == "" {
		if text, err = brief.prompt(ctx, more); err != nil {
			return executor.Result{}, err
		}
	}
	if err := l.owned.WriteFile(job.PromptFile, []byte(text)); err != nil {
		return executor.Result{}, err
	}
	private, err := l.owned.Private()
	if err != nil {
		return executor.Result{}, err
	}
	// Cairn as the MCP server of the executor: it may change the one task, under the session of the job.
	cairn := executor.Cairn{
		Program: l.program, Root: l.tree.Root, Actor: l.session.acts.Actor(), Task: l.spec.Task,
		Profile: verb.PairWorker.String(), Client: l.spec.Executor,
	}
	alive, stop := l.session.keepAlive(ctx)
	l.watch.pulse.begin(l.now())
	result, err := l.agent.Start(alive, executor.Run{
		Dir: l.tree.Root, Prompt: text, PromptFile: l.promptFile, Model: l.spec.Model, Output: l.spec.Output, Resume: resume,
		MCP: cairn.Server(), Env: l.environ(), Private: private, Stdout: l.out, Stderr: l.problem, Event: l.watch.event,
		Budget: l.leftToSpend(),
	})
	l.watch.pulse.end()
	lost := context.Cause(alive)
	stop()
	l.account(result)
	var e *ended
	if errors.As(lost, &e) {
		return result, e
	}
	return result, err
}

// account keeps how a run ended, what it cost, and the id under which the executor can go on with it.
func (l *launcher) account(result executor.Result) {
	l.spent += result.Usage.Cost
	l.exit = exit{Exit: result.Exit, Signal: result.Signal, Done: result.Done, Failed: result.Failed, Runs: l.exit.Runs + 1}
	known := l.owned.Job().Status
	if id := result.ResumeID; id != "" && id != known.ResumeID || l.spent != known.Cost {
		_ = l.owned.Change(func(s *job.Status) {
			s.Cost = l.spent
			if result.ResumeID != "" {
				s.ResumeID = result.ResumeID
			}
		})
	}
}

// leftToSpend is what the executor may still cost, in US dollars; 0 for no limit.
func (l *launcher) leftToSpend() float64 {
	if l.spec.Budget == 0 {
		return 0
	}
	return max(l.spec.Budget-l.spent, 0.000001) // a budget that is used up must not become no limit
}

// environ is the environment of the executor, on top of what it inherits.
func (l *launcher) environ() []string {
	return append(append([]string{}, l.env...),
		"CAIRN_ACTOR="+string(l.session.acts.Actor()), "CAIRN_SESSION="+l.session.id, proc.JobVariable+"="+l.spec.Job, "CAIRN_EXECUTOR="+l.spec.Executor,
		"CAIRN_TASK="+string(l.spec.Task), "CAIRN_PORT="+strconv.Itoa(l.ports), "CAIRN_PROMPT="+l.promptFile)
}
