package runner

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/cairn-tasks/cairn/check/proc"
	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/job/executor"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/jobs"
	"github.com/cairn-tasks/cairn/store/worktree"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// Agent is an executor as a job needs it. executor.Executor is one.
type Agent interface {
	Present() error
	Max() int
	HandsOver() bool
	Resumes() bool
	Start(context.Context, executor.Run) (executor.Result, error)
}

// Runner is how jobs are run. Its zero value runs them as they are meant to be; the fields are for who puts programs together, and for tests.
type Runner struct {
	Agent   func(w *verb.Workspace, name string) (Agent, error)                      // nil for the executors of the user
	OpenPR  func(ctx context.Context, w *verb.Workspace, id task.ID) (job.PR, error) // opens the pull request of a task's branch; nil for none
	Owned   func()                                                                   // is called once the job is this process's; may be nil
	Backoff func(crash int) (time.Duration, bool)                                    // nil for job.Backoff
	Program []string                                                                 // how cairn is started; nil for this program
	Env     []string                                                                 // of the set-up command and of the executor, on top of what they inherit
}

// Run runs a job as Runner.Run does.
func Run(ctx context.Context, w *verb.Workspace, id string) error { return Runner{}.Run(ctx, w, id) }

// Run runs a job to its end, and returns once its final state is written. What becomes of the job is in its state and no error of Run. The end of ctx
// ends the processes of the job and leaves it STALE, so that it can go on later.
//
// It returns BUSY if another process runs the job, JOB_NOT_FOUND if there is none, ALREADY_TERMINAL if it has ended, and IO if its state cannot be
// written.
func (f Runner) Run(ctx context.Context, w *verb.Workspace, id string) error {
	s, err := w.Open()
	if err != nil {
		return err
	}
	owned, err := s.Jobs().Own(id)
	if err != nil {
		return err
	}
	defer func() { _ = owned.Release() }()
	one := owned.Job()
	if one.Status.State.Final() {
		return task.Errorf(task.AlreadyTerminal, "%s has ended: %s", id, one.Status.State).ForGood()
	}
	r := &run{Runner: f, w: w.WithoutKey(), s: s, owned: owned, spec: one.Spec}
	if err := r.takeOver(); err != nil {
		return err
	}
	if f.Owned != nil {
		f.Owned()
	}
	return r.whole(proc.Traced(ctx, r.trace))
}

// run is a job that is being run.
type run struct {
	Runner
	w     *verb.Workspace // of who asked, in the workspace where the job was asked for
	s     *store.Store
	owned *jobs.Owned
	spec  job.Spec

	agent   Agent
	trees   *worktree.Worktrees
	tree    worktree.Tree
	made    bool            // tree is there
	acts    *verb.Workspace // of the executor, in the work tree
	at      *store.Store    // the work tree's
	from    string          // the commit at which the branch left its base when the run began
	before  task.Task       // the task as it was when the job began
	since   time.Time       // from which its time to live counts: its creation, or when it went on
	session string
	ports   int
	release []func() // gives back numbers and the slot

	pulse   pulse
	end     exit // of the newest run of the executor
	final   string
	spent   float64
	out     log
	problem log
}

// takeOver makes a job of which nothing is known but its files one that waits to be run, and shows that it has a supervisor.
func (r *run) takeOver() error {
	if err := r.owned.Trace(proc.Trace{Job: r.spec.Job}); err != nil {
		return err
	}
	one := r.owned.Job()
	if r.since = one.Spec.CreatedAt; one.Status.Attempt > 0 || one.Status.State != job.Queued {
		r.since = r.w.Now().UTC()
	}
	if one.Status.State == job.Running { // its supervisor was killed, and nobody has looked since
		if err := r.owned.Change(func(s *job.Status) { s.State, s.Phase = job.Stale, "" }); err != nil {
			return err
		}
	}
	return r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = job.Queued, "", "", "", false, os.Getpid()
	})
}

// trace keeps what leads to the processes of a command that is about to run. Without it a killed supervisor's processes are still found by the
// name of the job in their environment.
func (r *run) trace(t proc.Trace) {
	if t.Job == "" {
		t.Job = r.spec.Job
	}
	_ = r.owned.Trace(t)
}

// whole runs the job, and writes its end.
func (r *run) whole(ctx context.Context) error {
	defer func() {
		for _, release := range r.release {
			release()
		}
	}()
	if err := r.queued(ctx); err != nil {
		return r.over(err)
	}
	ctx, stop := r.watch(ctx, r.endOfRun(), errTimeout)
	err := r.running(ctx)
	stop()
	return r.over(err)
}

// endOfRun is when the time of the job is over. That of one that goes on is counted anew.
func (r *run) endOfRun() time.Time {
	one := r.owned.Job()
	one.Spec.CreatedAt = r.since
	return one.EndOfRun()
}

// queued waits until the job may run, and says that it does. Its error is an *ended.
func (r *run) queued(ctx context.Context) error {
	find := r.Agent
	if find == nil {
		find = fromTable
	}
	var err error
	if r.agent, err = find(r.w, r.spec.Executor); err == nil {
		err = r.agent.Present()
	}
	if err != nil {
		return endOf(ctx, or(job.ExecutorMissing, err))
	}
	ctx, stop := r.watch(ctx, r.since.Add(r.spec.TTL.Duration()), errExpired)
	release, err := r.owned.Slot(ctx, r.s.Config.JobsMax, r.agent.Max())
	if err != nil {
		why := endOf(ctx, err)
		stop()
		return why
	}
	stop()
	r.release = append(r.release, release)
	return asEnd(r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.StartedAt, s.Attempt = job.Running, job.Preparing, r.w.Now().UTC(), s.Attempt+1
	}))
}

// asEnd makes the error of a write an *ended.
func asEnd(err error) error {
	if err == nil {
		return nil
	}
	return endOf(context.Background(), err)
}

func fromTable(w *verb.Workspace, name string) (Agent, error) {
	table, err := executor.Load(w.ConfigDir)
	if err != nil {
		return nil, err
	}
	return table.Get(name)
}

// running prepares and does the work. Its error is an *ended, or nil if the executor handed over what passes its checks.
func (r *run) running(ctx context.Context) error {
	err := r.prepare(ctx)
	if err == nil {
		err = r.work(ctx)
	}
	if err != nil {
		return endOf(ctx, err)
	}
	return nil
}

// phase shows what the job does.
func (r *run) phase(p job.Phase) error {
	if r.owned.Job().Status.Phase == p {
		return nil
	}
	return r.owned.Change(func(s *job.Status) { s.Phase = p })
}

// over writes the final state, and leaves the work as the way in which the job ended asks.
func (r *run) over(err error) error {
	e := &ended{state: job.Succeeded}
	if err != nil && !errors.As(err, &e) {
		e = endOf(context.Background(), err)
	}
	if err := r.owned.Held(); err != nil { // it and the work tree may be another process's by now
		return err
	}
	if e.state == job.Stale {
		return r.owned.Change(func(s *job.Status) { s.State, s.Phase, s.Message, s.Process = job.Stale, "", e.message, 0 })
	}
	return r.close(e)
}
