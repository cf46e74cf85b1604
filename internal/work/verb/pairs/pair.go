package pairs

import (
	"context"
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
	at      *store.Store   // the workspace in it, or the workspace itself for a task in another repository
	dir     string         // the folder to work in
	top     string         // of the work tree
	tree    *worktree.Tree // nil for a work tree that is a person's
	session session.Session
}

func (d place) open() bool { return d.session.Status == session.Active }

// find finds where the pair of a task is or was: in the work tree that is recorded for it, in the one where it is held,
// or here. Its session is the zero value if no pair was ever opened in any of them.
func find(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (place, error) {
	var found place
	if s.Repo != nil && t.Repo == "" {
		trees, err := work.Trees(s, w.Now)
		if err != nil {
			return place{}, err
		}
		tree, ok, err := trees.Find(ctx, t.ID)
		if err != nil {
			return place{}, err
		}
		if ok {
			found = place{dir: tree.Root, top: tree.Path, tree: &tree}
			if found.at, err = store.Open(tree.Root, w.StateDir); err == nil {
				found.session = lastPair(found.at, t.ID)
			}
		}
	}
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	for _, root := range []string{desk.RootIn(s, hold.Worktree), s.Root} {
		if found.open() || root == "" || root == found.dir {
			continue
		}
		at, err := store.Open(root, w.StateDir)
		if err != nil {
			continue
		}
		if ses := lastPair(at, t.ID); ses.Status == session.Active {
			found = place{at: at, dir: folderOf(at, t), top: at.Worktree, session: ses}
		}
	}
	return found, nil
}

// folderOf is the folder in which the files of a task are, for a pair that works in a work tree of its own choice.
func folderOf(at *store.Store, t task.Task) string {
	if files, err := at.Files(t); err == nil {
		return files.Root
	}
	return at.Root
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
func (d place) environment(s *store.Store, t task.Task, executor string) map[string]string {
	out := map[string]string{
		"CAIRN_TASK": string(t.ID), "CAIRN_SESSION": d.session.ID, "CAIRN_ACTOR": string(d.session.Actor),
		"CAIRN_PORT": strconv.Itoa(firstPort + int(hashOf(string(s.Live)+"\x00"+string(t.ID))%portBlocks)*portsOfEach),
	}
	if executor != "" {
		out["CAIRN_EXECUTOR"] = executor
	}
	if d.dir != d.at.Root { // its records are elsewhere
		out["CAIRN_REPO"] = d.at.Root
	}
	return out
}

// view shows a pair.
func (d place) view(s *store.Store, t task.Task) Pair {
	out := Pair{Task: t.ID, Exists: d.open(), Session: d.session.ID, Status: d.session.Status, Actor: d.session.Actor}
	if d.at == nil {
		return out
	}
	out.Worktree, out.Root, out.Branch = d.top, d.dir, d.session.Branch
	if d.tree != nil {
		out.Branch, out.Base = d.tree.Branch, d.tree.Base
	}
	if d.open() {
		out.Environment = d.environment(s, t, d.session.Client)
	}
	return out
}

// ReadIn is the input of Read.
type ReadIn struct {
	ID record.ID `json:"id" doc:"task of the pair" cli:"arg"`
}

// Read returns the pair of a task. There may be none: then Exists is false.
func Read(ctx context.Context, w *verb.Workspace, in ReadIn) (Pair, error) {
	s, err := w.Open()
	if err != nil {
		return Pair{}, err
	}
	t, err := kind.Tasks.Get(s, in.ID)
	if err != nil {
		return Pair{}, err
	}
	d, err := find(ctx, w, s, t)
	return d.view(s, t), err
}

// Replay shows the pair as it is now.
func (Pair) Replay(w *verb.Workspace, _ *store.Store, key session.Key) (any, error) {
	out, err := Read(context.Background(), w, ReadIn{key.Task})
	out.Replayed = true
	return out, verb.NotHere(err, string(key.Task))
}
