package jobs

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// mayStart returns why no job can be started in this workspace by this program.
func mayStart(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	if w.Supervise == nil {
		return record.Errorf(record.Forbidden, "this program starts no processes that outlive it").WithHint("start jobs with the command line, or with its server")
	}
	if s.Repo == nil {
		return record.Errorf(record.Git, "a job works in a work tree of its own, and this workspace is not in a git repository").WithHint("git init, and a first commit")
	}
	if err := s.Git().Usable(ctx); err != nil {
		return err
	}
	return gates.Consent(ctx, w, s, s.SetUpCommand())
}

// mayWork returns why no job may begin on a task.
func mayWork(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, name string) error {
	t, err := kind.Tasks.Get(s, id)
	if err != nil {
		return err
	}
	flow := s.Config.Flow
	if flow.IsClosed(t.Status) {
		return record.Errorf(record.TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
	}
	if t.Mode == task.PairMode {
		return record.Errorf(record.TaskTypeMismatch, "is done by a person and an agent together (mode: pair), and a job has no person").
			WithHint("%s begins that; mode: auto lets a job do it", record.CallTo("pair_open", "id", t.ID))
	}
	if t.Repo != "" {
		if _, err := work.TreesOf(s, t, w.Now); err != nil {
			return err
		}
		if _, err := gates.Ready(s, t); err != nil {
			return err
		}
	}
	if err := flow.DepsGate(t, flow.Working, w.Reads.Find(s)); err != nil {
		return err
	}
	if p, err := trees.OnTask(ctx, w, id); err == nil {
		if err := p.Lost(""); err != nil {
			return err
		}
	}
	if err := gates.ConsentFor(ctx, w, s, t, gates.ToWork(s, t)); err != nil {
		return err
	}
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	if left, err := leftByJob(s, t, hold); left || err != nil {
		return err
	}
	if hold.Session == "" && hold.Mine(w.Actor(), s.Worktree) { // whoever asks gives it to the job, which releases it
		return nil
	}
	// An actor stands for that of the executor, whose number is not known before the job runs.
	me := record.Actor("agent:" + name)
	if hold.Ahead { // the task has moved on in another branch: a job may go on only from the branch of its own
		hold.NoBranch = hold.Local() && !s.Git().HasBranch(ctx, hold.Branch)
		if hold.Branch == worktree.Branch(t.ID) && hold.Local() && !hold.NoBranch {
			return nil
		}
		return hold.Refuse(t.ID, me, "", false)
	}
	return verb.OfJob(s, t.ID, hold, hold.Refuse(t.ID, me, "", true))
}

// leftByJob reports whether what holds a task was left by a job that no longer works: the session of the job, or the
// claim that its executor has again because the work that it handed over was sent back.
func leftByJob(s *store.Store, t task.Task, hold session.Claim) (bool, error) {
	if !hold.Live() {
		return false, nil
	}
	all, err := work.Jobs(s).List()
	for _, one := range all {
		here := hold.Branch == worktree.Branch(t.ID) || t.Repo != "" // whose record is not on its branch
		handedOver := hold.Session == "" && hold.Actor == one.Status.Actor && here
		if one.Spec.Task == t.ID && (handedOver || hold.Session != "" && one.Status.Session == hold.Session) {
			return !one.Status.State.Live(), err
		}
	}
	return false, err
}
