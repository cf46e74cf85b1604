package runner

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// parts are what other processes of a test do.
var parts = map[string]storetest.Part{}

func TestMain(m *testing.M) { storetest.Main(m, parts) }

// shell is an executor that runs a command line in the work tree, with its prompt as the input.
type shell struct {
	line      string
	handsOver bool // the line calls the verbs itself
	resumes   bool
	missed    int  // of what it was told while it worked, in its next run
	passing   bool // what fails passes
	missing   error
	used      job.Usage // in each run
	counted   job.Usage // of the conversation, in each run
	most      int

	mu      sync.Mutex
	runs    []executor.Run
	results []executor.Result
	events  func(r executor.Run) // reports in the name of the program
	does    func(r executor.Run) // is called before the line
}

func (a *shell) Present() error  { return a.missing }
func (a *shell) Max() int        { return a.most }
func (a *shell) HandsOver() bool { return a.handsOver }
func (a *shell) Resumes() bool   { return a.resumes }

func (a *shell) Needs() executor.Needs { return executor.Needs{} }

func (a *shell) Start(ctx context.Context, r executor.Run) (executor.Result, error) {
	a.mu.Lock()
	a.runs = append(a.runs, r)
	a.mu.Unlock()
	if a.does != nil {
		a.does(r)
	}
	var out bytes.Buffer
	if a.events != nil {
		a.events(r)
	}
	end, err := proc.Run(ctx, proc.Command{
		Line: a.line, Dir: r.Dir, Env: append(os.Environ(), r.Env...), Stdin: strings.NewReader(r.Prompt),
		Stdout: &out, Stderr: r.Stderr, Grace: 500 * time.Millisecond,
	})
	_, _ = r.Stdout.Write(out.Bytes())
	result := executor.Result{
		Done: end.Passed(), Failed: !end.Passed() && end.Signal == "", Final: out.String(), Exit: end.Exit, Signal: end.Signal,
		Missed: a.missed, Counted: a.counted, Canceled: end.Canceled, TimedOut: end.TimedOut, ResumeID: "again", Usage: a.used, Passing: a.passing && !end.Passed(),
		OverBudget: r.Budget > 0 && a.used.Cost > r.Budget || r.Tokens > 0 && a.used.Spent() > r.Tokens,
	}
	a.mu.Lock()
	a.missed = 0
	a.results = append(a.results, result)
	a.mu.Unlock()
	return result, err
}

// prompts are what the executor was told, run by run.
func (a *shell) prompts() (out []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.runs {
		out = append(out, r.Prompt)
	}
	return out
}

// field is a workspace in a git repository, with a task whose checks ask for a good file.
type field struct {
	*testing.T
	w     *verb.Workspace
	s     *store.Store
	agent *shell
	jobs  int
}

const theTask = record.ID("PROJ-1")

// newField makes a workspace, trusted and committed. Its executor makes the file good.
func newField(t *testing.T) *field {
	t.Helper()
	dir := storetest.NewRepo(t)
	s := storetest.NewAt(t, dir)
	w := &verb.Workspace{
		Dir: dir, StateDir: storetest.StateDir(), ConfigDir: filepath.Join(t.TempDir(), "config"), Actor: verb.As("human:lee"),
		Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader,
		Confirm: func(context.Context, []task.Ask) error { return nil },
	}
	if err := s.SetTrust("human:lee", time.Now()); err != nil {
		t.Fatal(err)
	}
	f := &field{T: t, w: w, s: s, agent: &shell{line: "echo good >file && echo I made it good"}}
	storetest.WriteFile(t, filepath.Join(dir, "README"), "here\n")
	f.create(theTask, tasks.CheckIn{Desc: "the file is good", Cmd: "grep -q good file"})
	f.settle()
	return f
}

// create makes a task with an id.
func (f *field) create(id record.ID, checks ...tasks.CheckIn) {
	f.Helper()
	if err := storetest.NewActor(f.s, "human:lee").CreateAs(id, "make the file good"); err != nil {
		f.Fatal(err)
	}
	body := "It should say good."
	if _, err := verb.Do(f.Context(), f.w, tasks.Update, tasks.UpdateIn{ID: verb.RecordID(id), Body: &body, Checks: &checks}); err != nil {
		f.Fatal(err)
	}
}

// settle commits everything.
func (f *field) settle() { f.Helper(); storetest.CommitAll(f, f.s) }

// spec is that of a job on the task, changed by the caller.
func (f *field) spec(change ...func(*job.Spec)) job.Spec {
	f.jobs++
	spec := job.Spec{
		Job: fmt.Sprintf("job-%d", f.jobs), Task: theTask, By: "human:lee", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 600,
		Timeout: 300, Attempts: 2, Restarts: 3, Root: f.s.Root, CreatedAt: time.Now().UTC(),
	}
	for _, c := range change {
		c(&spec)
	}
	return spec
}

// make creates a job that waits.
func (f *field) make(change ...func(*job.Spec)) string {
	f.Helper()
	one, _, err := work.Jobs(f.s).Create(f.Context(), f.spec(change...), func([]job.Job) (*job.Job, error) { return nil, nil })
	if err != nil {
		f.Fatal(err)
	}
	return one.Spec.Job
}

// runner is the one under test.
func (f *field) runner() Runner {
	return Runner{
		Agent:   func(*verb.Workspace, string) (Agent, error) { return f.agent, nil },
		Backoff: func(int) time.Duration { return time.Millisecond },
	}
}

// run creates a job, runs it to its end, and returns it.
func (f *field) run(change ...func(*job.Spec)) job.Job {
	f.Helper()
	return f.runIt(f.make(change...))
}

func (f *field) runIt(id string) job.Job {
	f.Helper()
	if err := f.runner().Run(f.Context(), f.w, id); err != nil {
		f.Fatal(err)
	}
	return f.get(id)
}

func (f *field) get(id string) job.Job {
	f.Helper()
	one, err := work.Jobs(f.s).Get(id)
	if err != nil {
		f.Fatal(err)
	}
	return one
}

// want fails the test if a job ended otherwise.
func (f *field) want(one job.Job, state job.State, reason job.Reason) {
	f.Helper()
	if one.Status.State != state || one.Status.Reason != reason {
		f.Fatalf("%s ended as %s %s, want %s %s: %s\n%s", one.Spec.Job, one.Status.State, one.Status.Reason, state, reason, one.Status.Message, f.events(one.Spec.Job))
	}
}

// events are those of a job, as text.
func (f *field) events(id string) string {
	f.Helper()
	all, _, err := work.Jobs(f.s).Events(id, 0, 1000)
	if err != nil {
		f.Fatal(err)
	}
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Type, e.State, e.Phase, e.Text)
	}
	return b.String()
}

// file is a file of a job.
func (f *field) file(id, name string) string {
	f.Helper()
	return storetest.ReadFile(f, work.Jobs(f.s).File(id, name))
}

// there is the store of the work tree of a job.
func (f *field) there(one job.Job) *store.Store { f.Helper(); return f.open(one.Status.Worktree) }

// open is the store of a folder.
func (f *field) open(dir string) *store.Store {
	f.Helper()
	s, err := store.Open(dir, f.w.StateDir)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// task is the task in the work tree of a job.
func (f *field) task(one job.Job) task.Task {
	f.Helper()
	t, err := kind.Tasks.Get(f.there(one), one.Spec.Task)
	if err != nil {
		f.Fatal(err)
	}
	return t
}

// git is what a git command prints.
func (f *field) git(dir string, args ...string) string {
	f.Helper()
	return strings.TrimSpace(storetest.GitOutput(f, dir, args...))
}

// clean fails the test if the work tree of a job has uncommitted changes.
func (f *field) clean(one job.Job) {
	f.Helper()
	if left := f.git(one.Status.Worktree, "status", "--porcelain"); left != "" {
		f.Errorf("uncommitted:\n%s", left)
	}
}

// soon waits until a condition holds.
func (f *field) soon(what string, holds func() bool) {
	f.Helper()
	for deadline := time.Now().Add(slowtest.Patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("not within 20 s: %s", what)
		}
	}
}
