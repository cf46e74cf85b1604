package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// work lets the executor work until it has handed over and its checks pass, for as many rounds as the job has.
func (r *run) work(ctx context.Context) error {
	more, reminded := followUp{before: r.before(), answer: r.answer(ctx)}, false
	for failures := 0; ; {
		handed, again, err := r.round(ctx, more)
		if err != nil {
			return err
		}
		if !handed && again == (followUp{}) {
			if reminded && len(r.unheard()) == 0 {
				return failed(job.ExecutorError, "the executor ended twice without handing over")
			}
			reminded, more = true, followUp{remind: true}
			if err := r.nextRound(ctx); err != nil {
				return err
			}
			continue
		}
		if again == (followUp{}) {
			if again.checks, err = r.check(ctx); err != nil {
				return err
			}
		}
		if again == (followUp{}) && len(r.unheard()) == 0 {
			return r.finish(ctx)
		}
		if again != (followUp{}) {
			failures++
		}
		if failures > r.spec.Attempts {
			return again.gaveUp(failures)
		}
		more = again
		if err := r.nextRound(ctx); err != nil {
			return err
		}
	}
}

// gaveUp is the end of a job of which the last round left something to mend.
func (f followUp) gaveUp(failures int) error {
	if f.answer != "" {
		return failed(job.ExecutorError, "the executor asked again and again what was answered")
	}
	if f.tree != "" {
		return failed(cmp.Or(f.reason, job.Policy), "%s", f.tree)
	}
	return failed(job.ChecksFailed, "its checks failed in %s", rounds(failures))
}

// finish hands the work over. What the checks ran is the executor's work too: what they wrote is judged first.
func (r *run) finish(ctx context.Context) error {
	if err := r.tree.judge(ctx, r.s, r.session); err != nil {
		return err
	}
	r.account(ctx)
	return or(job.InternalError, r.session.finish(ctx, r.summary()))
}

func rounds(n int) string {
	if n == 1 {
		return "the only round"
	}
	return fmt.Sprintf("each of %d rounds", n)
}

// nextRound counts a round, and begins a session for it if the executor ended the last one.
func (r *run) nextRound(ctx context.Context) error {
	if err := r.owned.Change(func(s *job.Status) { s.Attempt++ }); err != nil {
		return err
	}
	if now := r.session.now().Status; now == session.Active || now == "" { // or its record is in the middle of what git does
		return nil
	}
	r.account(ctx)
	return or(job.InternalError, r.begin(ctx, r.session.beginAnew))
}

// account writes into the record of the session what the executor used in it.
func (r *run) account(ctx context.Context) {
	if used := r.used.Since(r.told); used != (job.Usage{}) {
		r.note(r.session.uses(ctx, used))
	}
	r.told = r.used
}

// round lets the executor work once, commits what it left, and judges the change before any of it is run. handed
// reports whether the executor handed over. again is what the executor has to mend before anything can be judged: what a
// hook said that refused the commit, how it left the work tree, or the conflict that the job is to settle and did not.
func (r *run) round(ctx context.Context, more followUp) (handed bool, again followUp, err error) {
	result, err := r.execute(ctx, more)
	if err != nil {
		return false, again, err
	}
	r.final = result.Final
	if again.answer, err = r.asks(ctx); err != nil || again.answer != "" {
		return false, again, or(job.InternalError, err)
	}
	left := r.tree.rejoin(ctx, r.session.Acts.Actor(), false)
	if record.CodeOf(left) == record.Conflict {
		return false, followUp{tree: or(job.Policy, left).Error()}, nil
	}
	if left != nil {
		return false, again, or(job.InternalError, left)
	}
	if handed, err = r.handed(result); err != nil {
		return false, again, err
	}
	if handed && r.spec.Output == job.Patch {
		if err := answerOf(result.Final).apply(ctx, r.tree); err != nil {
			return false, again, err
		}
	}
	err = r.tree.commit(ctx, r.session.Acts.Actor(), "")
	if record.CodeOf(err) == record.Git {
		return handed, followUp{checks: fmt.Sprintf("### The commit was refused\n\n%s\n", indented(record.MessageOf(err)))}, nil
	}
	if err != nil {
		return false, again, or(job.InternalError, err)
	}
	if err := r.tree.judge(ctx, r.s, r.session); err != nil || !handed || r.spec.Settles == "" {
		return handed, again, err
	}
	open, err := r.tree.trees.TryMerge(ctx, r.tree.Tree, r.spec.Settles)
	if len(open) > 0 {
		again = followUp{tree: fmt.Sprintf("it still conflicts with %s in %s", r.spec.Settles, some(open)), reason: job.Conflict}
	}
	return handed, again, err
}

// handed reports whether the executor handed its work over. Its error is why the job ends.
func (r *run) handed(result executor.Result) (bool, error) {
	ses := r.session.now()
	switch state := ses.Status; {
	case state == session.Finished:
		return true, nil
	case state == session.Waiting:
		return false, &ended{state: job.Waiting}
	case state == session.Failed || state == session.Canceled:
		return false, failed(job.ExecutorError, "the executor gave up: %s", oneLine(ses.Summary+" "+ses.Reason))
	case state == session.Abandoned:
		return false, failed(job.ExecutorError, "the session of the job was taken over or released")
	case result.OverBudget, result.Failed && r.spec.Over(r.used) != "":
		return false, failed(job.Budget, "%s", cmp.Or(r.spec.Over(r.used), "its budget is used up"))
	case result.Failed || !result.Done && result.Exit != 0:
		why := howItEnded(result.Exit, result.Signal)
		if text := oneLine(result.Final); text != "" {
			why += ": " + verb.Head(text, 500)
		}
		return false, failed(job.ExecutorError, "the executor ended with %s", why)
	case r.spec.Output == job.Patch || !r.agent.HandsOver():
		return result.Done, nil
	}
	return false, nil
}

// check runs the command checks of the task in the work tree: all of them, whatever their record says, since the
// executor can have written that. What is there must be what is committed, but for what git ignores. output is what the
// executor is told of those that failed; "" if all passed.
func (r *run) check(ctx context.Context) (output string, err error) {
	if err := show(r.owned, job.Checking); err != nil {
		return "", err
	}
	hidden, err := r.tree.uncommitted(ctx)
	if err != nil {
		return "", or(job.InternalError, err)
	}
	if len(hidden) > 0 {
		return fmt.Sprintf("### The work tree has what its commit has not\n\n    %s\n\nThe checks are run on what is committed. git was told not to look at it, or it lies in a repository of its own.\n", some(hidden)), nil
	}
	out, err := verb.Do(ctx, r.session.Acts, tasks.RunChecks, tasks.RunChecksIn{ID: r.spec.Task})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", or(job.InternalError, err)
	}
	var b strings.Builder
	bent := false
	for _, c := range out.Run.Checks {
		switch {
		case c.Result != record.Pass:
			fmt.Fprintf(&b, "### %s (%s)\n\n%s\n\n", c.Desc, c.Summary, indented(c.Output))
		case !c.Stands() && !r.toldGuards && r.spec.Attempts > 0: // once: then a person looks at it
			bent = true
			fmt.Fprintf(&b, "### %s passes, and not with the files on which it stands as they were: %s\n\n%s\n\n"+
				"Put these files back as they were. If the task needs them changed, hand over once more and say what changed and why: a person looks at it.\n\n",
				c.Desc, strings.Join(c.Guards, ", "), indented(c.Output))
		}
	}
	r.toldGuards = r.toldGuards || bent
	return b.String(), nil
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

const summaryRoom = 4 << 10 // bytes of text in an entry

// summary is what the session is finished with: the end of what the executor said last.
func (r *run) summary() string {
	text := r.final
	if r.spec.Output == job.Patch {
		text = answerOf(r.final).text("", ": ")
	}
	text = record.CleanBody(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if text = strings.TrimSpace(verb.Tail(text, summaryRoom-8)); text == "" {
		text = "The executor said nothing."
	}
	return text
}

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
	for crashes := 0; ; {
		result, err := r.start(ctx, more)
		if err == nil && r.forgotten(result) && ctx.Err() == nil {
			continue
		}
		crashes++
		switch {
		case ctx.Err() != nil:
			return result, ctx.Err()
		case record.CodeOf(err) == record.ExecutorMissing:
			return result, or(job.ExecutorMissing, err)
		case err != nil:
			return result, or(job.ExecutorError, err)
		case (result.Signal == "" || result.Done) && !result.Passing || r.session.now().Status != session.Active:
			return result, nil
		}
		why := "the executor was ended by " + result.Signal
		if result.Passing {
			why = "the executor failed by what passes: " + record.Clip(oneLine(result.Final), 300)
		}
		if crashes > r.spec.Restarts {
			return result, failed(job.ExecutorError, "%s, %d times", why, crashes)
		}
		pause := backoff(crashes)
		r.note(fmt.Errorf("%s; it is started again in %s", why, pause))
		more.before = "You were interrupted: " + why + "."
		select {
		case <-ctx.Done():
			return result, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// conversation is the id of the conversation to go on with: that of this job, or of the one before it in the same work
// tree, if that was asked for the same; "" for a new one.
func (r *run) conversation() string {
	was := r.earlier.Spec
	switch {
	case !r.agent.Resumes() || r.anew:
		return ""
	case was.Executor == r.spec.Executor && was.Model == r.spec.Model && was.Output == r.spec.Output:
		return cmp.Or(r.owned.Job().Status.ResumeID, r.earlier.Status.ResumeID)
	default:
		return r.owned.Job().Status.ResumeID
	}
}

// counted is what a conversation had used when a run of it ended last.
func (r *run) counted(conversation string) job.Usage {
	for _, was := range []job.Status{r.owned.Job().Status, r.earlier.Status} {
		if was.ResumeID == conversation && was.Counted != (job.Usage{}) {
			return was.Counted
		}
	}
	return job.Usage{}
}

// forgotten reports whether a run failed before it did anything, and had a conversation to go on with: the program may
// have lost that, so a new one is begun, once.
func (r *run) forgotten(result executor.Result) bool {
	if !r.resumed || r.watch.pulse.hasWorked() || !result.Failed || result.Passing || result.OverBudget {
		return false
	}
	r.anew = true
	r.note(errors.New("its earlier conversation could not be gone on with; a new one begins"))
	return true
}

// budget is what the next run may cost: what is left of the job's own budget and of what jobs may cost together. 0 is no
// limit.
func (r *run) budget() (left float64, err error) {
	if r.spec.Budget > 0 {
		left = max(r.spec.Budget-r.used.Cost, 0.000001) // what is used up must not become no limit
	}
	user, err := userconfig.Read(r.w.ConfigDir)
	if err != nil || user.Budget == (userconfig.Budget{}) {
		return left, err
	}
	all, err := work.Jobs(r.s).List()
	if err != nil {
		return left, err
	}
	budget := job.SharedBudget(user.Budget)
	if spent := budget.Spent(all, r.spec.Task, r.w.Now()); spent != "" {
		return left, failed(job.Budget, "%s", spent)
	}
	if together, limited := budget.Left(all, r.spec.Task, r.w.Now()); limited && (left == 0 || together < left) {
		left = together
	}
	return left, nil
}

// start runs the executor once. It keeps how the run ended, what it cost, and the id under which the executor can go on
// with it.
func (r *run) start(ctx context.Context, more followUp) (executor.Result, error) {
	resume := r.conversation()
	r.resumed = resume != ""
	said := r.unheard()
	text, err := r.prompt(ctx, more, said, resume != "")
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
	if r.tree.Repo != "" { // its records are elsewhere
		env = append(env, "CAIRN_REPO="+r.tree.at.Root)
	}
	if r.box != nil {
		env = append(append(env, "CAIRN_SANDBOX="+kind.SandboxSystem), r.tree.identity(ctx)...)
	}
	// Cairn as the MCP server of the executor: it may change the one task, under the session of the job.
	cairn := executor.Cairn{
		Program: r.Program, Root: r.tree.at.Root, Actor: actor, Task: r.spec.Task, Profile: verb.InJob.String(),
		Client: r.spec.Executor,
	}
	budget, err := r.budget()
	if err != nil {
		return executor.Result{}, err
	}
	var tokens int64
	if r.spec.Tokens > 0 {
		tokens = max(r.spec.Tokens-r.used.Spent(), 1)
	}
	if err := r.gave(said); err != nil {
		return executor.Result{}, err
	}
	alive, stop := r.session.keepAlive(ctx)
	r.watch.begin(r.used)
	result, err := r.agent.Start(alive, executor.Run{
		Dir: r.tree.Root, Git: []string{r.tree.repo.CommonDir, r.tree.repo.GitDir}, Prompt: text, PromptFile: promptFile, Model: r.spec.Model, Output: r.spec.Output,
		Resume: resume, Counted: r.counted(resume), MCP: cairn.Server(), Env: env, Private: private, Stdout: r.out, Stderr: r.problem, Event: r.watch.event,
		Budget: budget, Tokens: tokens, Words: r.tell, Box: r.box,
	})
	r.watch.pulse.end()
	if r.box != nil {
		err = errors.Join(err, r.tree.forgetNested(context.WithoutCancel(ctx)))
	}
	lost := context.Cause(alive)
	stop()
	r.anew = r.anew && result.ResumeID == ""
	r.used = r.used.Plus(result.Usage)
	r.exit = exit{result.Exit, result.Signal, result.Done, result.Failed, r.exit.Runs + 1}
	known := r.owned.Job().Status
	id, counted := cmp.Or(result.ResumeID, known.ResumeID), cmp.Or(result.Counted, known.Counted)
	if id != known.ResumeID || r.used != known.Usage || counted != known.Counted { // some of it was told while it worked
		_ = r.owned.Change(func(s *job.Status) { s.Usage, s.ResumeID, s.Counted = r.used, id, counted })
	}
	var e *ended
	if errors.As(lost, &e) {
		return result, e
	}
	if err == nil && result.Done && !result.Failed {
		err = errors.Join(r.heard(result.Missed), r.answered())
	}
	return result, err
}
