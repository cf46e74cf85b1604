package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

type args = verbtest.Args

// prepared is a workspace with one task in which jobs can be started, and its store.
func prepared(t *testing.T) (*verb.Workspace, *store.Store, record.ID) {
	t.Helper()
	w := verbtest.NewWorkspace(t)
	verbtest.PrepareJobs(t, w)
	made := verbtest.Must(t, w, "create", args{"title": "Mend it"})
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	return w, s, record.ID(made.ID)
}

func start(t *testing.T, w *verb.Workspace, in args) (jobs.Job, error) {
	t.Helper()
	if in["executor"] == nil {
		in["executor"] = "mine"
	}
	return verbtest.Call[jobs.Job](t, w, "job_start", in)
}

func mustStart(t *testing.T, w *verb.Workspace, in args) jobs.Job {
	t.Helper()
	one, err := start(t, w, in)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func wantCode(t *testing.T, err error, want record.Code) {
	t.Helper()
	if got := record.CodeOf(err); got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

// become has the supervisor of a job, which the test is, write states.
func become(t *testing.T, s *store.Store, id string, states ...job.State) {
	t.Helper()
	o, err := work.Jobs(s).Own(id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Release() }()
	for _, state := range states {
		if err := o.Change(func(s *job.Status) { s.State = state }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAJobThatWaitsNamesTheNextCall(t *testing.T) {
	w, _, id := prepared(t)
	supervised := ""
	w.Supervise = func(_ context.Context, _ *verb.Workspace, job string) error { supervised = job; return nil }
	one := mustStart(t, w, args{"id": id, "scope": args{"paths": []string{"src/"}}, "stall_seconds": 60, "attempts": 0})
	if one.State != job.Queued || one.Code != "START_PENDING" || one.NextTool != "job_poll" || one.NextArguments["job"] != one.Job || supervised != one.Job {
		t.Errorf("got %+v, and the supervisor of %s", one, supervised)
	}
	if one.Base != "main" || one.Priority != job.P1 || one.Output != job.Edits || one.Attempts != 0 || one.By != "human:lee" {
		t.Errorf("got %+v", one)
	}
}

// A job may wait and run for an hour, and not for less than its time limit.
func TestTheTimeOfAJobCoversItsLimit(t *testing.T) {
	for limit, want := range map[int]job.Seconds{60: 3600, 7200: 7200} {
		w, s, id := prepared(t)
		made := mustStart(t, w, args{"id": id, "timeout_seconds": limit})
		if one, err := work.Jobs(s).Get(made.Job); err != nil || one.Spec.TTL != want {
			t.Errorf("with a limit of %d: %d, %v", limit, one.Spec.TTL, err)
		}
	}
}

func TestTheSpecSaysWhatWasAsked(t *testing.T) {
	w, s, id := prepared(t)
	made := mustStart(t, w, args{"id": id, "scope": args{"read_paths": []string{"docs/"}, "paths": []string{"src/"}}, "stall_seconds": 60, "context": "carefully", "priority": "P0", "ttl_seconds": 100, "timeout_seconds": 50, "model": "m-1"})
	one, err := work.Jobs(s).Get(made.Job)
	spec := one.Spec
	if err != nil || spec.Scope.Paths[0] != "src/" || spec.Scope.ReadPaths[0] != "docs/" || spec.Stall != 60 || spec.Context != "carefully" ||
		spec.Priority != job.P0 || spec.TTL != 100 || spec.Timeout != 50 || spec.Model != "m-1" || spec.Attempts != 2 || spec.Task != id {
		t.Errorf("got %+v, %v", spec, err)
	}
}

// A budget that nobody can hold is refused before there is a job.
func TestABudgetIsRefusedWhereTheProgramTellsNothing(t *testing.T) {
	w, s, id := prepared(t)
	src, err := os.ReadFile(filepath.Join(w.ConfigDir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	src = append(src, "  codex: {cmd: [sh]}\n  claude: {cmd: [sh]}\n"...)
	if err := os.WriteFile(filepath.Join(w.ConfigDir, "config.yaml"), src, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		executor, budget, hint string
		amount                 any
	}{
		{"codex", "budget", "budget_tokens", 1.5}, {"mine", "budget", "another executor", 1.5}, {"mine", "budget_tokens", "timeout_seconds", 1000},
	} {
		_, err := start(t, w, args{"id": id, "executor": c.executor, c.budget: c.amount})
		var e *record.Error
		if !errors.As(err, &e) || e.Code != record.InvalidSpec || !strings.Contains(e.Hint.String(), c.hint) {
			t.Errorf("%s with %s: %v", c.executor, c.budget, err)
		}
	}
	one := mustStart(t, w, args{"id": id, "executor": "claude", "budget": 1.5, "budget_tokens": 1000})
	if got, err := work.Jobs(s).Get(one.Job); err != nil || got.Spec.Budget != 1.5 || got.Spec.Tokens != 1000 {
		t.Errorf("got %+v, %v", got.Spec, err)
	}
}

// What nobody could be told of at the end is refused at the start.
func TestANoticeThatReachesNobodyIsRefused(t *testing.T) {
	w, _, id := prepared(t)
	if _, err := start(t, w, args{"id": id, "notify": args{"webhook": "https://not.listed.example/x"}}); err == nil {
		t.Error("a webhook whose host the config does not list is taken")
	}
	_, err := start(t, w, args{"id": id, "notify": args{"pr": true}})
	wantCode(t, err, record.InvalidSpec)
	storetest.Git(t, w.Dir, "remote", "add", "origin", "https://github.com/a/b")
	t.Setenv("PATH", t.TempDir())
	if _, err = start(t, w, args{"id": id, "notify": args{"pr": true}}); record.CodeOf(err) != record.ExecutorMissing && record.CodeOf(err) != record.Git {
		t.Error(err)
	}
}

func TestStartMakesTheTaskThatItIsGivenInWords(t *testing.T) {
	w, _, _ := prepared(t)
	in := args{"title": "Say hello", "description": "In words.", "acceptance": []string{"it is polite"}, "checks": []args{{"desc": "builds", "cmd": "true"}}, "idempotency_key": "k"}
	one := mustStart(t, w, in)
	got, err := verbtest.Call[verb.Task](t, w, "get", args{"id": one.Task})
	if err != nil || got.Title != "Say hello" || got.Body != "In words.\n" && got.Body != "In words." || len(got.Checks) != 2 {
		t.Errorf("the task is %+v, %v", got, err)
	}
	again := mustStart(t, w, in)
	if !again.Replayed || again.Job != one.Job || again.Task != one.Task {
		t.Errorf("the call again gives %+v", again)
	}
}

// A field that every new task must have is refused before there is a task, and can be given.
func TestStartGivesTheFieldsOfItsTask(t *testing.T) {
	w, s, id := prepared(t)
	config := filepath.Join(w.Dir, ".cairn", "config.yaml")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, append(text, "fields:\n  - {name: severity, choices: [low, high], required: true}\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	in := args{"title": "Say hello", "idempotency_key": "k"}
	if _, err := start(t, w, in); record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), "severity is required") {
		t.Errorf("got %v", err)
	}
	in["fields"] = args{"severity": "high"}
	one := mustStart(t, w, in)
	got, err := verbtest.Call[verb.Task](t, w, "get", args{"id": one.Task})
	if err != nil || got.Fields["severity"] != "high" {
		t.Errorf("the task is %+v, %v", got, err)
	}
	if _, err := start(t, w, args{"id": id, "fields": args{"severity": "low"}}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("fields of a task that is there: %v", err)
	}
	if all, err := work.Jobs(s).List(); err != nil || len(all) != 1 {
		t.Errorf("there are %d jobs, %v", len(all), err)
	}
}

func TestWhatIsRefusedLeavesNoJob(t *testing.T) {
	w, s, id := prepared(t)
	dep := verbtest.Must(t, w, "create", args{"title": "Waits", "deps": []string{string(id)}}).ID
	closed := verbtest.Must(t, w, "create", args{"title": "Closed"}).ID
	verbtest.Must(t, w, "transition", args{"id": closed, "to": "done"})
	held := verbtest.Must(t, w, "create", args{"title": "Held"}).ID
	other := *w
	other.Actor = verb.As("human:kim")
	if _, err := verbtest.CallAny(t, &other, "claim", args{"id": held}); err != nil {
		t.Fatal(err)
	}
	pair := verbtest.Must(t, w, "create", args{"title": "Together", "mode": "pair"}).ID
	for _, tt := range []struct {
		name string
		in   args
		want record.Code
	}{
		{"for a pair", args{"id": pair}, record.TaskTypeMismatch},
		{"priority", args{"id": id, "priority": "P9"}, record.InvalidSpec},
		{"output", args{"id": id, "output": "words"}, record.InvalidSpec},
		{"ttl", args{"id": id, "ttl_seconds": 0}, record.InvalidSpec},
		{"timeout", args{"id": id, "timeout_seconds": -1}, record.InvalidSpec},
		{"attempts", args{"id": id, "attempts": 99}, record.InvalidSpec},
		{"budget", args{"id": id, "budget": -1}, record.InvalidSpec},
		{"paths", args{"id": id, "scope": args{"paths": []string{"../x"}}}, record.InvalidSpec},
		{"model", args{"id": id, "model": "--dangerous"}, record.InvalidSpec},
		{"webhook", args{"id": id, "notify": args{"webhook": "file:///etc/passwd"}}, record.InvalidSpec},
		{"executor that is none", args{"id": id, "executor": "nobody"}, record.InvalidSpec},
		{"executor without program", args{"id": id, "executor": "acp"}, record.ExecutorMissing},
		{"unknown key", args{"id": id, "scope": args{"path": "x"}}, record.InvalidInput},
		{"wrong type", args{"id": id, "scope": "x"}, record.InvalidInput},
		{"neither id nor title", args{}, record.InvalidInput},
		{"both", args{"id": id, "title": "x"}, record.InvalidInput},
		{"checks of a task that is there", args{"id": id, "acceptance": []string{"x"}}, record.InvalidInput},
		{"no such branch", args{"id": id, "base": "nowhere"}, record.InvalidInput},
		{"no such commit", args{"id": id, "baseline_commit": "0123456789"}, record.InvalidInput},
		{"no such task", args{"id": "PROJ-none"}, record.NotFound},
		{"open deps", args{"id": dep}, record.DepsOpen},
		{"closed", args{"id": closed}, record.TaskClosed},
		{"held by another person", args{"id": held}, record.AlreadyClaimed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := start(t, w, tt.in)
			wantCode(t, err, tt.want)
		})
	}
	w.Supervise = nil
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.Forbidden)
	if all, err := work.Jobs(s).List(); err != nil || len(all) != 0 {
		t.Errorf("%d jobs were made, %v", len(all), err)
	}
}

func TestAnExecutorMustBeNamedSomewhere(t *testing.T) {
	w, s, id := prepared(t)
	_, err := verbtest.Call[jobs.Job](t, w, "job_start", args{"id": id})
	wantCode(t, err, record.InvalidInput)
	if e := new(record.Error); !errors.As(err, &e) || !strings.Contains(e.Hint.String(), "mine") {
		t.Errorf("the refusal names no executor: %v", err)
	}
	storetest.Append(t, s.ConfigFile(), "executor: mine\n")
	if _, err := verbtest.Call[jobs.Job](t, w, "job_start", args{"id": id}); err != nil {
		t.Error(err)
	}
}

func TestACloneThatNobodyTrustedRunsNoExecutor(t *testing.T) {
	w, _, id := prepared(t)
	w.StateDir = t.TempDir()
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.Untrusted)
}

// A job asks for the commands of its task and of the set-up before it starts, while there is somebody to ask.
func TestAJobAsksForNewCommands(t *testing.T) {
	w, s, _ := prepared(t)
	written := verbtest.Must(t, w, "create", args{"title": "Own", "checks": []args{{"desc": "own", "cmd": "true own"}}})
	storetest.WriteTask(t, s, "PROJ-9", "checks:", "  - {desc: pulled, cmd: true pulled}")
	storetest.Append(t, s.ConfigFile(), "worktree_setup: true setup\n")
	asked := []string{}
	w.Approve = func(_ context.Context, commands []store.Command) (bool, error) {
		for _, c := range commands {
			asked = append(asked, c.Cmd)
		}
		return len(asked) > 1, nil
	}
	_, err := start(t, w, args{"id": "PROJ-9"})
	wantCode(t, err, record.Untrusted)
	if jobs.LeftAlone(err) {
		t.Error("the next task would be started without its set-up")
	}
	var e *record.Error
	if errors.As(err, &e); len(e.Details["commands"].([]store.Command)) != 1 {
		t.Errorf("details are %v", e.Details)
	}
	mustStart(t, w, args{"id": "PROJ-9"})
	mustStart(t, w, args{"id": written.ID})
	if want := []string{"true setup", "true setup", "true pulled"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	w.Approve = nil
	storetest.WriteTask(t, s, "PROJ-8", "checks:", "  - {desc: pulled, cmd: true as well}")
	_, err = start(t, w, args{"id": "PROJ-8"})
	if wantCode(t, err, record.Untrusted); !jobs.LeftAlone(err) {
		t.Error("a task with new commands keeps others from being started")
	}
}

func TestRightsAndScopeHold(t *testing.T) {
	w, _, id := prepared(t)
	other := record.ID(verbtest.Must(t, w, "create", args{"title": "Another"}).ID)
	one := mustStart(t, w, args{"id": id})
	worker := *w
	worker.Actor, worker.Rights = verb.As("agent:a-1"), verb.Rights{Profile: verb.PairWorker, Scope: other}
	_, err := start(t, &worker, args{"id": id})
	wantCode(t, err, record.OutOfScope)
	_, err = verbtest.Call[jobs.Job](t, &worker, "job_cancel", args{"job": one.Job})
	wantCode(t, err, record.OutOfScope)
	_, err = start(t, &worker, args{"title": "A third"})
	wantCode(t, err, record.OutOfScope)
	worker.Scope = ""
	_, err = start(t, &worker, args{"title": "A third"})
	wantCode(t, err, record.Forbidden)
	mustStart(t, &worker, args{"id": other})
	worker.Profile = verb.Planner
	_, err = start(t, &worker, args{"id": other})
	wantCode(t, err, record.Forbidden)
}

func TestSixteenCallersStartOneJob(t *testing.T) {
	w, s, id := prepared(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	made, refused := 0, 0
	for range 16 {
		all.Go(func() {
			one := *w
			_, err := start(t, &one, args{"id": id})
			mu.Lock()
			defer mu.Unlock()
			switch record.CodeOf(err) {
			case "":
				made++
			case record.AlreadyClaimed:
				refused++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := work.Jobs(s).List(); err != nil || len(list) != 1 || made != 1 || refused != 15 {
		t.Errorf("%d jobs, %d made, %d refused, %v", len(list), made, refused, err)
	}
}

func TestALiveJobIsNamedAndCanBeStartedAnew(t *testing.T) {
	w, s, id := prepared(t)
	first := mustStart(t, w, args{"id": id})
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.AlreadyClaimed)
	e := new(record.Error)
	if !errors.As(err, &e) || len(e.NextCalls()) != 1 || e.NextCalls()[0].Verb != "job_poll" || e.NextCalls()[0].Arguments()["job"] != first.Job {
		t.Errorf("the refusal leads to %v", e.NextCalls())
	}
	second := mustStart(t, w, args{"id": id, "restart": true})
	old, err := work.Jobs(s).Get(first.Job)
	if err != nil || old.Status.State != job.Canceled || second.Job == first.Job {
		t.Errorf("the first is %s, the second %s, %v", old.Status.State, second.Job, err)
	}
}

func TestAKeyStandsForADayAfterTheEnd(t *testing.T) {
	w, s, id := prepared(t)
	in := args{"id": id, "idempotency_key": "k"}
	one := mustStart(t, w, in)
	become(t, s, one.Job, job.Running, job.Succeeded)
	if again := mustStart(t, w, in); again.Job != one.Job || !again.Replayed || again.State != job.Succeeded {
		t.Errorf("the same call gives %+v", again)
	}
	_, err := start(t, w, args{"id": id, "idempotency_key": "k", "priority": "P0"})
	wantCode(t, err, record.Conflict)
	other := *w
	other.Actor = verb.As("human:kim")
	_, err = start(t, &other, in)
	wantCode(t, err, record.NotYours)
	w.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	if again := mustStart(t, w, in); again.Job == one.Job || again.Replayed {
		t.Errorf("after a day the same call gives %+v", again)
	}
}

func TestMoreThanAHundredDoNotWait(t *testing.T) {
	w, s, id := prepared(t)
	for n := range job.MaxWaiting {
		spec := job.Spec{Job: fmt.Sprintf("job-%d", n), Task: record.ID(fmt.Sprintf("PROJ-%d", n)), Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 60, Timeout: 60, CreatedAt: time.Now()}
		if _, _, err := work.Jobs(s).Create(t.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.RateLimit)
	_, err = start(t, w, args{"title": "One more"})
	wantCode(t, err, record.RateLimit)
	if all, _, err := s.All(t.Context(), kind.Tasks.Kind); err != nil || len(all) != 1 {
		t.Errorf("there are %d tasks, %v", len(all), err)
	}
}

func TestASupervisorThatCannotBeStartedFailsTheJob(t *testing.T) {
	w, s, id := prepared(t)
	w.Supervise = func(context.Context, *verb.Workspace, string) error {
		return record.Errorf(record.IO, "no processes left")
	}
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.IO)
	all, err := work.Jobs(s).List()
	if err != nil || len(all) != 1 || all[0].Status.State != job.Failed || all[0].Status.Reason != job.InternalError {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestPollWaitsForAChangeAndPages(t *testing.T) {
	w, s, id := prepared(t)
	one := mustStart(t, w, args{"id": id})
	poll := func(in args) jobs.Polled {
		t.Helper()
		in["job"] = one.Job
		out, err := verbtest.Call[jobs.Polled](t, w, "job_poll", in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := poll(args{"wait": true, "timeout_seconds": 0.05}); !out.TimedOut || out.State != job.Queued {
		t.Errorf("nothing happened, and the answer is %+v", out)
	}
	changed := make(chan jobs.Polled)
	go func() { changed <- poll(args{"wait": true, "timeout_seconds": 20}) }()
	o, err := work.Jobs(s).Own(one.Job)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Release() }()
	for done := false; !done; { // the wait may begin after a change, so there are several
		if err := o.Change(func(s *job.Status) { s.State, s.Summary = job.Running, s.Summary+"." }); err != nil {
			t.Fatal(err)
		}
		select {
		case out := <-changed:
			done = true
			if out.State != job.Running || out.TimedOut {
				t.Errorf("the wait gives %+v", out)
			}
		case <-time.After(100 * time.Millisecond):
		}
	}
	for n := range 7 {
		if err := o.Event(job.Event{Type: job.EventText, Text: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	out := poll(args{"events": true, "limit": 4, "offset": 2})
	if len(out.Events) != 4 || *out.Total != 9 || !*out.HasMore || *out.NextOffset != 6 || out.Events[0].Text != "0" {
		t.Errorf("the page is %+v of %d", out.Events, *out.Total)
	}
	if out := poll(args{"events": true, "offset": 100}); len(out.Events) != 0 || *out.HasMore || *out.NextOffset != 9 {
		t.Errorf("the page behind the end is %+v", out)
	}
	become2 := func(to job.State) {
		if err := o.Change(func(s *job.Status) { s.State = to }); err != nil {
			t.Fatal(err)
		}
	}
	become2(job.Succeeded)
	if out := poll(args{"wait": true, "timeout_seconds": 20}); out.TimedOut || out.State != job.Succeeded {
		t.Errorf("a job that has ended is waited for: %+v", out)
	}
}

func TestPollRefusesWhatIsOutOfRange(t *testing.T) {
	w, _, id := prepared(t)
	one := mustStart(t, w, args{"id": id})
	for _, tt := range []struct {
		in   args
		want record.Code
	}{
		{args{"job": "job-none"}, record.JobNotFound},
		{args{"job": "../x"}, record.InvalidInput},
		{args{"job": one.Job, "limit": 501}, record.InvalidInput},
		{args{"job": one.Job, "offset": -1}, record.InvalidInput},
		{args{"job": one.Job, "wait": true, "timeout_seconds": 1e9}, record.InvalidTimeout},
	} {
		_, err := verbtest.Call[jobs.Polled](t, w, "job_poll", tt.in)
		wantCode(t, err, tt.want)
	}
}

func TestCancelEndsAJobOnce(t *testing.T) {
	w, _, id := prepared(t)
	one := mustStart(t, w, args{"id": id})
	out, err := verbtest.Call[jobs.Job](t, w, "job_cancel", args{"job": one.Job, "reason": "not needed"})
	if err != nil || out.State != job.Canceled || !strings.Contains(out.Message, "not needed") {
		t.Errorf("got %+v, %v", out, err)
	}
	_, err = verbtest.Call[jobs.Job](t, w, "job_cancel", args{"job": one.Job})
	wantCode(t, err, record.AlreadyTerminal)
}

func TestTheListIsFilteredAndPaged(t *testing.T) {
	w, s, id := prepared(t)
	first := mustStart(t, w, args{"id": id})
	become(t, s, first.Job, job.Running, job.Failed)
	for n := range 24 {
		mustStart(t, w, args{"title": fmt.Sprint("Task ", n)})
	}
	list := func(in args) jobs.Listed {
		t.Helper()
		out, err := verbtest.Call[jobs.Listed](t, w, "job_list", in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := list(args{}); len(out.Items) != 20 || out.Total != 25 || !out.HasMore {
		t.Errorf("%d of %d, more %v", len(out.Items), out.Total, out.HasMore)
	}
	if out := list(args{"offset": 20}); len(out.Items) != 5 || out.HasMore || out.Items[4].Job != first.Job {
		t.Errorf("the second page has %d, more %v", len(out.Items), out.HasMore)
	}
	for _, in := range []args{{"state": "FAILED"}, {"task": id}} {
		if out := list(in); out.Total != 1 || out.Items[0].Job != first.Job {
			t.Errorf("%v gives %d", in, out.Total)
		}
	}
	if out := list(args{"executor": "other"}); out.Total != 0 || out.Items == nil {
		t.Errorf("another executor has %d", out.Total)
	}
	for _, in := range []args{{"limit": 101}, {"state": "LOST"}, {"offset": -1}} {
		_, err := verbtest.Call[jobs.Listed](t, w, "job_list", in)
		wantCode(t, err, record.InvalidInput)
	}
}

func TestARetryGoesOnOrBeginsAnew(t *testing.T) {
	w, s, id := prepared(t)
	one := mustStart(t, w, args{"id": id, "context": "carefully", "idempotency_key": "k"})
	_, err := jobs.Retry(t.Context(), w, one.Job, false)
	wantCode(t, err, record.AlreadyClaimed)
	become(t, s, one.Job, job.Running) // and the supervisor is gone
	supervised := ""
	w.Supervise = func(_ context.Context, _ *verb.Workspace, id string) error { supervised = id; return nil }
	again, err := jobs.Retry(t.Context(), w, one.Job, false)
	if err != nil || again.Job != one.Job || again.State != job.Queued || supervised != one.Job {
		t.Errorf("a stale job gives %+v, %v", again, err)
	}
	become(t, s, one.Job, job.Running, job.Failed)
	other, err := jobs.Retry(t.Context(), w, one.Job, false)
	if err != nil || other.Job == one.Job || other.RetryOf != one.Job {
		t.Fatalf("a failed job gives %+v, %v", other, err)
	}
	spec, err := work.Jobs(s).Get(other.Job)
	if err != nil || spec.Spec.Context != "carefully" || spec.Spec.Key != "" {
		t.Errorf("the new spec is %+v, %v", spec.Spec, err)
	}
}

// Folders of jobs that cannot be read are counted, with what is wrong with the first.
func TestBrokenFoldersAreCounted(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"job-01kvmtdg000000", "job-01kvmtfak00000", "job-01kvmvj3w00000"} {
		if err := os.MkdirAll(filepath.Join(s.Live.Jobs(), id), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, err := verb.Do(t.Context(), w, jobs.List, jobs.ListIn{})
	if err != nil || len(out.Problems) != 1 || !strings.HasSuffix(out.Problems[0].Message, "; and 2 more folders of jobs cannot be read") {
		t.Errorf("%+v: %v", out.Problems, err)
	}
}

// Nothing starts the same failing work for ever, and nothing goes on once jobs cost what the user lets them.
func TestJobsEndWhereAPersonDecides(t *testing.T) {
	w, s, id := prepared(t)
	w.Supervise = func(context.Context, *verb.Workspace, string) error { return nil }
	now := w.Now().Add(2 * time.Second)
	w.Now = func() time.Time { return now }
	ends := func(cost float64, state job.State) {
		t.Helper()
		one := mustStart(t, w, args{"id": id})
		become(t, s, one.Job, job.Running)
		o, err := work.Jobs(s).Own(one.Job)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = o.Release() }()
		if err := o.Change(func(s *job.Status) { s.State, s.Cost, s.StartedAt, s.FinishedAt = state, cost, w.Now(), w.Now() }); err != nil {
			t.Fatal(err)
		}
	}
	for range job.MaxInVain {
		ends(1, job.Failed)
	}
	_, err := start(t, w, args{"id": id})
	wantCode(t, err, record.BudgetSpent)
	now = now.Add(time.Second)
	verbtest.Must(t, w, "note", args{"id": id, "text": "use the other library"})
	ends(1, job.Canceled)

	path := filepath.Join(w.ConfigDir, "config.yaml")
	executors := storetest.ReadFile(t, path)
	storetest.WriteFile(t, path, executors+"\njobs_budget: {task: 6}\n")
	_, err = start(t, w, args{"id": id})
	wantCode(t, err, record.BudgetSpent)
	storetest.WriteFile(t, path, executors+"\njobs_budget: {task: 10, day: 6}\n")
	_, err = start(t, w, args{"id": id})
	wantCode(t, err, record.BudgetSpent)
	storetest.WriteFile(t, path, executors+"\njobs_budget: {task: 10, day: 60}\n")
	ends(0, job.Failed)
	for _, wrong := range []string{"jobs_budget: {week: 3}", "jobs_budget: {day: -1}", "jobs_budget: {day: .nan}", "jobs_budget: [1]"} {
		storetest.WriteFile(t, path, executors+"\n"+wrong+"\n")
		_, err = start(t, w, args{"id": id})
		wantCode(t, err, record.BadFile)
	}
}
