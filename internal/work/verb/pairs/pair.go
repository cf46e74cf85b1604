package pairs

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// role is the role of the session of a pair, by which it is known.
const role = "pair"

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
	Removed     bool              `json:"removed,omitempty"`     // by pair_close: the work tree is gone
	Kept        string            `json:"kept,omitempty"`        // by pair_close: why the work tree stays
	Replayed    bool              `json:"replayed,omitempty"`    // the call was made before, under the same idempotency key

	argv, variables []string
}

// Argv is the program to start with its arguments, and Variables what its environment has beside the usual: NAME=value
// each. Argv is empty where no executor is named.
func (p Pair) Argv() []string { return p.argv }

// Variables are those of Environment, and what the program needs besides.
func (p Pair) Variables() []string { return p.variables }

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

// taskOf reads the task of a pair.
func taskOf(s *store.Store, id record.ID) (place, error) {
	t, err := kind.Tasks.Get(s, id)
	return place{s: s, task: t}, err
}

// find finds where the pair of the task is or was: in the work tree that is recorded for it, in the one where it is
// held, or here. Its session is the zero value if no pair was ever opened in any of them.
func (p *place) find(ctx context.Context, w *verb.Workspace) error {
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
	if files, err := at.Files(p.task); err == nil {
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
	if err != nil || ses.Role != role {
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

// environment is that of what is started in a pair.
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

// view shows a pair.
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
func Read(ctx context.Context, w *verb.Workspace, s *store.Store, in ReadIn) (Pair, error) {
	p, err := taskOf(s, in.ID)
	if err != nil {
		return Pair{}, err
	}
	err = p.find(ctx, w)
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
	return record.Errorf(code, "%s works on it", one.Spec.Job).WithHint("wait for it, or cancel it").
		WithNext(record.CallTo("job_poll", "job", one.Spec.Job))
}
