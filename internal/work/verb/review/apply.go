// Package review brings the work on a task home: it is approved or rejected, rebased, merged into its base, or proposed
// as a pull request.
package review

import (
	"cmp"
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Verbs are the verbs of reviews.
var Verbs = verb.Group{Name: "review", Noun: "review", Toolset: verb.Jobs}.Of(
	verb.DeclareBare(Apply, verb.Verb{Name: "review_apply", Title: "Approve, reject or merge", Kind: verb.Destructive,
		Profile: verb.Operator,
		Runs:    true, Signs: true, Idempotent: true,
		Summary: "Approve or reject the work on a task, rebase its branch, merge it and close the task, or open a pull request.",
		When:    "Read it first: get with include review. Only the task's reviewer can approve it; rebase, merge and pr need the profile maintainer. A merge is tested in a work tree that is thrown away, before the base moves.",
	}),
	verb.Declare(List, verb.Verb{Name: "review_list", Title: "List what waits for you",
		Summary: "List what waits for you as the one who leads: questions, proposed decisions, work to review, manual checks, and jobs that stopped, each with the next command.",
		When:    "After a run of jobs, and until it is empty. status and inbox show the same.",
	}),
	verb.Declare(Sync, verb.Verb{Name: "review_sync", Title: "Follow pull requests", Kind: verb.Write,
		Profile: verb.Operator, Scopes: true, Idempotent: true,
		Summary: "Ask the hosts whether pull requests were merged or closed, and record it.",
		When:    "It closes no task: what was merged on the host is pulled first.",
	}),
	verb.Declare(Land, verb.Verb{Name: "land", Title: "Land approved work", Kind: verb.Destructive,
		Profile: verb.Maintainer, Scopes: true,
		Runs: true, Idempotent: true, Exit: ExitOfLand,
		Summary: "Land all approved work, or the tasks named, in the order of the graph: merged and tested together where files do not meet, before the base moves.",
		When:    "To bring home what several agents did. What conflicts or breaks goes back to its own job, once, with what both sides wanted; dry_run tells the order and the groups. A call that was cut off is made once more.",
	}),
)

// ApplyIn is the input of Apply.
type ApplyIn struct {
	ID       record.ID `json:"id" doc:"task under review" cli:"arg"`
	Action   string    `json:"action" doc:"approve, reject, rebase, merge or pr" cli:"arg" values:"approve=it is as it should be,reject=back to work with a reason,rebase=onto the newest base,merge=into its base and close it,pr=push the branch and open a pull request"`
	Text     string    `json:"text,omitempty" doc:"reason of a rejection, which needs one; what was looked at; message of a merge or a pull request"`
	Strategy string    `json:"strategy,omitempty" doc:"of a merge: merge (the usual one), squash or rebase" values:"merge,squash,rebase"`
	Restart  bool      `json:"restart,omitempty" doc:"with reject: start the next job, which is given the reason"`
	Executor string    `json:"executor,omitempty" doc:"with rebase: where the two conflict, send the task back and start a job of this program that settles it" from:"executors" mcp:"quiet"`
	Commit   string    `json:"commit,omitempty" doc:"with approve or merge: the head that was looked at; CONFLICT if the branch is at another"`
	Base     string    `json:"base,omitempty" doc:"branch that it goes into; the one that its work tree was made from by default"`
	verb.Once
}

// ApplyOut is the task after the action, as its newest record has it, and what the action made.
type ApplyOut struct {
	verb.Task
	Worktree     string  `json:"worktree,omitempty"` // of the record that was written, if it is another than the caller's
	MergedCommit string  `json:"merged_commit,omitempty"`
	MergedInto   string  `json:"merged_into,omitempty"`
	Job          string  `json:"job,omitempty"` // the next job, that reject or rebase started
	PR           *job.PR `json:"pr,omitempty"`
}

// Short says how the task stands, and what became of its branch.
func (a ApplyOut) Short(v verb.Verb) any {
	short, _ := a.Task.Short(v).(verb.Short)
	return struct {
		verb.Short
		Worktree     string  `json:"worktree,omitempty"`
		MergedCommit string  `json:"merged_commit,omitempty"`
		MergedInto   string  `json:"merged_into,omitempty"`
		Job          string  `json:"job,omitempty"`
		PR           *job.PR `json:"pr,omitempty"`
	}{short, a.Worktree, a.MergedCommit, a.MergedInto, a.Job, a.PR}
}

// The actions.
const (
	approve = "approve"
	reject  = "reject"
	rebase  = "rebase"
	merge   = "merge"
	pr      = "pr"
)

// Apply does one thing with the work on a task. It may be called from any worktree of the clone: the record that is
// written is the newest one (trees.OnTask). Approve and reject are for operators, the rest for maintainers.
func Apply(ctx context.Context, w *verb.Workspace, in ApplyIn) (ApplyOut, error) {
	if err := in.valid(w); err != nil {
		return ApplyOut{}, err
	}
	p, err := trees.OnTask(ctx, w, in.ID)
	if err == nil {
		_, err = p.W.ReadForWrite(p.S, in.ID)
	}
	if err != nil {
		return ApplyOut{}, verb.WithID(err, in.ID)
	}
	out, err := map[string]func(context.Context, trees.Place, ApplyIn) (ApplyOut, error){
		approve: approveWork, reject: rejectWork, rebase: rebaseWork, merge: mergeWork, pr: proposeWork,
	}[in.Action](ctx, p, in)
	if err == nil && out.Worktree == "" && p.S.Worktree != p.Home.Worktree {
		out.Worktree = p.S.Worktree
	}
	return out, verb.WithID(err, in.ID)
}

func (in ApplyIn) valid(w *verb.Workspace) error {
	if err := record.ValidText("text", in.Text); err != nil {
		return err
	}
	switch in.Action {
	case approve, reject:
	case rebase, merge, pr:
		if err := w.Needs(verb.Maintainer); err != nil {
			return err
		}
	default:
		return verb.BadInput("action", "is %q", in.Action).WithHint("approve, reject, rebase, merge or pr")
	}
	switch {
	case in.Strategy != "" && in.Action != merge:
		return verb.BadInput("strategy", "is of a merge").WithHint("leave it out")
	case in.Strategy != "" && in.Strategy != "merge" && in.Strategy != "squash" && in.Strategy != "rebase":
		return verb.BadInput("strategy", "is %q", in.Strategy).WithHint("merge, squash or rebase")
	case in.Restart && in.Action != reject:
		return verb.BadInput("restart", "belongs to reject").WithHint("leave it out")
	case in.Executor != "" && in.Action != rebase:
		return verb.BadInput("executor", "belongs to rebase").WithHint("leave it out")
	case in.Commit != "" && in.Action != approve && in.Action != merge:
		return verb.BadInput("commit", "is of an approval or a merge").WithHint("leave it out")
	case in.Base != "" && (in.Action == approve || in.Action == reject):
		return verb.BadInput("base", "is of a rebase, a merge or a pull request").WithHint("leave it out")
	}
	return nil
}

// Replay answers a call that was made before with the task as it is now.
func (ApplyOut) Replay(w *verb.Workspace, _ *store.Store, made session.Key) (any, error) {
	p, err := trees.OnTask(context.Background(), w, made.Task)
	if err != nil {
		return nil, verb.NotHere(err, string(made.Task))
	}
	out := ApplyOut{Task: p.W.View(p.S).Task(p.Task)}
	out.MergedCommit, out.MergedInto = p.MergedCommit()
	out.Replayed = true
	return out, nil
}

// approveWork records an approval of the files as the task's branch has them, or, where it has none, of those in the
// worktree.
func approveWork(ctx context.Context, p trees.Place, in ApplyIn) (ApplyOut, error) {
	if p.Made && p.Moved == nil {
		if err := committed(ctx, p); err != nil {
			return ApplyOut{}, err
		}
	}
	if err := cmp.Or(p.Lost(p.W.Actor()), in.at(ctx, p)); err != nil {
		return ApplyOut{}, err
	}
	out, err := gates.Approve(ctx, p.W, p.S, in.ID, in.Text)
	if flow := p.S.Config.Flow; err == nil && !flow.IsClosed(out.Status) {
		remains := "close it"
		if p.Made {
			remains = "merge it, which closes it"
		}
		out.Notices = append(out.Notices, verb.Notice{Code: "NOT_CLOSED", Message: "it is approved; what remains is to " + remains})
	}
	return ApplyOut{Task: out}, err
}

// at returns CONFLICT if what is judged is not at the commit that was looked at.
func (in ApplyIn) at(ctx context.Context, p trees.Place) error {
	if in.Commit == "" {
		return nil
	}
	head := p.S.Head(ctx).Commit
	if p.Made {
		var err error
		if head, err = p.Repo().Commit(ctx, "refs/heads/"+p.Tree.Branch); err != nil {
			return err
		}
	}
	git := p.S.Git()
	if p.Tree.Repo != "" {
		files, err := gates.FilesOf(p.S, p.Task)
		if err != nil {
			return err
		}
		git = files.Git
	}
	looked, err := git.Commit(ctx, "commit", in.Commit)
	if err == nil && looked != head {
		err = record.Errorf(record.Conflict, "is at %.12s, and not at %.12s, which was looked at", head, looked).
			WithHint("look at what came since").ForGood()
	}
	return err
}

func rejectWork(ctx context.Context, p trees.Place, in ApplyIn) (ApplyOut, error) {
	if in.Restart {
		if err := idle(p, "it cannot be started again"); err != nil {
			return ApplyOut{}, err
		}
	}
	out, err := p.W.ChangeIn(ctx, p.S, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return wc.Store.Config.Flow.Reject(wc.Task, p.W.Stamp(in.Text))
	})
	if err != nil || !in.Restart {
		return ApplyOut{Task: out}, err
	}
	// The next job is like the last one, in the work tree that this left. The executor is given the reason with the task
	// (verb.Last).
	var next jobs.Job
	if last, ok := work.Jobs(p.Home).LastOf(in.ID); ok {
		next, err = jobs.Retry(ctx, p.Caller, last.Spec.Job, false)
	} else {
		next, err = verb.Do(ctx, p.Caller, jobs.Start, jobs.StartIn{ID: in.ID})
	}
	var e *record.Error
	if errors.As(err, &e) {
		told := *e
		told.Msg = "was rejected, and no job was started: " + e.Msg
		return ApplyOut{Task: out}, &told
	}
	return ApplyOut{Task: out, Job: next.Job}, err
}

func rebaseWork(ctx context.Context, p trees.Place, in ApplyIn) (ApplyOut, error) {
	if err := ready(ctx, p, "rebased"); err != nil {
		return ApplyOut{}, err
	}
	onto := cmp.Or(in.Base, p.Tree.Base)
	err := p.Trees.Rebase(ctx, p.Tree, onto)
	if record.CodeOf(err) == record.RebaseConflict && in.Executor != "" {
		return settleWork(ctx, p, in, onto)
	}
	if err != nil {
		return ApplyOut{}, err
	}
	t, err := kind.Tasks.Get(p.S, in.ID)
	return ApplyOut{Task: p.W.View(p.S).Task(t)}, err
}

// ready returns why the branch of a task cannot be rebased, merged or pushed, and commits what was written to its
// records. Code that is not committed is somebody's unfinished work, and is never committed here.
func ready(ctx context.Context, p trees.Place, done string) error {
	if err := settled(ctx, p, done); err != nil {
		return err
	}
	_, err := p.Trees.Commit(ctx, p.Tree, "cairn: keep the record of "+string(p.Task.ID))
	return err
}

// settled is ready, and changes nothing.
func settled(ctx context.Context, p trees.Place, done string) error {
	if err := branched(ctx, p, done); err != nil {
		return err
	}
	if err := idle(p, "it is not "+done+" meanwhile"); err != nil {
		return err
	}
	return committed(ctx, p)
}

// branched returns why a task has no branch with which git may do something.
func branched(ctx context.Context, p trees.Place, done string) error {
	switch {
	case p.Trees == nil:
		return record.Errorf(record.Git, "%s is not in a git repository, so there is no branch to be %s", p.Home.Root, done).WithHint("git init makes it one")
	case !p.Home.Trusted():
		return untrusted()
	case !p.Made && p.Home.Git().HasBranch(ctx, worktree.Branch(p.Task.ID)):
		return record.Errorf(record.Conflict, "the work tree of its branch %s is gone, in which it would be %s", worktree.Branch(p.Task.ID), done).
			WithHint("%s makes it again, from the branch; %s keeps that and begins anew",
				record.CallTo("pair_open", "id", p.Task.ID).OnlyShown(), record.CallTo("job_discard", "id", p.Task.ID).OnlyShown()).WithNext(record.CallTo("get", "id", p.Task.ID)).ForGood()
	case !p.Made:
		return record.Errorf(record.Conflict, "has no branch of its own to be %s", done).
			WithHint("a task without changes is closed by %s", record.CallTo("transition", "id", p.Task.ID).OnlyShown()).WithNext(record.CallTo("get", "id", p.Task.ID)).ForGood()
	default:
		return p.Moved
	}
}

func untrusted() error {
	return record.Errorf(record.Untrusted, "git may start programs that this clone's config names, and the checks of the task run").
		WithHint("look at .git/config and at the commands of the checks, then a person runs %s", record.CallTo("trust").ByPerson())
}

// idle returns BUSY if a job works on the task or waits for its turn.
func idle(p trees.Place, so string) error {
	one, busy := work.Jobs(p.Home).LiveOf(p.Task.ID)
	if !busy {
		return nil
	}
	return record.Errorf(record.Busy, "job %s works on it, so %s", one.Spec.Job, so).
		WithHint("%s waits for its end", record.CallTo("job_poll", "job", one.Spec.Job, "wait", true))
}

// committed returns CONFLICT if the work tree of a task has code that is not committed. In a clone that is not trusted
// it cannot be told, and whatever asks for it is refused there.
func committed(ctx context.Context, p trees.Place) error {
	there, err := p.InTree()
	if err != nil {
		return err
	}
	now := gates.Fingerprint(gates.TreeOf(ctx, there, p.Task))
	tip, err := p.Repo().Objects().Fingerprint(ctx, "refs/heads/"+p.Tree.Branch)
	if err != nil || now == "" || now == tip {
		return err
	}
	return record.Errorf(record.Conflict, "its work tree has changes that are not committed, in %s", p.Tree.Path).
		WithHint("look at them there with git status, and with git ls-files -v for what git was told not to look at; commit them or take them away").WithNext(record.CallTo("get", "id", p.Task.ID)).ForGood()
}
