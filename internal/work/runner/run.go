package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store"
)

// Agent is an executor as a job needs it. executor.Executor is one.
type Agent interface {
	Present() error
	Max() int
	HandsOver() bool
	Resumes() bool
	Needs() executor.Needs
	Start(context.Context, executor.Run) (executor.Result, error)
}

// Runner runs jobs. The zero value is ready to use; the fields are for programs that embed cairn, and for tests.
type Runner struct {
	Agent   func(w *verb.Workspace, name string) (Agent, error)                        // finds an executor; nil for those of the user's config
	OpenPR  func(ctx context.Context, w *verb.Workspace, id record.ID) (job.PR, error) // opens the pull request of a task's branch; nil for none
	Owned   func()                                                                     // is called once this process is the supervisor, and the job runs or has to wait; may be nil
	Backoff func(crash int) time.Duration                                              // the pause after a crash; nil for job.Backoff
	Program []string                                                                   // the command that starts cairn; nil for this program
	Env     []string                                                                   // of the set-up command and of the executor, on top of what they inherit
}

// Run runs a job to its end, and returns nil once its final state is written. How the job ended is in its state: a job
// that failed is no error of Run. If ctx ends, the processes of the job are ended and the job is left STALE, so that it
// can go on later.
//
// It returns BUSY if another process runs the job, JOB_NOT_FOUND if there is no such job, ALREADY_TERMINAL if it has
// ended, CONFLICT if its lock was lost while it ran, and IO if its state cannot be written.
func (f Runner) Run(ctx context.Context, w *verb.Workspace, id string) error {
	s, err := w.Open()
	if err != nil {
		return err
	}
	owned, err := work.Jobs(s).Own(id)
	if err != nil {
		return err
	}
	defer func() { _ = owned.Release() }()
	for {
		if err := f.once(ctx, w, s, owned); err != nil || owned.Job().Status.State != job.Waiting {
			return err
		}
		if goesOn, err := sleep(ctx, w, s, owned); err != nil || !goesOn {
			return err
		}
		f.Owned = nil // it was told already
	}
}

// once runs a job until it ends, or waits for an answer.
func (f Runner) once(ctx context.Context, w *verb.Workspace, s *store.Store, owned *jobs.Owned) error {
	one := owned.Job()
	id := one.Spec.Job
	if one.Status.State.Final() {
		return record.Errorf(record.AlreadyTerminal, "%s has ended: %s", id, one.Status.State).ForGood()
	}
	r := &run{
		Runner: f, w: w.WithoutKey(), s: s, owned: owned, spec: one.Spec,
		watch: &watch{owned: owned, now: w.Now, stall: one.Spec.Stall.Duration()},
	}
	if err := r.takeOver(); err != nil {
		return err
	}
	r.used, r.told, r.wentOn = one.Status.Usage, one.Status.Usage, one.Status.Attempt > 0 && one.Status.Question == ""
	defer proc.Adopt()()
	// How to find the processes of each command is recorded before it runs. An error is ignored: those of a killed
	// supervisor are also found by the id of the job in their environment.
	return r.whole(proc.Traced(ctx, func(t proc.Trace) {
		if t.Job == "" {
			t.Job = id
		}
		_ = owned.Trace(t)
	}))
}

// run is a job on its way through its phases. What a phase makes stays nil until that phase has come so far.
type run struct {
	Runner
	w     *verb.Workspace // of the actor who asked for the job, in the workspace where they asked
	s     *store.Store    // of that workspace
	owned *jobs.Owned
	spec  job.Spec
	since time.Time // the time to live counts from here: the creation of the job, or the moment at which it went on
	watch *watch

	agent        Agent
	tree         *workTree
	session      *jobSession
	box          *sandbox.Box // in which its program runs; nil for none
	out, problem io.Writer    // logs of what the executor prints
	ports        int          // the first port of the job's block
	exit         exit         // of the last run of the executor
	used, told   job.Usage    // in all runs, and what of that sessions say
	final        string       // what the executor said last
	earlier      job.Job      // that worked in this work tree last; the zero value if it is a new one
	wentOn       bool         // the job was at work before
	resumed      bool         // the last run went on with a conversation
	toldGuards   bool         // that it changed files on which checks stand
	anew         bool         // its conversation cannot be gone on with
	release      []func()     // each gives a number or the slot back
}

// takeOver brings a job whose earlier supervisor may be gone back to QUEUED, and records this process as its
// supervisor.
func (r *run) takeOver() error {
	if err := r.owned.Trace(proc.Trace{Job: r.spec.Job}); err != nil {
		return err
	}
	one := r.owned.Job()
	if r.since = one.Spec.CreatedAt; one.Status.Attempt > 0 || one.Status.State != job.Queued {
		r.since = r.w.Now().UTC()
	}
	if one.Status.State == job.Running { // its supervisor was killed, and nobody has noticed yet; RUNNING becomes QUEUED by way of STALE only
		if err := r.owned.Change(func(s *job.Status) { s.State, s.Phase = job.Stale, "" }); err != nil {
			return err
		}
	}
	return r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = job.Queued, "", "", "", false, os.Getpid()
	})
}

// whole runs the job and writes its end. The time of a job that goes on is counted from the moment at which it went on.
func (r *run) whole(ctx context.Context) error {
	defer func() {
		for _, release := range r.release {
			release()
		}
	}()
	if err := r.queued(ctx); err != nil {
		return r.over(err)
	}
	one := r.owned.Job()
	one.Spec.CreatedAt = r.since
	ctx, stop := r.watch.until(ctx, one.EndOfRun(), errTimeout)
	err := r.prepare(ctx)
	if err == nil {
		err = r.work(ctx)
	}
	if err != nil {
		err = endOf(ctx, err)
	}
	stop()
	return r.over(err)
}

// queued waits for a slot, and makes the job RUNNING. Its error is an *ended. Whoever started the job is told of it as
// soon as it is known whether it has to wait.
func (r *run) queued(ctx context.Context) error {
	tell := sync.OnceFunc(func() {
		if r.Owned != nil {
			r.Owned()
		}
	})
	defer tell()
	find := r.Agent
	if find == nil {
		find = func(w *verb.Workspace, name string) (Agent, error) {
			table, err := executor.Load(w.ConfigDir)
			if err != nil {
				return nil, err
			}
			return table.Get(name)
		}
	}
	var err error
	if r.agent, err = find(r.w, r.spec.Executor); err == nil {
		err = r.agent.Present()
	}
	if err != nil {
		return endOf(ctx, or(job.ExecutorMissing, err))
	}
	ctx, stop := r.watch.until(ctx, r.since.Add(r.spec.TTL.Duration()), errExpired)
	release, err := r.owned.Slot(ctx, r.s.Config.JobsMax, r.agent.Max(), tell, func() (bool, error) { return r.begins(ctx) })
	if err != nil {
		err = endOf(ctx, err)
	}
	stop()
	if err != nil {
		return err
	}
	r.release = append(r.release, release)
	return nil
}

// begins makes the job RUNNING, unless its task is about files of another that is at work: then the job says so, and waits.
func (r *run) begins(ctx context.Context) (bool, error) {
	why := ""
	if all := r.w.Collisions(ctx, r.s, r.spec.Task); len(all) > 0 {
		why = "waits, since it is about files of what is at work: " + verb.CollisionsText(all)
	}
	if why != "" && r.owned.Job().Status.Message == why {
		return false, nil
	}
	return why == "", r.owned.Change(func(s *job.Status) {
		if s.Message = why; why == "" {
			s.State, s.Phase, s.StartedAt = job.Running, job.Preparing, r.w.Now().UTC()
			if s.Question == "" || s.Attempt == 0 { // one that asked goes on with its round
				s.Attempt++
			}
		}
	})
}

// over writes the end of the job that a step's error asks for; nil is success. It writes nothing if the lock of the job
// is lost, since another process may have the job and its work tree by then.
func (r *run) over(err error) error {
	e := &ended{state: job.Succeeded}
	if err != nil && !errors.As(err, &e) {
		e = endOf(context.Background(), err)
	}
	if err := r.owned.Held(); err != nil {
		return err
	}
	if e.state == job.Stale {
		return r.owned.Change(func(s *job.Status) { s.State, s.Phase, s.Message, s.Process = job.Stale, "", e.message, 0 })
	}
	if e.state == job.Waiting {
		return r.park()
	}
	return r.close(e)
}

// ended is an error that ends the job, and says how.
type ended struct {
	state   job.State
	reason  job.Reason
	message string
}

func (e *ended) Error() string { return e.message }

func failed(reason job.Reason, format string, args ...any) error {
	return &ended{job.Failed, reason, fmt.Sprintf(format, args...)}
}

// Why a watch ends the context of a job.
var (
	errExpired = &ended{job.Expired, "", "its time to live was over before it could run"}
	errTimeout = &ended{job.Failed, job.Timeout, "the time limit was reached"}
	errLost    = &ended{job.Stale, "", "the folder of the job is not this process's any more"}
)

// endOf is how the error of a step ends the job. If the context of the step has ended, that is the reason, whatever the
// step returned.
func endOf(ctx context.Context, err error) *ended {
	var e *ended
	switch {
	case errors.As(context.Cause(ctx), &e):
		return e
	case ctx.Err() != nil: // its supervisor was asked to end, and nobody asked the job to
		return &ended{state: job.Stale, message: "the process that ran the job was asked to end"}
	case errors.As(err, &e):
		return e
	default:
		return &ended{job.Failed, job.InternalError, record.MessageOf(err)}
	}
}

// or makes the error of a step an *ended with this reason, or with CLAIM_LOST if it says that. It leaves an *ended as
// it is, and so the error of a context. A hint that holds a call is left out: the message is kept, and each front-end
// spells calls in its own way.
func or(reason job.Reason, err error) error {
	var e *ended
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if record.CodeOf(err) == record.ClaimLost {
		reason = job.ClaimLost
	}
	message := record.MessageOf(err)
	var coded *record.Error
	if errors.As(err, &coded) && !coded.Hint.Empty() && len(coded.Hint.Calls()) == 0 {
		message += "; " + coded.Hint.String()
	}
	return &ended{job.Failed, reason, message}
}
