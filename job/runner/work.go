package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proc"
	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/job/executor"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/gates"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// log is where output goes.
type log interface{ Write([]byte) (int, error) }

// exit is how the newest run of the executor ended: the content of exit.json.
type exit struct {
	Exit   int    `json:"exit"`
	Signal string `json:"signal,omitempty"`
	Done   bool   `json:"done"`
	Failed bool   `json:"failed,omitempty"`
	Runs   int    `json:"runs"` // of the executor in this job's newest attempt, crashed ones included
}

// work lets the executor work until its checks pass, for as many rounds as the job has.
func (r *run) work(ctx context.Context) error {
	more, reminded := told{}, false
	for failures := 0; ; {
		handed, output, err := r.round(ctx, more)
		if err != nil {
			return err
		}
		if !handed && output == "" {
			if reminded {
				return failed(job.ExecutorError, "the executor ended twice without handing over")
			}
			reminded, more = true, told{remind: true}
			if err := r.nextRound(ctx); err != nil {
				return err
			}
			continue
		}
		if output == "" {
			if output, err = r.check(ctx); err != nil {
				return err
			}
		}
		if output == "" {
			return or(job.InternalError, r.handOver(ctx))
		}
		if failures++; failures > r.spec.Attempts {
			return failed(job.ChecksFailed, "its checks failed in %s", rounds(failures))
		}
		more = told{checks: output}
		if err := r.nextRound(ctx); err != nil {
			return err
		}
	}
}

func rounds(n int) string {
	if n == 1 {
		return "the only round"
	}
	return fmt.Sprintf("each of %d rounds", n)
}

// nextRound counts a round, and opens the task for it again if it was handed over.
func (r *run) nextRound(ctx context.Context) error {
	if err := r.owned.Change(func(s *job.Status) { s.Attempt++ }); err != nil {
		return err
	}
	if r.sessionState() == session.Active {
		return nil
	}
	return or(job.InternalError, r.beginAnew(ctx))
}

// round lets the executor work once, and reports whether it handed over. What it left is committed, and nothing of it is run before it is known to
// keep to what a job may change. refused is what a hook said that did not let it be committed, which is for the executor to fix.
func (r *run) round(ctx context.Context, more told) (handed bool, refused string, err error) {
	result, err := r.execute(ctx, more)
	if err != nil {
		return false, "", err
	}
	r.final = result.Final
	if handed, err = r.handed(result); err != nil {
		return false, "", err
	}
	if handed && r.spec.Output == job.Patch {
		if err := r.apply(ctx, result.Final); err != nil {
			return false, "", err
		}
	}
	err = r.commit(ctx, "")
	if task.CodeOf(err) == task.Git {
		return handed, fmt.Sprintf("### The commit was refused\n\n%s\n", indented(task.MessageOf(err))), nil
	}
	if task.CodeOf(err) == task.Conflict { // it switched the branch, or moved the work tree
		return false, "", or(job.Policy, err)
	}
	if err != nil {
		return false, "", or(job.InternalError, err)
	}
	return handed, "", r.policy(ctx)
}

// handed reports whether the executor handed its work over, or returns why the job ends.
func (r *run) handed(result executor.Result) (bool, error) {
	switch state := r.sessionState(); {
	case state == session.Finished:
		return true, nil
	case state == session.Failed || state == session.Canceled:
		return false, failed(job.ExecutorError, "the executor gave up: %s", r.toldAtEnd())
	case state == session.Abandoned:
		return false, failed(job.ExecutorError, "the session of the job was taken over or released")
	case result.OverBudget:
		return false, failed(job.Budget, "it cost more than $%.2f", r.spec.Budget)
	case result.Failed || !result.Done && result.Exit != 0:
		return false, failed(job.ExecutorError, "the executor ended with %s%s", howItEnded(result.Exit, result.Signal), after(result.Final))
	case r.spec.Output == job.Patch || !r.agent.HandsOver():
		return result.Done, nil
	}
	return false, nil
}

// after is a text behind a message, on one line; "" for none.
func after(text string) string {
	if text = oneLine(text); text == "" {
		return ""
	}
	return ": " + verb.Head(text, 500)
}

// toldAtEnd is the summary or the reason of the session.
func (r *run) toldAtEnd() string {
	ses, err := record.Sessions.Get(r.at, r.session)
	if err != nil {
		return task.MessageOf(err)
	}
	return oneLine(ses.Summary + " " + ses.Reason)
}

// execute runs the executor to its end. One that crashes is started again, after longer and longer pauses.
func (r *run) execute(ctx context.Context, more told) (executor.Result, error) {
	if err := r.phase(job.Working); err != nil {
		return executor.Result{}, err
	}
	for crashes := 1; ; crashes++ {
		result, err := r.start(ctx, more)
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		if task.CodeOf(err) == task.ExecutorMissing {
			return result, or(job.ExecutorMissing, err)
		}
		if err != nil {
			return result, or(job.ExecutorError, err)
		}
		if result.Signal == "" || result.Done || r.sessionState() != session.Active {
			return result, nil
		}
		backoff := r.Backoff
		if backoff == nil {
			backoff = job.Backoff
		}
		pause, again := backoff(crashes)
		if !again {
			return result, failed(job.ExecutorError, "the executor was ended by %s, %d times", result.Signal, crashes)
		}
		_ = r.owned.Event(job.Event{Type: job.EventError, Text: fmt.Sprintf("the executor was ended by %s; it is started again in %s", result.Signal, pause)})
		select {
		case <-ctx.Done():
			return result, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// start runs the executor once.
func (r *run) start(ctx context.Context, more told) (executor.Result, error) {
	resume := ""
	if r.agent.Resumes() && more != (told{}) {
		resume = r.owned.Job().Status.ResumeID
	}
	text, err := r.reminder(more), error(nil)
	if resume == "" {
		if text, err = r.prompt(ctx, more); err != nil {
			return executor.Result{}, err
		}
	}
	if err := r.owned.WriteFile(job.PromptFile, []byte(text)); err != nil {
		return executor.Result{}, err
	}
	private, err := r.owned.Private()
	if err != nil {
		return executor.Result{}, err
	}
	prompt := r.s.Jobs().File(r.spec.Job, job.PromptFile)
	env := r.agentEnv(prompt)
	stop := r.alive(ctx)
	r.pulse.begin(r.w.Now())
	result, err := r.agent.Start(ctx, executor.Run{
		Dir: r.tree.Root, Prompt: text, PromptFile: prompt, Model: r.spec.Model, Output: r.spec.Output, Resume: resume,
		MCP: r.server(env), Env: env, Private: private, Stdout: r.out, Stderr: r.problem, Event: r.event, Budget: r.leftToSpend(),
	})
	r.pulse.end()
	stop()
	r.spent += result.Usage.Cost
	r.end = exit{Exit: result.Exit, Signal: result.Signal, Done: result.Done, Failed: result.Failed, Runs: r.end.Runs + 1}
	known := r.owned.Job().Status
	if id := result.ResumeID; id != "" && id != known.ResumeID || r.spent != known.Cost {
		_ = r.owned.Change(func(s *job.Status) {
			s.Cost = r.spent
			if result.ResumeID != "" {
				s.ResumeID = result.ResumeID
			}
		})
	}
	return result, err
}

// leftToSpend is what the executor may still cost; 0 for no limit.
func (r *run) leftToSpend() float64 {
	if r.spec.Budget == 0 {
		return 0
	}
	return max(r.spec.Budget-r.spent, 0.000001)
}

// agentEnv is what the executor's environment has beside that of the supervisor.
func (r *run) agentEnv(prompt string) []string {
	return append(append([]string{}, r.Env...),
		"CAIRN_ACTOR="+string(r.acts.Actor()), "CAIRN_SESSION="+r.session, proc.JobVariable+"="+r.spec.Job, "CAIRN_EXECUTOR="+r.spec.Executor,
		"CAIRN_TASK="+string(r.spec.Task), "CAIRN_PORT="+strconv.Itoa(r.ports), "CAIRN_PROMPT="+prompt)
}

// server is cairn as the executor's MCP server: it may change the one task, under the session of the job.
func (r *run) server(env []string) executor.MCP {
	return executor.Cairn{
		Program: r.Program, Root: r.tree.Root, Actor: r.acts.Actor(), Task: r.spec.Task, Profile: verb.PairWorker.String(), Client: r.spec.Executor, Env: env,
	}.Server()
}

// event keeps what the executor reports, and shows what people wait for.
func (r *run) event(e job.Event) {
	ends := r.pulse.feel(e, r.w.Now())
	_ = r.owned.Event(e)
	now := r.owned.Job().Status
	phase := job.Working
	if e.Type == job.EventPermission {
		phase = job.NeedsInput
	}
	switch {
	case ends, e.Type == job.EventSession && e.ID != "" && e.ID != now.ResumeID, now.Phase != phase:
		_ = r.owned.Change(func(s *job.Status) {
			s.Stalled, s.Phase = false, phase
			if e.Type == job.EventSession && e.ID != "" {
				s.ResumeID = e.ID
			}
		})
	}
}

// alive keeps the session alive while the executor works. The function that it returns ends that.
func (r *run) alive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(max(r.at.Config.StaleAfter/3, time.Second))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = r.acts.WithoutKey().Beat(ctx, r.at, session.Heartbeat{Session: r.session}) // the work goes on if it fails
			}
		}
	}()
	return func() { cancel(); <-done }
}

// check runs the command checks of the task that have not passed on these files, in the work tree. It returns what the executor is told of those that
// failed, or "" if all passed.
func (r *run) check(ctx context.Context) (output string, err error) {
	if err := r.phase(job.Checking); err != nil {
		return "", err
	}
	t, err := record.Tasks.Get(r.at, r.spec.Task)
	if err != nil {
		return "", err
	}
	var todo []int
	for _, open := range gates.OpenChecks(ctx, r.at, t) {
		if !t.Checks[open.Check].Manual() {
			todo = append(todo, open.Check)
		}
	}
	if len(todo) == 0 {
		return "", nil
	}
	out, err := tasks.RunChecks(ctx, r.acts, tasks.RunChecksIn{ID: r.spec.Task, Only: todo})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", or(job.InternalError, err)
	}
	var b strings.Builder
	for _, c := range out.Run.Checks {
		if c.Result != task.Pass {
			fmt.Fprintf(&b, "### %s (%s)\n\n%s\n\n", c.Desc, c.Summary, indented(c.Output))
		}
	}
	return b.String(), nil
}

// indented is a text as Markdown shows it word for word.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// handOver ends the session as finished, unless the executor did.
func (r *run) handOver(ctx context.Context) error {
	if r.sessionState() != session.Active {
		return nil
	}
	_, err := sessions.Finish(ctx, r.acts, sessions.FinishIn{Session: verb.SessionID(r.session), Summary: r.summary()})
	var refused *task.Error
	if errors.As(err, &refused) && (refused.Code == task.ChecksPending || refused.Code == task.ChecksFailed) {
		return failed(job.ChecksFailed, "%s", refused.Msg)
	}
	return err
}

const summaryRoom = 4 << 10 // what an entry can say

// summary is the end of what the executor said last.
func (r *run) summary() string {
	text := r.final
	if r.spec.Output == job.Patch {
		text = answerOf(r.final).rest()
	}
	text = task.CleanBody(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if text = strings.TrimSpace(verb.Tail(text, summaryRoom-8)); text == "" {
		text = "The executor said nothing."
	}
	return text
}
