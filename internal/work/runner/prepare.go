package runner

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

func (r *run) prepare(ctx context.Context) error {
	if err := or(job.Setup, r.mayStart(ctx)); err != nil {
		return err
	}
	if err := or(job.Setup, r.makeTree(ctx)); err != nil {
		return err
	}
	if err := or(job.Setup, r.confine()); err != nil {
		return err
	}
	if err := or(job.Setup, r.setUp(ctx)); err != nil {
		return err
	}
	var err error
	if r.out, err = r.owned.Log(job.StdoutLog); err == nil {
		r.problem, err = r.owned.Log(job.StderrLog)
	}
	if err != nil {
		return err
	}
	actor, err := r.takeNumbers()
	if err != nil {
		return err
	}
	acts := r.w.At(r.tree.at.Root).InNameOf(actor)
	acts.Rights = verb.Rights{Profile: verb.PairWorker, Scope: r.spec.Task}
	acts.Executor, acts.Job, acts.Client, acts.Progress = r.spec.Executor, r.spec.Job, r.spec.Executor, nil
	acts.Boxed = r.box != nil
	r.session = &jobSession{owned: r.owned, spec: r.spec, Desk: desk.Desk{
		Task: r.spec.Task, Acts: acts, At: r.tree.at, Top: r.tree.at.Worktree, By: r.spec.By, Job: r.spec.Job,
		Why: r.spec.Job + " works on it",
	}}
	return or(job.Setup, r.begin(ctx, r.session.begin))
}

// begin begins a session, and commits that before the executor runs, since what is not committed its git may take away.
func (r *run) begin(ctx context.Context, how func(context.Context) error) error {
	if err := how(ctx); err != nil {
		return err
	}
	return r.tree.commitRecords(ctx)
}

// mayStart refuses what may have changed since the job was created: whether its clone is trusted, its task, and the
// other jobs of the task.
func (r *run) mayStart(ctx context.Context) error {
	if err := gates.Consent(ctx, r.w, r.s, nil); err != nil {
		return err
	}
	t, err := kind.Tasks.Get(r.s, r.spec.Task)
	if err != nil {
		return err
	}
	if r.s.Config.Flow.IsClosed(t.Status) {
		return record.Errorf(record.TaskClosed, "%s is closed (%s)", t.ID, t.Status)
	}
	if t.Repo != "" {
		if _, err := gates.Ready(r.s, t); err != nil {
			return err
		}
	}
	if err := r.notBusy(); err != nil {
		return err
	}
	return r.letGo(ctx, t)
}

// letGo releases the task where whoever asked for the job holds it without a session: before its file is copied into the
// work tree, where they could not.
func (r *run) letGo(ctx context.Context, t task.Task) error {
	hold := session.Holder(t.Header(), r.s.Known(t.ID.Ref()), r.w.Now())
	if hold.Session != "" || !hold.Mine(r.w.Actor(), r.s.Worktree) {
		return nil
	}
	_, err := verb.Do(ctx, r.w, tasks.Release, tasks.ReleaseIn{ID: verb.RecordID(t.ID), Reason: r.spec.Job + " works on it"})
	return err
}

// notBusy returns BUSY while another job works on the task.
func (r *run) notBusy() error {
	all, err := work.Jobs(r.s).List()
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Spec.Task == r.spec.Task && other.Status.State == job.Running && other.Spec.Job != r.spec.Job {
			return record.Errorf(record.Busy, "%s works on %s", other.Spec.Job, r.spec.Task)
		}
	}
	return nil
}

// makeTree makes the work tree of the task, or takes the one that an earlier job left.
func (r *run) makeTree(ctx context.Context) error {
	t, err := kind.Tasks.Get(r.s, r.spec.Task)
	if err != nil {
		return err
	}
	trees, err := work.TreesOf(r.s, t, r.w.Now)
	if err != nil {
		return err
	}
	cut, err := r.cutOff(trees)
	if err != nil {
		return err
	}
	if cut != nil { // its supervisor was killed, and could not bring the work tree in order
		if _, _, err := trees.Rejoin(ctx, *cut, "", true); err != nil {
			return err
		}
	}
	tree, err := trees.Make(ctx, r.spec.Task, r.spec.Base, r.spec.BaseCommit)
	if err != nil {
		return err
	}
	if t.Repo != tree.Repo {
		return record.Errorf(record.Conflict, "the work tree of %s, %s, is not in the repository that has its files now", t.ID, tree.Path).
			WithHint("%s removes it, once its work is merged", record.CallTo("worktree_remove", "id", t.ID).OnlyShown())
	}
	r.tree = &workTree{Tree: tree, trees: trees, jobs: work.Jobs(r.s), owned: r.owned, spec: r.spec}
	if tree.Repo != "" {
		r.tree.at = r.s
	}
	if err := r.tree.open(ctx, r.w.StateDir, cut != nil); err != nil {
		return err
	}
	return r.owned.Change(func(s *job.Status) {
		s.Branch, s.Worktree, s.Base, s.BaseCommit = tree.Branch, tree.Path, tree.Base, tree.BaseCommit
	})
}

// cutOff is the work tree of the task if a job was cut off in it: this one, which goes on, or the one before it, which
// left no newest commit. It is nil otherwise, and where a person may have been at work there since.
func (r *run) cutOff(trees *worktree.Worktrees) (*worktree.Tree, error) {
	tree, made, err := trees.Find(r.spec.Task)
	if err != nil || !made {
		return nil, err
	}
	all, err := work.Jobs(r.s).List()
	all = slices.DeleteFunc(all, func(one job.Job) bool { return one.Spec.Task != r.spec.Task || one.Status.Worktree != tree.Path })
	if at := slices.IndexFunc(all, func(one job.Job) bool { return one.Spec.Job != r.spec.Job }); at >= 0 {
		r.earlier = all[at]
	}
	if len(all) > 0 && all[0].Status.Head == "" {
		return &tree, err
	}
	return nil, err
}

// setUp runs the set-up command that the config of the work tree names. It runs it each time that the job goes on,
// since an earlier run may have been cut off. It is not for the work trees of other repositories.
func (r *run) setUp(ctx context.Context) error {
	command := r.tree.at.Config.WorktreeSetup
	if command == "" || r.tree.Repo != "" {
		return nil
	}
	if err := gates.Consent(ctx, r.w, r.tree.at, r.tree.at.SetUpCommand()); err != nil {
		return err
	}
	log, err := r.owned.Log(job.SetupLog)
	if err != nil {
		return err
	}
	env := append(append(os.Environ(), r.Env...),
		proc.JobVariable+"="+r.spec.Job, "CAIRN_TASK="+string(r.spec.Task), "PWD="+r.tree.Root)
	argv, env, err := r.confined(command, env)
	if err != nil {
		return err
	}
	end, err := proc.Run(ctx, proc.Command{
		Line: command, Args: argv, Dir: r.tree.Root, Env: env, Timeout: r.tree.at.Config.SetupTimeout, Output: log,
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case end.TimedOut:
		return record.Errorf(record.IO, "the set-up command took longer than %s; %s has what it printed", r.tree.at.Config.SetupTimeout, job.SetupLog)
	case !end.Passed():
		return record.Errorf(record.IO, "the set-up command ended with %s; %s has what it printed", howItEnded(end.Exit, end.Signal), job.SetupLog)
	}
	return nil
}

func howItEnded(exit int, signal string) string {
	if signal != "" {
		return signal
	}
	return "exit " + strconv.Itoa(exit)
}

// Bounds of the numbers that jobs get: how many actors of one executor there may be at once in a clone, and the blocks
// of ports.
const (
	mostActors  = 1000
	firstPort   = 20000
	portsOfEach = 10
	portBlocks  = 1000
)

// takeNumbers takes a name as an actor and a block of ports that no other live job has.
func (r *run) takeNumbers() (actor record.Actor, err error) {
	number := func(kind string, first, count int, good func(int) bool) (n int) {
		if err == nil {
			var release func()
			if n, release, err = r.owned.Number(kind, first, count, good); err == nil {
				r.release = append(r.release, release)
			}
		}
		return n
	}
	// Each clone looks for free ports from another block on, so that jobs of two clones that start at once do not take the
	// same.
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.s.Live))
	start := int(h.Sum32() % portBlocks)
	at := func(n int) int { return firstPort + (start+n)%portBlocks*portsOfEach }
	actor = record.Actor(fmt.Sprintf("agent:%s-%d", r.spec.Executor, number(r.spec.Executor, 1, mostActors, nil)))
	r.ports = at(number("ports", 0, portBlocks, func(n int) bool { return portsFree(at(n)) }))
	return actor, err
}

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
