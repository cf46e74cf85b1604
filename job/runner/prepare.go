package runner

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"strconv"

	"github.com/cairn-tasks/cairn/check/proc"
	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// prepare makes everything that the executor needs, and asks what may have changed since the job was created.
func (r *run) prepare(ctx context.Context) error {
	if err := or(job.Setup, r.mayStart()); err != nil {
		return err
	}
	if err := or(job.Setup, r.makeTree(ctx)); err != nil {
		return err
	}
	if err := or(job.Setup, r.setUp(ctx)); err != nil {
		return err
	}
	if err := r.openLogs(); err != nil {
		return err
	}
	if err := r.takeNumbers(); err != nil {
		return err
	}
	return or(job.Setup, r.begin(ctx))
}

// mayStart returns why the job may not start: its clone is not trusted, its task is closed, or another job is at work on the task.
func (r *run) mayStart() error {
	if !r.s.Trusted() {
		return task.Errorf(task.Untrusted, "this clone's commands were not approved on this machine, and an executor runs any").
			WithHint("a person runs %s in a terminal", task.CallTo("trust").ByPerson())
	}
	t, err := record.Tasks.Get(r.s, r.spec.Task)
	if err != nil {
		return err
	}
	if r.s.Config.Flow.IsClosed(t.Status) {
		return task.Errorf(task.TaskClosed, "%s is closed (%s)", t.ID, t.Status)
	}
	if t.Repo != "" { // it was given one since the job was created
		return task.Errorf(task.InvalidSpec, "%s is about the repository %s, and jobs work in that of the workspace", t.ID, t.Repo).
			WithHint("work on it there by hand, or keep its tasks in a workspace of its own")
	}
	all, err := r.s.Jobs().List()
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Spec.Task == r.spec.Task && other.Status.State == job.Running && other.Spec.Job != r.spec.Job {
			return task.Errorf(task.Busy, "%s works on %s", other.Spec.Job, r.spec.Task)
		}
	}
	return nil
}

// makeTree makes the work tree of the task, or takes the one that there is.
func (r *run) makeTree(ctx context.Context) error {
	var err error
	if r.trees, err = r.s.Worktrees(r.w.Now); err != nil {
		return err
	}
	if r.tree, err = r.trees.Make(ctx, r.spec.Task, r.spec.Base, r.spec.BaseCommit); err != nil {
		return err
	}
	if err := r.trees.Verify(ctx, r.tree); err != nil {
		return err
	}
	r.made = true
	if err := r.unlock(ctx); err != nil {
		return err
	}
	if r.at, err = store.Open(r.tree.Root, r.w.StateDir); err != nil {
		return err
	}
	if r.before, err = record.Tasks.Get(r.at, r.spec.Task); err != nil {
		return err
	}
	stat, err := r.trees.Stat(ctx, r.tree)
	if r.from = stat.From; err != nil {
		return err
	}
	return r.owned.Change(func(s *job.Status) {
		s.Branch, s.Worktree, s.Base, s.BaseCommit = r.tree.Branch, r.tree.Path, r.tree.Base, r.tree.BaseCommit
	})
}

// setUp runs the set-up command of the workspace in the work tree, as the config of the work tree has it. It is run at each start: what it did
// before may be half done.
func (r *run) setUp(ctx context.Context) error {
	command := r.at.Config.WorktreeSetup
	if command == "" {
		return nil
	}
	if !r.at.Trusted() {
		return task.Errorf(task.Untrusted, "the set-up command was not approved on this machine")
	}
	log, err := r.owned.Log(job.SetupLog)
	if err != nil {
		return err
	}
	end, err := proc.Run(ctx, proc.Command{
		Line: command, Dir: r.tree.Root, Env: append(r.environ(), "PWD="+r.tree.Root), Timeout: r.at.Config.SetupTimeout, Output: log,
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case end.TimedOut:
		return task.Errorf(task.IO, "the set-up command took longer than %s; %s has what it printed", r.at.Config.SetupTimeout, job.SetupLog)
	case !end.Passed():
		return task.Errorf(task.IO, "the set-up command ended with %s; %s has what it printed", howItEnded(end.Exit, end.Signal), job.SetupLog)
	}
	return nil
}

func howItEnded(exit int, signal string) string {
	if signal != "" {
		return signal
	}
	return "exit " + strconv.Itoa(exit)
}

func (r *run) openLogs() (err error) {
	if r.out, err = r.owned.Log(job.StdoutLog); err == nil {
		r.problem, err = r.owned.Log(job.StderrLog)
	}
	return err
}

// Numbers of jobs: how many of one executor there may be at once in a clone, and the ports that jobs get.
const (
	mostActors  = 1000
	firstPort   = 20000
	portsOfEach = 10
	portBlocks  = 1000
)

// takeNumbers gives the executor a name as an actor, and a block of ports, that no other live job has.
func (r *run) takeNumbers() error {
	n, release, err := r.owned.Number(r.spec.Executor, 1, mostActors, nil)
	if err != nil {
		return err
	}
	r.release = append(r.release, release)
	actor := task.Actor(fmt.Sprintf("agent:%s-%d", r.spec.Executor, n))
	// Jobs of other clones look for ports elsewhere, so that two that start at once do not take the same.
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.s.Live))
	start := int(h.Sum32() % portBlocks)
	at := func(n int) int { return firstPort + (start+n)%portBlocks*portsOfEach }
	block, release, err := r.owned.Number("ports", 0, portBlocks, func(n int) bool { return portsFree(at(n)) })
	if err != nil {
		return err
	}
	r.release = append(r.release, release)
	r.ports = at(block)
	r.acts = r.w.At(r.tree.Root).InNameOf(actor)
	r.acts.Rights = verb.Rights{Profile: verb.PairWorker, Scope: r.spec.Task}
	r.acts.Executor, r.acts.Job, r.acts.Client, r.acts.Progress = r.spec.Executor, r.spec.Job, r.spec.Executor, nil
	return nil
}

// portsFree reports whether nobody listens on a block of ports.
func portsFree(first int) bool {
	for port := first; port < first+portsOfEach; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}

// environ is the environment of what the job starts, but for the executor's own session.
func (r *run) environ() []string {
	return append(append(os.Environ(), r.Env...), proc.JobVariable+"="+r.spec.Job, "CAIRN_TASK="+string(r.spec.Task))
}

// begin opens the session of the attempt, or goes on with the one that the job has.
func (r *run) begin(ctx context.Context) error {
	old := r.owned.Job().Status
	r.session = old.Session
	if r.sessionState() == session.Active {
		if old.Actor == r.acts.Actor() {
			return r.began()
		}
		if err := r.endAs(ctx, old.Actor, "the job goes on as "+string(r.acts.Actor())); err != nil {
			return err
		}
	}
	return r.beginAnew(ctx)
}

// sessionState is the status of the session of the job, as the work tree has it; "" if there is none.
func (r *run) sessionState() session.Status {
	if r.session == "" {
		return ""
	}
	ses, err := record.Sessions.Get(r.at, r.session)
	if err != nil {
		return ""
	}
	return ses.Status
}

// endAs cancels the session of the job as the actor that it belongs to.
func (r *run) endAs(ctx context.Context, who task.Actor, why string) error {
	_, err := sessions.Cancel(ctx, r.acts.InNameOf(who), sessions.CancelIn{Session: verb.SessionID(r.session), Reason: why})
	return err
}

// beginAnew opens a session. A task in review goes back to work, and one that who asked for the job holds is let go by them.
func (r *run) beginAnew(ctx context.Context) error {
	if err := r.letGo(ctx); err != nil {
		return err
	}
	if err := tasks.BackToWork(ctx, r.acts, r.at, r.spec.Task, r.spec.Job+" works on it"); err != nil {
		return err
	}
	attempt := r.owned.Job().Status.Attempt
	ses, err := sessions.Begin(ctx, r.acts, sessions.BeginIn{
		ID: r.spec.Task, ExpectedActor: string(r.acts.Actor()), IdempotencyKey: fmt.Sprintf("%s-%d", r.spec.Job, attempt),
		Model: r.spec.Model, Client: r.spec.Executor, Takeover: r.mayTakeOver(),
	})
	if err != nil {
		return err
	}
	r.session = ses.ID
	return r.began()
}

func (r *run) began() error {
	return r.owned.Change(func(s *job.Status) { s.Session, s.Actor = r.session, r.acts.Actor() })
}

// hold is who holds the task, as the work tree sees it.
func (r *run) hold() (session.Hold, task.Task, error) {
	t, err := record.Tasks.Get(r.at, r.spec.Task)
	if err != nil {
		return session.Hold{}, t, err
	}
	return session.Holder(t.Header(), r.at.Known(t.ID.Ref()), r.w.Now()), t, nil
}

// mayTakeOver reports whether nobody is at work on the task any more. The claim of an earlier job whose supervisor is gone is one of those, since the
// lock of no job is held but this one's.
func (r *run) mayTakeOver() bool {
	h, _, err := r.hold()
	return err == nil && h.Lapsed
}

// letGo frees the task of who is known not to be at work on it: of an earlier job, since no other is live; of an agent that handed it over in this work
// tree; and of who asked for this job, unless they are at work in a session. Of anybody else's claim begin says whose it is.
func (r *run) letGo(ctx context.Context) error {
	h, _, err := r.hold()
	if err != nil || h.Actor == "" || h.How == session.Nobody || h.How == session.Behind || h.Mine(r.acts.Actor(), r.at.Worktree) && h.Session == "" {
		return err
	}
	if ses, err := record.Sessions.Get(r.at, h.Session); err == nil && ses.Status == session.Active {
		if ses.Job == "" {
			return nil
		}
		r.session = ses.ID
		return r.endAs(ctx, ses.Actor, ses.Job+" has ended, and "+r.spec.Job+" goes on")
	}
	if h.Actor != r.spec.By && h.Worktree != r.at.Worktree {
		return nil
	}
	as := r.acts.InNameOf(h.Actor)
	if h.Worktree != "" && !h.Actor.Human() {
		as.Dir = h.Worktree
	}
	_, err = tasks.Release(ctx, as, tasks.ReleaseIn{ID: verb.RecordID(r.spec.Task), Reason: r.spec.Job + " works on it"})
	return err
}
