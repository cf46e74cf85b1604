// Package pairs holds the verbs of pairs: a person and an agent who work on a task together, in a work tree and under a
// session of their own.
package pairs

import (
	"context"
	"hash/fnv"
	"path"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Noun is the command under which the commands of pairs stand.
const Noun = "pair"

// Verbs are the verbs of pairs.
var Verbs = verb.Group{Name: "jobs", Noun: Noun, Toolset: verb.Jobs}.Of(
	verb.Declare(Open, verb.Verb{Name: "pair_open", Title: "Open a pair", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true, Runs: true,
		Summary: "Make or reuse the work tree of a task, begin a session in it, and say how the agent that works there with a person is started.",
		When:    "For work that a person and an agent do together. It starts nothing but the set-up command of the workspace.",
	}),
	verb.Declare(Read, verb.Verb{Name: "pair_read", Title: "Read a pair",
		Summary: "Read the pair of a task: its session, work tree, branch and environment, or that there is none.",
		When:    "To see whether a pair is at work, and where.",
	}),
	verb.Declare(Close, verb.Verb{Name: "pair_close", Title: "Close a pair", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true, Runs: true,
		Summary: "Run the checks, commit what is not committed if a message is given, and end the session of a pair. Its work tree stays, unless all of it is merged, or nothing was done.",
		When:    "When the two are done; with a summary the work is handed over for review, without one the task is given back.",
	}),
)

// Pair is a person and an agent at a task.
type Pair struct {
	Task        record.ID         `json:"task"`
	Exists      bool              `json:"exists"` // its session is active
	Session     string            `json:"session,omitempty"`
	Status      session.Status    `json:"status,omitempty"`
	Actor       record.Actor      `json:"actor,omitempty"`       // as whom the agent acts
	Worktree    string            `json:"worktree,omitempty"`    // the top of the work tree
	Root        string            `json:"root,omitempty"`        // the folder to work in: the workspace in it
	Branch      string            `json:"branch,omitempty"`      //
	Base        string            `json:"base,omitempty"`        // the branch that the work goes to
	Environment map[string]string `json:"environment,omitempty"` // of what is started there
	Executor    string            `json:"executor,omitempty"`    // of command
	Command     string            `json:"command,omitempty"`     // starts the agent, in a POSIX shell
	Reused      bool              `json:"reused,omitempty"`      // it was open already
	Checks      []verb.CheckRun   `json:"checks,omitempty"`      // by pair_close: what the checks of the task say of the work
	Unchecked   string            `json:"unchecked,omitempty"`   // by pair_close: why they were not run
	Commit      string            `json:"commit,omitempty"`      // by pair_close: what was not committed is in it
	Uncommitted bool              `json:"uncommitted,omitempty"` // by pair_close: the work tree has what is in no commit
	Removed     bool              `json:"removed,omitempty"`     // by pair_close: the work tree is gone
	Nothing     bool              `json:"nothing,omitempty"`     // by pair_close: nothing was done, so its branch is gone too
	Kept        string            `json:"kept,omitempty"`        // by pair_close: why the work tree stays
	Replayed    bool              `json:"replayed,omitempty"`    // the call was made before, under the same idempotency key

	argv, variables []string
}

// Argv is the program to start with its arguments, and Variables what its environment has beside the usual: NAME=value
// each. Argv is empty where no executor is named.
func (p Pair) Argv() []string { return p.argv }

// Variables are those of Environment, and what the program needs besides.
func (p Pair) Variables() []string { return p.variables }

// Short leaves out where a pair that is closed was.
func (p Pair) Short(verb.Verb) any {
	if !p.Exists {
		p.Actor, p.Worktree, p.Root, p.Branch, p.Base = "", "", "", "", ""
	}
	return p
}

// place is where a pair works: a work tree with its store, and the session there.
type place struct {
	s    *store.Store // where the pair was asked for
	task task.Task    // as it is there

	at      *store.Store   // the workspace in the work tree, or s for a task in another repository
	dir     string         // the folder to work in
	top     string         // of the work tree
	tree    *worktree.Tree // nil for a work tree that is a person's
	session session.Session
}

func (p place) open() bool { return p.session.Status == session.Active }

func taskOf(s *store.Store, id record.ID) (place, error) {
	t, err := kind.Tasks.Get(s, id)
	return place{s: s, task: t}, err
}

// find finds where the pair of the task is or was: in the work tree that is recorded for it, in the one where it is
// held, or here. Its session is the zero value if no pair was ever opened in any of them.
func (p *place) find(w *verb.Workspace) error {
	if p.s.Repo != nil && p.task.Repo == "" {
		trees, err := work.Trees(p.s, w.Now)
		if err != nil {
			return err
		}
		tree, ok, err := trees.Find(p.task.ID)
		if err != nil {
			return err
		}
		if ok {
			p.dir, p.top, p.tree = tree.Root, tree.Path, &tree
			if p.at, err = store.Open(tree.Root, w.StateDir); err == nil {
				p.session = lastPair(p.at, p.task.ID)
			}
		}
	}
	hold := session.Holder(p.task.Header(), p.s.Known(p.task.ID.Ref()), w.Now())
	for _, root := range []string{desk.RootIn(p.s, hold.Worktree), p.s.Root} {
		if p.open() || root == "" || root == p.dir {
			continue
		}
		at, err := store.Open(root, w.StateDir)
		if err != nil {
			continue
		}
		if ses := lastPair(at, p.task.ID); ses.Status == session.Active {
			p.sit(at)
			p.session = ses
		}
	}
	return nil
}

// sit takes a work tree that is a person's. The files of the task may be in another folder.
func (p *place) sit(at *store.Store) {
	p.at, p.dir, p.top, p.tree = at, at.Root, at.Worktree, nil
	if files, err := gates.FilesOf(at, p.task); err == nil {
		p.dir = files.Root
	}
}

// lastPair is the session of the newest attempt at a task, as a work tree knows it, if that was a pair's.
func lastPair(at *store.Store, id record.ID) session.Session {
	t, err := kind.Tasks.Get(at, id)
	if err != nil {
		return session.Session{}
	}
	ses, err := kind.Sessions.Get(at, t.Provenance.LastSession())
	if err != nil || ses.Role != desk.PairRole {
		return session.Session{}
	}
	return ses
}

// ports of pairs: a block of ten that is always the same for a task, above those of jobs.
const (
	firstPort   = 30000
	portBlocks  = 1000
	portsOfEach = 10
)

func (p place) environment(executor string) map[string]string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(string(p.s.Live) + "\x00" + string(p.task.ID)))
	out := map[string]string{
		"CAIRN_TASK": string(p.task.ID), "CAIRN_SESSION": p.session.ID, "CAIRN_ACTOR": string(p.session.Actor),
		"CAIRN_PORT": strconv.Itoa(firstPort + int(h.Sum32()%portBlocks)*portsOfEach),
	}
	if executor != "" {
		out["CAIRN_EXECUTOR"] = executor
	}
	if p.dir != p.at.Root { // its records are elsewhere
		out["CAIRN_REPO"] = p.at.Root
	}
	return out
}

func (p place) view() Pair {
	ses := p.session
	out := Pair{Task: p.task.ID, Exists: p.open(), Session: ses.ID, Status: ses.Status, Actor: ses.Actor}
	if p.at == nil {
		return out
	}
	out.Worktree, out.Root, out.Branch = p.top, p.dir, ses.Branch
	if p.tree != nil {
		out.Branch, out.Base = p.tree.Branch, p.tree.Base
	}
	if p.open() {
		out.Environment = p.environment(ses.Client)
	}
	return out
}

// ReadIn is the input of Read.
type ReadIn struct {
	ID record.ID `json:"id" doc:"task of the pair" cli:"arg"`
}

// Read returns the pair of a task. There may be none: then Exists is false.
func Read(_ context.Context, w *verb.Workspace, s *store.Store, in ReadIn) (Pair, error) {
	p, err := taskOf(s, in.ID)
	if err != nil {
		return Pair{}, err
	}
	err = p.find(w)
	return p.view(), err
}

// Replay shows the pair as it is now.
func (Pair) Replay(w *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	out, err := Read(context.Background(), w, s, ReadIn{key.Task})
	out.Replayed = true
	return out, verb.NotHere(err, string(key.Task))
}

// noJob returns an error with this code if a job works on the task, or waits for its turn.
func (p place) noJob(code record.Code) error {
	one, live := work.Jobs(p.s).LiveOf(p.task.ID)
	if !live {
		return nil
	}
	return record.Errorf(code, "%s works on it", one.Spec.Job).
		WithHint("%s waits for its end; %s ends it", record.CallTo("job_poll", "job", one.Spec.Job, "wait", true).OnlyShown(), record.CallTo("job_cancel", "job", one.Spec.Job).OnlyShown()).
		WithNext(record.CallTo("job_poll", "job", one.Spec.Job))
}

// CloseIn is the input of Close.
type CloseIn struct {
	ID      record.ID `json:"id" doc:"task of the pair" cli:"arg"`
	Summary string    `json:"summary,omitempty" doc:"what was done: hands the work over for review, as finish does"`
	Commit  string    `json:"commit,omitempty" doc:"message: first commits what is not committed in the work tree of the task"`
	verb.Once
}

// Close ends the session of a pair: with a summary it hands over, and without one it gives the task back. Before that it
// commits what is uncommitted, if it is given a message, and runs the checks of the task, whose results it returns and
// which refuse nothing. The work tree is removed only if it is the task's own, and all that was done in it is committed
// and merged, or nothing was done; Kept says why it stays.
//
// It returns BUSY while a job of the task runs, NOT_FOUND if there is no pair and no work tree, CONFLICT for a summary of a
// pair that was closed already and whose work was sent back, and GIT if a hook refuses the commit.
func Close(ctx context.Context, w *verb.Workspace, s *store.Store, in CloseIn) (Pair, error) {
	p, err := taskOf(s, in.ID)
	if err == nil {
		err = w.InScope(in.ID)
	}
	if err == nil {
		err = record.ValidText("commit", in.Commit)
	}
	if err != nil {
		return Pair{}, err
	}
	if err = p.noJob(record.Busy); err == nil {
		err = p.find(w)
	}
	if err == nil {
		err = p.mayEnd(w, in.Summary)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	if p.tree == nil {
		found := p.check(ctx, w)
		if err := p.end(ctx, w, in.Summary); err != nil {
			return Pair{}, verb.WithID(err, in.ID)
		}
		out := p.view()
		out.Checks, out.Unchecked, out.Kept = found.Checks, found.Unchecked, "it is a person's, and not the task's own"
		return out, w.RememberCall(ctx, p.s, session.Key{Task: in.ID})
	}
	trees, err := work.Trees(p.s, w.Now)
	if err != nil {
		return Pair{}, err
	}
	return p.closeOwn(ctx, w, trees, in)
}

// closeOwn is Close in the work tree of the task.
func (p *place) closeOwn(ctx context.Context, w *verb.Workspace, trees *worktree.Worktrees, in CloseIn) (Pair, error) {
	var commit string
	var err error
	if in.Commit != "" {
		commit, err = trees.Commit(ctx, *p.tree, in.Commit)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	untouched, _ := trees.Untouched(ctx, *p.tree, p.own)
	var found Pair
	if untouched = untouched && in.Summary == ""; !untouched {
		found = p.check(ctx, w)
	}
	if err := p.end(ctx, w, in.Summary); err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	if commit != "" { // what its end wrote belongs to it; if it cannot be committed, Kept says so
		_, _ = trees.CommitRecords(ctx, *p.tree, string(in.ID)+": the pair is closed")
	}
	if err := w.RememberCall(ctx, p.s, session.Key{Task: in.ID}); err != nil {
		return Pair{}, err
	}
	out := p.view()
	out.Checks, out.Unchecked, out.Commit = found.Checks, found.Unchecked, commit
	if untouched && p.onlyBegan() {
		if out.Nothing, _ = trees.Forget(ctx, *p.tree, p.own); out.Nothing {
			_ = p.s.DropBranch(ctx, in.ID.Ref(), p.tree.Branch) // what it knows of the branch is of none
		}
	}
	if err := trees.Remove(ctx, p.tree.Task, false); err != nil { // it would lose something
		out.Nothing, out.Kept = false, record.MessageOf(err)
		if at, found, _ := trees.Look(ctx, in.ID); found {
			out.Uncommitted = at.Has(worktree.Uncommitted) || at.Has(worktree.Untracked)
		}
		return out, nil
	}
	out.Removed, out.Worktree, out.Root, out.Environment = true, "", "", nil
	return out, nil
}

// check runs the checks of the task for its pair, if it is open and has any.
func (p *place) check(ctx context.Context, w *verb.Workspace) (found Pair) {
	commands := slices.ContainsFunc(p.task.Checks, func(c task.Check) bool { return !c.Manual() })
	if !p.open() || !commands {
		return found
	}
	out, err := verb.Do(ctx, w.At(p.at.Root).WithoutKey().InNameOf(p.session.Actor), tasks.RunChecks, tasks.RunChecksIn{ID: p.task.ID})
	if err != nil {
		found.Unchecked = record.MessageOf(err)
	} else if out.Run != nil {
		found.Checks = out.Run.Checks
	}
	return found
}

// own reports whether a file of the record is that of the task or of the session of the pair.
func (p *place) own(name string) bool {
	return path.Base(name) == string(p.task.ID)+".md" || path.Base(name) == p.session.ID+".yaml"
}

// onlyBegan reports whether the record of the task in the work tree says no more than the one here but that the pair
// began and ended.
func (p *place) onlyBegan() bool {
	there, err := kind.Tasks.Get(p.at, p.task.ID)
	if err != nil {
		return false
	}
	had := p.task.Provenance.Hashes()
	return !slices.ContainsFunc(there.Provenance, func(e record.Entry) bool {
		return !had[e.Hash()] && (!e.OfAttempt() || e.Session != p.session.ID)
	})
}

// mayEnd returns why the caller does not close the pair. Who opened it may, and whoever may change the task.
func (p *place) mayEnd(w *verb.Workspace, summary string) error {
	who := w.Actor()
	switch {
	case !p.open() && p.tree == nil:
		return record.Errorf(record.NotFound, "no pair works on %s", p.task.ID).
			WithHint("%s opens one", record.CallTo("pair_open", "id", p.task.ID).OnlyShown())
	case !p.open() && summary != "" && p.atWork():
		return record.Errorf(record.Conflict, "the session of the pair has ended, and the work was not handed over or was sent back since").
			WithHint("%s goes on with it; then close it with the summary", record.CallTo("pair_open", "id", p.task.ID).OnlyShown())
	case p.open() && who.Agent() && who != p.session.Actor && w.Profile < verb.Maintainer:
		return record.Errorf(record.NotYours, "the pair is %s's", p.session.Actor).WithHint("its person closes it")
	}
	return nil
}

// atWork reports whether the task, as its work tree has it, is neither handed over nor closed.
func (p *place) atWork() bool {
	if p.at == nil {
		return false
	}
	there, err := kind.Tasks.Get(p.at, p.task.ID)
	flow := p.at.Config.Flow
	return err == nil && there.Status != flow.Review && !flow.IsClosed(there.Status)
}

// end ends the session of a pair as its agent.
func (p *place) end(ctx context.Context, w *verb.Workspace, summary string) error {
	if !p.open() {
		return nil
	}
	acts, id := w.At(p.at.Root).InNameOf(p.session.Actor), verb.SessionID(p.session.ID)
	var err error
	if summary != "" {
		_, err = verb.Do(ctx, acts, sessions.Finish, sessions.FinishIn{Session: id, Summary: summary})
	} else {
		why := "the pair was closed by " + string(w.Actor())
		_, err = verb.Do(ctx, acts, sessions.Cancel, sessions.CancelIn{Session: id, Reason: why})
	}
	if ended, gone := kind.Sessions.Get(p.at, p.session.ID); gone == nil {
		p.session = ended
	}
	return err
}
