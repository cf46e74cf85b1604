package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestAJobBringsItsTaskToReview(t *testing.T) {
	f := newField(t)
	head := f.git(f.s.Root, "rev-parse", "HEAD")
	one := f.run()
	f.want(one, job.Succeeded, "")
	got := f.task(one)
	if flow := f.there(one).Config.Flow; flow.Review != "" && got.Status != flow.Review || got.Checks[0].Result != record.Pass {
		t.Errorf("the task is %s with %s", got.Status, got.Checks[0].Result)
	}
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Status != session.Finished || ses.Job != one.Spec.Job || ses.Executor != "mine" || ses.Actor != "agent:mine-1" || ses.Summary != "I made it good" {
		t.Errorf("the session is %+v, %v", ses, err)
	}
	f.clean(one)
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "good" {
		t.Errorf("the branch has %q", text)
	}
	if now := f.git(f.s.Root, "rev-parse", "HEAD"); now != head || f.git(f.s.Root, "status", "--porcelain") != "" {
		t.Error("the checkout in which the job was asked for changed")
	}
	s := one.Status
	if s.Attempt != 1 || s.Branch != "cairn/PROJ-1" || s.Head != f.git(s.Worktree, "rev-parse", "HEAD") || s.BaseCommit != head || s.Process != 0 || s.FinishedAt.IsZero() || s.Summary != "I made it good" {
		t.Errorf("the state is %+v", s)
	}
	if diff := f.file("job-1", "patch.diff"); !strings.Contains(diff, "+good") || strings.Contains(diff, ".cairn") {
		t.Errorf("the diff is %q", diff)
	}
	if out := f.file("job-1", "out.md"); out != "I made it good\n" {
		t.Errorf("out.md is %q", out)
	}
	if end := f.file("job-1", "exit.json"); end != `{"exit":0,"done":true,"runs":1}`+"\n" {
		t.Errorf("exit.json is %q", end)
	}
	storetest.WantClean(t, f.there(one))
}

// Whoever starts a job reads that it runs where a slot is free, and that it waits where none is.
func TestWhoeverStartsAJobIsToldWhetherItWaits(t *testing.T) {
	f := newField(t)
	f.agent.most = 1
	start := func(id string) (told job.State) {
		r := f.runner()
		ctx, stop := context.WithTimeout(t.Context(), slowtest.Patience)
		defer stop()
		r.Owned = func() {
			if told = f.get(id).Status.State; told == job.Queued {
				stop()
			}
		}
		if err := r.Run(ctx, f.w, id); err != nil {
			t.Error(err)
		}
		return told
	}
	first := f.make()
	if told := start(first); told != job.Running {
		t.Errorf("with a free slot the job is said to be %s", told)
	}
	f.create("PROJ-2")
	f.settle()
	waits, has := f.make(func(s *job.Spec) { s.Task = "PROJ-2" }), f.make(func(s *job.Spec) { s.Task = "PROJ-3" })
	owned, err := work.Jobs(f.s).Own(has)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owned.Release() }()
	release, err := owned.Slot(t.Context(), 0, 1, func() { t.Fatal("the slot is not free") }, func() (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if told := start(waits); told != job.Queued {
		t.Errorf("without a free slot the job is said to be %s", told)
	}
}

func TestSlowThePromptTellsWhatIsKnown(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	if _, err := verb.Do(t.Context(), f.w, tasks.Note, tasks.NoteIn{ID: verb.RecordID(theTask), Text: "mind the gap"}); err != nil {
		t.Fatal(err)
	}
	f.settle()
	f.run(func(s *job.Spec) {
		s.Context, s.Scope = "it is urgent", job.Scope{ReadPaths: []string{"README"}, Paths: []string{"file"}}
	})
	got := f.agent.prompts()[0]
	for _, part := range []string{
		"# PROJ-1: make the file good", "It should say good.", "the file is good: `grep -q good file`", "mind the gap", "it is urgent", "- README", "- file\n", "cairn/PROJ-1",
		"Your last message is the summary",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, got)
		}
	}
	if kept := f.file("job-1", "prompt.md"); kept != got {
		t.Error("prompt.md is another one")
	}
}

func TestSlowWhatTheExecutorIsGiven(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	one := f.run()
	r := f.agent.runs[0]
	env := strings.Join(r.Env, "\n") + "\n"
	for _, want := range []string{"CAIRN_ACTOR=agent:mine-1\n", "CAIRN_SESSION=" + one.Status.Session + "\n", "CAIRN_JOB=job-1\n", "CAIRN_TASK=PROJ-1\n", "CAIRN_PORT=2", "CAIRN_PROMPT=" + r.PromptFile + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("the environment lacks %s:\n%s", want, env)
		}
	}
	if r.Dir != one.Status.Worktree || strings.HasPrefix(r.Private, r.Dir) || strings.HasPrefix(r.PromptFile, r.Dir) {
		t.Errorf("it runs in %s, with %s and %s", r.Dir, r.Private, r.PromptFile)
	}
	args := strings.Join(r.MCP.Args, " ")
	if !filepath.IsAbs(r.MCP.Command) || !strings.Contains(args, "serve --actor agent:mine-1 --scope task:PROJ-1 --profile job") {
		t.Errorf("its server is %s %s", r.MCP.Command, args)
	}
}

const mends = `if grep -q 'Checks that failed'; then echo good >file; else echo bad >file; fi; echo done`

func TestChecksThatFailGoBack(t *testing.T) {
	f := newField(t)
	f.agent.line = mends
	one := f.run()
	f.want(one, job.Succeeded, "")
	if one.Status.Attempt != 2 {
		t.Errorf("it took %d rounds", one.Status.Attempt)
	}
	if second := f.agent.prompts()[1]; !strings.Contains(second, "### the file is good (exit 1)") || !strings.Contains(second, "# PROJ-1") {
		t.Errorf("the second prompt is %s", second)
	}
}

func TestSlowAnExecutorThatResumesIsToldWhatIsNew(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line, f.agent.resumes = mends, true
	f.want(f.run(), job.Succeeded, "")
	if second := f.agent.runs[1]; second.Resume != "again" || strings.Contains(second.Prompt, "# PROJ-1") || !strings.Contains(second.Prompt, "Checks that failed") {
		t.Errorf("resumed %q with %s", second.Resume, second.Prompt)
	}
}

// Who goes on is told that they do, in the conversation of before if there is one.
func TestSlowAnExecutorThatCrashedGoesOn(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line, f.agent.resumes = `if grep -q 'You go on'; then echo good >file; else echo half >file; kill -9 $$; fi`, true
	one := f.run()
	f.want(one, job.Succeeded, "")
	if second := f.agent.runs[1]; second.Resume != "again" || !strings.Contains(second.Prompt, "the executor was ended by SIGKILL") ||
		!strings.Contains(second.Prompt, "half done") || strings.Contains(second.Prompt, "It should say good.") {
		t.Errorf("resumed %q with %s", second.Resume, second.Prompt)
	}
}

func TestSlowAJobThatWasCutOffGoesOnInItsConversation(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.resumes = true
	ctx, stop := context.WithCancel(t.Context())
	f.agent.events = func(r executor.Run) {
		if len(f.agent.runs) == 1 {
			r.Event(job.Event{Type: job.EventSession, ID: "before"})
			stop()
		}
	}
	id := f.make()
	if err := f.runner().Run(ctx, f.w, id); err != nil || f.get(id).Status.State != job.Stale {
		t.Fatal(err, f.get(id).Status)
	}
	f.want(f.runIt(id), job.Succeeded, "")
	if second := f.agent.runs[1]; second.Resume == "" || !strings.Contains(second.Prompt, "the process that ran this job was ended") {
		t.Errorf("resumed %q with %s", second.Resume, second.Prompt)
	}
}

func TestSlowARejectionIsToldInTheConversationOfBefore(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.resumes = true
	f.want(f.run(), job.Succeeded, "")
	w := *f.w
	w.Dir = f.get("job-1").Status.Worktree
	if err := tasks.BackToWork(t.Context(), &w, f.open(w.Dir), theTask, "louder, please"); err != nil {
		t.Fatal(err)
	}
	f.want(f.run(func(s *job.Spec) { s.Context = "this time for sure" }), job.Succeeded, "")
	second := f.agent.runs[1]
	if second.Resume != "again" || !strings.Contains(second.Prompt, "this time for sure") || !strings.Contains(second.Prompt, "You go on") ||
		strings.Contains(second.Prompt, "It should say good.") || !strings.Contains(second.Prompt, f.get("job-2").Status.Session) && f.agent.handsOver {
		t.Errorf("resumed %q with %s", second.Resume, second.Prompt)
	}
	// Another model has had no conversation, and a new work tree none that is about it.
	f.run(func(s *job.Spec) { s.Model = "other" })
	if third := f.agent.runs[2]; third.Resume != "" || !strings.Contains(third.Prompt, "It should say good.") {
		t.Errorf("resumed %q with %s", third.Resume, third.Prompt)
	}
}

// A conversation that the program has no more is no end.
func TestSlowAConversationThatIsGoneIsBegunAnew(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.resumes, f.agent.line = true, `if grep -q 'It should say good'; then echo bad >file; test ! -e told || echo good >file; touch told; else exit 1; fi`
	one := f.run()
	f.want(one, job.Succeeded, "")
	if len(f.agent.runs) != 3 || f.agent.runs[1].Resume == "" || f.agent.runs[2].Resume != "" || !strings.Contains(f.agent.runs[2].Prompt, "Checks that failed") {
		t.Errorf("%d runs: %q", len(f.agent.runs), f.agent.prompts())
	}
}

// An error that passes is tried again, as often as the spec says; another one is an end.
func TestSlowWhatPassesIsTriedAgain(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.passing, f.agent.line = true, "test -e $CAIRN_JOB && echo good >file && exit; touch $CAIRN_JOB; echo overloaded; exit 1"
	f.want(f.run(), job.Succeeded, "")
	f.agent.line = "echo overloaded; exit 1"
	one := f.run(func(s *job.Spec) { s.Restarts = 1 })
	f.want(one, job.Failed, job.ExecutorError)
	if len(f.agent.runs) != 4 || !strings.Contains(one.Status.Message, "failed by what passes: overloaded, 2 times") {
		t.Errorf("%d runs: %s", len(f.agent.runs), one.Status.Message)
	}
	f.agent.passing = false
	f.run()
	if len(f.agent.runs) != 5 {
		t.Errorf("%d runs", len(f.agent.runs))
	}
}

func TestSlowChecksThatFailInEveryRound(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "date +%N >>file; echo done"
	one := f.run(func(s *job.Spec) { s.Attempts = 1 })
	f.want(one, job.Failed, job.ChecksFailed)
	if one.Status.Attempt != 2 {
		t.Errorf("it took %d rounds", one.Status.Attempt)
	}
	f.clean(one)
	got := f.task(one)
	if flow := f.s.Config.Flow; got.Assignee != "" || flow.Review != "" && got.Status == flow.Review {
		t.Errorf("the task is %s, held by %s", got.Status, got.Assignee)
	}
	if f.git(f.s.Root, "log", "--oneline", "main..cairn/PROJ-1", "--", "file") == "" {
		t.Error("the work is lost")
	}
}

// finishes lets an executor hand over by itself, as agents with the tools do.
func (f *field) finishes(status string) func(executor.Run) {
	return func(r executor.Run) {
		for _, v := range r.Env {
			if id, ok := strings.CutPrefix(v, "CAIRN_SESSION="); ok {
				w := *f.w
				w.Dir, w.Actor = r.Dir, verb.As("agent:mine-1")
				if err := os.WriteFile(filepath.Join(r.Dir, "file"), []byte("good\n"), 0o600); err != nil {
					f.Error(err)
				}
				if _, err := verb.Do(f.Context(), &w, sessions.Finish, sessions.FinishIn{Session: verb.SessionID(id), Summary: "by myself", Status: status}); err != nil {
					f.Error(err)
				}
			}
		}
	}
}

func TestSlowAnAgentHandsOverByItself(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.handsOver, f.agent.line, f.agent.does = true, "true", f.finishes("")
	one := f.run()
	f.want(one, job.Succeeded, "")
	if one.Status.Summary != "by myself" || f.task(one).Checks[0].Result != record.Pass {
		t.Errorf("got %+v", one.Status)
	}
	f.clean(one)
}

func TestSlowAnAgentThatGivesUp(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.handsOver, f.agent.line, f.agent.does = true, "true", f.finishes("failed")
	one := f.run()
	f.want(one, job.Failed, job.ExecutorError)
	if !strings.Contains(one.Status.Message, "by myself") {
		t.Error(one.Status.Message)
	}
}

func TestSlowAnAgentThatHandsOverBadWorkGetsItBack(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.handsOver, f.agent.line = true, "true"
	hand := f.finishes("")
	f.agent.does = func(r executor.Run) {
		hand(r)
		if len(f.agent.runs) == 1 {
			storetest.WriteFile(t, filepath.Join(r.Dir, "file"), "bad\n")
		}
	}
	one := f.run()
	f.want(one, job.Succeeded, "")
	if f.agent.runs[0].Env[1] == f.agent.runs[1].Env[1] {
		t.Error("both rounds have the same session, which had ended")
	}
}

func TestSlowAnAgentIsRemindedOnce(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.handsOver = true
	one := f.run()
	f.want(one, job.Failed, job.ExecutorError)
	if all := f.agent.prompts(); len(all) != 2 || !strings.Contains(all[1], "You have not handed over") {
		t.Errorf("it was told %q", all)
	}
	f.clean(one)
}

func TestAnExitThatIsNot0EndsTheJob(t *testing.T) {
	f := newField(t)
	f.agent.line = "echo half >file; echo I could not; exit 3"
	one := f.run()
	f.want(one, job.Failed, job.ExecutorError)
	if len(f.agent.runs) != 1 || !strings.Contains(one.Status.Message, "exit 3") || !strings.Contains(one.Status.Message, "I could not") {
		t.Errorf("%d runs: %s", len(f.agent.runs), one.Status.Message)
	}
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "half" {
		t.Errorf("the branch has %q", text)
	}
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Status != session.Failed {
		t.Errorf("the session is %s, %v", ses.Status, err)
	}
}

func TestSlowACrashIsTriedAgain(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = `echo x >>count; if [ $(wc -l <count) -lt 3 ]; then kill -9 $$; fi; rm count; echo good >file`
	f.want(f.run(), job.Succeeded, "")
	if len(f.agent.runs) != 3 {
		t.Errorf("%d runs", len(f.agent.runs))
	}
}

func TestSlowCrashesWithoutEnd(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "kill -9 $$"
	f.want(f.run(), job.Failed, job.ExecutorError)
	if len(f.agent.runs) != 4 {
		t.Errorf("%d runs", len(f.agent.runs))
	}
}

func TestSlowAJobEndsAtItsTimeLimit(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "echo half >file; sleep 300"
	start := time.Now()
	one := f.run(func(s *job.Spec) { s.Timeout = 2 })
	f.want(one, job.Failed, job.Timeout)
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "half" {
		t.Errorf("the branch has %q", text)
	}
	f.clean(one)

	// It goes on in the same work tree, as another job.
	f.agent.line = "cat file && echo good >file"
	again := f.run()
	f.want(again, job.Succeeded, "")
	if again.Status.Worktree != one.Status.Worktree || again.Status.Summary != "half" {
		t.Errorf("got %+v", again.Status)
	}
	if told := f.agent.prompts()[1]; !strings.Contains(told, "What was done before") || !strings.Contains(told, "TIMEOUT") {
		t.Errorf("it was told %s", told)
	}
}

// during runs a job, and calls do while its executor works.
func (f *field) during(do func(id string), change ...func(*job.Spec)) job.Job {
	f.Helper()
	id := f.make(change...)
	f.during1(id, do)
	return f.get(id)
}

func (f *field) during1(id string, do func(id string)) {
	f.Helper()
	done := make(chan error, 1)
	go func() { done <- f.runner().Run(f.Context(), f.w, id) }()
	f.soon("the executor works", func() bool { return f.get(id).Status.Phase == job.Working && f.started(id) })
	do(id)
	if err := <-done; err != nil {
		f.Fatal(err)
	}
}

// started reports whether the executor has made its file "begun".
func (f *field) started(id string) bool {
	_, err := os.Stat(filepath.Join(f.get(id).Status.Worktree, "begun"))
	return err == nil
}

func TestSlowACancellationAsksFirst(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = `trap 'echo asked >file; exit 0' TERM; >begun; while :; do sleep 0.05; done`
	one := f.during(func(id string) {
		if err := work.Jobs(f.s).Cancel(id, "human:lee", "changed my mind"); err != nil {
			t.Error(err)
		}
	})
	f.want(one, job.Canceled, "")
	if one.Status.Message != "canceled by human:lee: changed my mind" {
		t.Error(one.Status.Message)
	}
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "asked" {
		t.Errorf("the branch has %q", text)
	}
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Status != session.Canceled {
		t.Errorf("the session is %s, %v", ses.Status, err)
	}
	f.clean(one)
	storetest.WantCode(t, work.Jobs(f.s).Cancel("job-1", "human:lee", ""), record.AlreadyTerminal)
}

func TestSlowSilenceEndsAJobIfItsSpecSaysSo(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "sleep 300"
	f.want(f.run(func(s *job.Spec) { s.Stall = 1 }), job.Failed, job.Stalled)
}

func TestSilenceIsShown(t *testing.T) {
	now := time.Now()
	var p pulse
	p.begin(now)
	if p.silence(now.Add(time.Hour)) != time.Hour || !p.show() || p.show() {
		t.Error("an hour without an event is no silence, or is shown twice")
	}
	if !p.event(job.Event{Type: job.EventToolStart}, now) || p.silence(now.Add(time.Hour)) != 0 {
		t.Error("a tool that runs is silence")
	}
	p.event(job.Event{Type: job.EventToolEnd}, now)
	if p.silence(now.Add(time.Minute)) != time.Minute {
		t.Error("after the tool there is no silence")
	}
	if p.end(); p.silence(now.Add(time.Hour)) != 0 {
		t.Error("nobody works, and is silent")
	}
}

func TestSlowABudgetIsForAllRuns(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = mends
	f.agent.used = job.Usage{InputTokens: 100, CachedTokens: 80, OutputTokens: 10, Cost: 3}
	one := f.run(func(s *job.Spec) { s.Budget, s.Tokens = 5, 100 })
	f.want(one, job.Failed, job.Budget)
	got := f.agent.runs[1]
	if got.Budget != 2 || got.Tokens != 70 || one.Status.Cost != 6 || one.Status.InputTokens != 200 || one.Status.CachedTokens != 160 {
		t.Errorf("the second run may use %g and %d, and all used %s", got.Budget, got.Tokens, one.Status.Usage)
	}
	if !strings.Contains(one.Status.Message, "it cost $6.00, and its budget is $5.00") {
		t.Error(one.Status.Message)
	}
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Used != (session.Usage{Input: 200, Cached: 160, Output: 20, Cost: "6.0000"}) {
		t.Errorf("its session used %+v, %v", ses.Used, err)
	}
	f.clean(one)
	storetest.WantClean(t, f.there(one))
}

// What the user lets jobs cost holds for all of them, and for each run of one.
func TestSlowJobsCostNoMoreThanTheUserLets(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	storetest.WriteFile(t, filepath.Join(f.w.ConfigDir, "config.yaml"), "jobs_budget: {task: 5, day: 100}\n")
	f.agent.line = mends
	f.agent.used = job.Usage{Cost: 3}
	one := f.run(func(s *job.Spec) { s.Budget = 50 })
	f.want(one, job.Failed, job.Budget)
	if got := f.agent.runs[1].Budget; len(f.agent.runs) != 2 || got != 2 || one.Status.Cost != 6 {
		t.Errorf("of %d runs the second may cost %g, and all cost %g", len(f.agent.runs), got, one.Status.Cost)
	}
	f.want(f.run(), job.Failed, job.Budget)
	if len(f.agent.runs) != 2 {
		t.Error("another run began")
	}
}

// What a job used before it was cut off counts when it goes on, and what it uses is known while it works.
func TestSlowWhatAJobUsedIsNotForgotten(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	id := f.make()
	used := job.Usage{InputTokens: 7, Cost: 1}
	f.agent.events = func(r executor.Run) {
		r.Event(job.Event{Type: job.EventUsage, Usage: &used})
		if now := f.get(id).Status.Usage; now.InputTokens%7 != 0 || now.Cost != float64(len(f.agent.runs)) {
			t.Errorf("while it works it used %s", now)
		}
	}
	f.agent.used = used
	ctx, stop := context.WithCancel(t.Context())
	f.agent.does = func(executor.Run) {
		if len(f.agent.runs) == 1 {
			stop()
		}
	}
	if err := f.runner().Run(ctx, f.w, id); err != nil || f.get(id).Status.State != job.Stale {
		t.Fatal(err, f.get(id).Status)
	}
	one := f.runIt(id)
	f.want(one, job.Succeeded, "")
	if one.Status.Cost != 2 || one.Status.InputTokens != 14 {
		t.Errorf("it used %s", one.Status.Usage)
	}
}

// What ended in time is what it waited for.
func TestSlowATimeoutNamesWhatWentWrongLast(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "sleep 100"
	f.agent.events = func(r executor.Run) {
		r.Event(job.Event{Type: job.EventRetry, Text: "the provider answered: 529: overloaded"})
	}
	one := f.run(func(s *job.Spec) { s.Timeout = 1 })
	f.want(one, job.Failed, job.Timeout)
	if want := "the time limit was reached; the last error that was told: the provider answered: 529: overloaded"; one.Status.Message != want {
		t.Errorf("%q, want %q", one.Status.Message, want)
	}
}

func TestAMissingExecutor(t *testing.T) {
	f := newField(t)
	f.agent.missing = record.Errorf(record.ExecutorMissing, "executor mine needs the program mine")
	one := f.run()
	f.want(one, job.Failed, job.ExecutorMissing)
	if one.Status.Worktree != "" {
		t.Error("a work tree was made")
	}
}

func TestSlowASetUpThatFails(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	config := f.s.ConfigFile()
	for name, line := range map[string]string{
		"fails":    "worktree_setup: echo no; exit 4\n",
		"too long": "worktree_setup: sleep 300\nworktree_setup_timeout: 1s\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := newField(t)
			storetest.Append(t, g.s.ConfigFile(), line)
			g.settle()
			verbtest.ApproveAll(t, g.w)
			one := g.run()
			g.want(one, job.Failed, job.Setup)
			if name == "fails" && g.file(one.Spec.Job, "setup.log") != "no\n" {
				t.Error("its output is lost")
			}
			if len(g.agent.runs) > 0 {
				t.Error("the executor was started")
			}
		})
	}
	storetest.Append(t, config, "worktree_setup: echo ready >ready; echo $CAIRN_JOB\n")
	storetest.WriteFile(t, filepath.Join(f.s.Root, ".gitignore"), "ready\n")
	f.settle()
	verbtest.ApproveAll(t, f.w)
	f.agent.line = "cat ready && echo good >file"
	one := f.run()
	f.want(one, job.Succeeded, "")
	if one.Status.Summary != "ready" || f.file("job-1", "setup.log") != "job-1\n" {
		t.Errorf("got %q", one.Status.Summary)
	}
}

func TestNothingRunsInACloneThatIsNotTrusted(t *testing.T) {
	f := newField(t)
	f.w.StateDir = t.TempDir()
	one := f.run()
	f.want(one, job.Failed, job.Setup)
	if len(f.agent.runs) > 0 || one.Status.Worktree != "" {
		t.Error("something ran")
	}
}

func TestAClosedTaskIsNotStarted(t *testing.T) {
	f := newField(t)
	id := f.make()
	if _, err := verb.Do(t.Context(), f.w, tasks.Transition, tasks.TransitionIn{ID: theTask, To: "canceled"}); err != nil {
		t.Fatal(err)
	}
	one := f.runIt(id)
	f.want(one, job.Failed, job.Setup)
	if len(f.agent.runs) > 0 {
		t.Error("the executor was started")
	}
}

func TestATaskThatSomebodyElseHolds(t *testing.T) {
	f := newField(t)
	w := *f.w
	w.Actor = verb.As("human:kim")
	if _, err := verb.Do(t.Context(), &w, tasks.Claim, tasks.ClaimIn{ID: verb.RecordID(theTask)}); err != nil {
		t.Fatal(err)
	}
	one := f.run()
	f.want(one, job.Failed, job.Setup)
	if !strings.Contains(one.Status.Message, "human:kim") {
		t.Error(one.Status.Message)
	}
}

func TestSlowATaskThatWhoAsksHolds(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	if _, err := verb.Do(t.Context(), f.w, tasks.Claim, tasks.ClaimIn{ID: verb.RecordID(theTask)}); err != nil {
		t.Fatal(err)
	}
	f.want(f.run(), job.Succeeded, "")
}

func TestSlowAJobThatWaitsTooLongExpires(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.s.Config.JobsMax = 1
	storetest.Append(t, f.s.ConfigFile(), "jobs_max: 1\n")
	f.create("PROJ-2")
	f.settle()
	f.agent.line = "echo good >file; >begun; while [ ! -e end ]; do sleep 0.05; done; rm begun end"
	first := f.during(func(id string) {
		other := f.run(func(s *job.Spec) { s.Task, s.TTL = "PROJ-2", 1 })
		f.want(other, job.Expired, "")
		storetest.WriteFile(t, filepath.Join(f.get(id).Status.Worktree, "end"), "")
	})
	f.want(first, job.Succeeded, "")
}

func TestSlowAJobThatWaitsCanBeCanceled(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	storetest.Append(t, f.s.ConfigFile(), "jobs_max: 1\n")
	f.create("PROJ-2")
	f.settle()
	f.agent.line = "echo good >file; >begun; while [ ! -e end ]; do sleep 0.05; done; rm begun end"
	f.during(func(id string) {
		waits := f.make(func(s *job.Spec) { s.Task = "PROJ-2" })
		done := make(chan error, 1)
		go func() { done <- f.runner().Run(t.Context(), f.w, waits) }()
		f.soon("the job has a supervisor", func() bool { return f.get(waits).Status.Process != 0 })
		if err := work.Jobs(f.s).Cancel(waits, "human:lee", ""); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		f.want(f.get(waits), job.Canceled, "")
		storetest.WriteFile(t, filepath.Join(f.get(id).Status.Worktree, "end"), "")
	})
}

// The end of the supervisor's own context is nobody's wish to end the job: it can go on.
func TestSlowASupervisorThatIsAskedToEndLeavesAJobThatGoesOn(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "echo half >file; >begun; sleep 300"
	id := f.make()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.runner().Run(ctx, f.w, id) }()
	f.soon("the executor works", func() bool { return f.started(id) })
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	one := f.get(id)
	f.want(one, job.Stale, "")
	ses := one.Status.Session

	f.agent.line = "rm begun; cat file; echo good >file"
	one = f.runIt(id)
	f.want(one, job.Succeeded, "")
	if one.Status.Attempt != 2 || one.Status.Summary != "half" || one.Status.Session != ses {
		t.Errorf("got %+v", one.Status)
	}
	storetest.WantCode(t, f.runner().Run(t.Context(), f.w, id), record.AlreadyTerminal)
}

// A job that was cut off has no supervisor that would let go of its task when it is canceled.
func TestSlowAStaleJobThatIsCanceledLetsGo(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "echo half >file; >begun; sleep 300"
	id := f.make()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.runner().Run(ctx, f.w, id) }()
	f.soon("the executor works", func() bool { return f.started(id) })
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := verb.Do(t.Context(), f.w, jobs.Cancel, jobs.CancelIn{Job: id, Reason: "another way"}); err != nil {
		t.Fatal(err)
	}
	one := f.get(id)
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Status != session.Canceled || f.task(one).Assignee != "" {
		t.Errorf("its session is %s, and the task is held by %q, %v", ses.Status, f.task(one).Assignee, err)
	}
	if h := session.Holder(f.task(one).Header(), f.s.Known(record.ID(theTask).Ref()), time.Now()); h.Live() {
		t.Errorf("it is held by %s", h.Actor)
	}
}

// Who has lost the lock may have a successor in the same work tree, so the executor ends, and nothing is written or
// committed any more.
func TestSlowAJobThatIsTakenAwayIsLetBe(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = `touch started; sleep 600`
	id := f.make()
	ended := make(chan error, 1)
	go func() { ended <- f.runner().Run(t.Context(), f.w, id) }()
	f.soon("the executor works", func() bool {
		tree := f.get(id).Status.Worktree
		_, err := os.Lstat(filepath.Join(tree, "started"))
		return tree != "" && err == nil
	})
	before := storetest.ReadFile(t, work.Jobs(f.s).File(id, "state.json"))
	if err := os.Remove(work.Jobs(f.s).File(id, "lock")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if record.CodeOf(err) != record.Conflict {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(slowtest.Patience):
		t.Fatal("it goes on")
	}
	if now := storetest.ReadFile(t, work.Jobs(f.s).File(id, "state.json")); now != before {
		t.Errorf("it wrote %s", now)
	}
	one := f.get(id) // this looks
	f.want(one, job.Stale, "")
	if left := f.git(one.Status.Worktree, "status", "--porcelain", "--", "started"); left != "?? started" {
		t.Errorf("its work is %q", left)
	}
	f.agent.line = "echo good >file && echo done"
	f.want(f.runIt(id), job.Succeeded, "")
}

func TestSlowOnlyOneSupervisorRunsAJob(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = ">begun; while [ ! -e end ]; do sleep 0.05; done; rm begun end; echo good >file"
	one := f.during(func(id string) {
		storetest.WantCode(t, f.runner().Run(t.Context(), f.w, id), record.Busy)
		storetest.WriteFile(t, filepath.Join(f.get(id).Status.Worktree, "end"), "")
	})
	f.want(one, job.Succeeded, "")
}

func TestSlowAHookThatRefusesTheCommitGoesBack(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	hook := filepath.Join(f.s.Root, ".git", "hooks", "pre-commit")
	storetest.WriteFile(t, hook, "#!/bin/sh\nif grep -q ugly file; then echo it is ugly >&2; exit 1; fi\n")
	if err := os.Chmod(hook, 0o700); err != nil {
		t.Fatal(err)
	}
	f.agent.line = `if grep -q 'it is ugly'; then echo good >file; else echo good and ugly >file; fi; echo done`
	one := f.run()
	f.want(one, job.Succeeded, "")
	if one.Status.Attempt != 2 {
		t.Errorf("it took %d rounds", one.Status.Attempt)
	}
	f.agent.line = "echo ugly >file"
	one = f.run(func(s *job.Spec) { s.Attempts = 0 })
	f.want(one, job.Failed, job.ChecksFailed)
	if text := storetest.ReadFile(t, filepath.Join(one.Status.Worktree, "file")); text != "ugly\n" {
		t.Errorf("the work that could not be committed is %q", text)
	}
}

func TestSlowAHookThatHangsDoesNotKeepTheJobFromEnding(t *testing.T) {
	slowtest.Skip(t)
	was := hooksAtEnd
	hooksAtEnd = time.Second
	t.Cleanup(func() { hooksAtEnd = was })
	f := newField(t)
	hook := filepath.Join(f.s.Root, ".git", "hooks", "pre-commit")
	storetest.WriteFile(t, hook, "#!/bin/sh\nsleep 600\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	one := f.run(func(s *job.Spec) { s.Timeout = 3 })
	f.want(one, job.Failed, job.Timeout)
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if ses, err := kind.Sessions.Get(f.there(one), one.Status.Session); err != nil || ses.Status != session.Failed {
		t.Errorf("its session is %s, error %v", ses.Status, err)
	}
	if left := f.git(one.Status.Worktree, "status", "--porcelain", "--", ".cairn"); left != "" {
		t.Errorf("the record is not committed: %s", left)
	}
	if got := storetest.ReadFile(t, filepath.Join(one.Status.Worktree, "file")); got != "good\n" {
		t.Errorf("the work is %q", got)
	}
}

// A git that was killed leaves locks, which would stop every later one.
func TestSlowTheLocksOfAKilledGitAreRemoved(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = `echo good >file; touch "$(git rev-parse --git-dir)/index.lock"; echo done`
	f.want(f.run(), job.Succeeded, "")
	if !strings.Contains(f.events("job-1"), "index.lock") {
		t.Error("no event tells of the lock")
	}
}

func TestSlowJobsThatRunAtOnceHaveOtherNamesAndPorts(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.create("PROJ-2")
	f.settle()
	f.agent.line = "echo good >file; >begun; while [ ! -e end ]; do sleep 0.05; done; rm begun end"
	first := f.during(func(id string) {
		other := f.make(func(s *job.Spec) { s.Task = "PROJ-2" })
		f.during1(other, func(string) {
			storetest.WriteFile(t, filepath.Join(f.get(other).Status.Worktree, "end"), "")
		})
		f.want(f.get(other), job.Succeeded, "")
		storetest.WriteFile(t, filepath.Join(f.get(id).Status.Worktree, "end"), "")
	})
	f.want(first, job.Succeeded, "")
	a, b := strings.Join(f.agent.runs[0].Env, " "), strings.Join(f.agent.runs[1].Env, " ")
	port := func(env string) string { _, rest, _ := strings.Cut(env, "CAIRN_PORT="); return strings.Fields(rest)[0] }
	if !strings.Contains(a, "agent:mine-1") || !strings.Contains(b, "agent:mine-2") || port(a) == port(b) {
		t.Errorf("they have %s and %s", a, b)
	}
}

// What a conversation has used is kept, also where the program told all of it while it worked: the next job that goes on
// with it is told its own part by that.
func TestSlowWhatAConversationUsedIsKept(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.used = job.Usage{InputTokens: 500, OutputTokens: 50}
	f.agent.counted = f.agent.used
	f.agent.events = func(r executor.Run) {
		r.Event(job.Event{Type: job.EventSession, ID: "again"})
		r.Event(job.Event{Type: job.EventUsage, Usage: &f.agent.used})
	}
	one := f.runIt(f.make())
	f.want(one, job.Succeeded, "")
	if one.Status.Counted != f.agent.counted || one.Status.Usage != f.agent.used {
		t.Errorf("counted %+v of %+v", one.Status.Counted, one.Status.Usage)
	}
}
