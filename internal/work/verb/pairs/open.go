package pairs

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// OpenIn is the input of Open.
type OpenIn struct {
	ID       record.ID `json:"id" doc:"task to work on" cli:"arg"`
	Executor string    `json:"executor,omitempty" doc:"program of the agent, such as claude; the config may name the usual one" from:"executors"`
	Reuse    *bool     `json:"reuse" doc:"false: refuse a pair that is open already, in place of going on with it"`
	Worktree string    `json:"worktree,omitempty" doc:"folder of a work tree of this clone that is a person's; one of the task's own by default"`
	verb.Once
}

// Open makes the work tree of a task, or takes the one that there is, runs the set-up command in it, and begins a
// session there. It says how the agent is started, and does not start it. A pair that is open is gone on with.
//
// It returns UNTRUSTED in a clone that is not trusted, TASK_CLOSED, ALREADY_CLAIMED while a job or somebody else works
// on the task, SESSION_LIVE for an open pair that is not to be reused, DEPS_OPEN, and IO if the set-up command fails;
// the work tree then stays.
func Open(ctx context.Context, w *verb.Workspace, s *store.Store, in OpenIn) (Pair, error) {
	p, err := taskOf(s, in.ID)
	if err == nil {
		err = p.mayOpen(ctx, w)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	table, err := executor.Load(w.ConfigDir)
	name := cmp.Or(in.Executor, p.s.Config.Executor)
	if err == nil && name != "" {
		_, err = table.Get(name)
	}
	if err == nil {
		err = p.find(w)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	reused := p.open()
	switch {
	case reused && in.Reuse != nil && !*in.Reuse:
		err = record.Errorf(record.SessionLive, "%s is open on it, in %s", p.session.ID, p.dir).
			WithHint("leave out reuse to go on with it, or %s", record.CallTo("pair_close", "id", in.ID).OnlyShown()).
			WithNext(record.CallTo("pair_read", "id", in.ID))
	case !reused:
		err = p.begin(ctx, w, in.Worktree, name)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	if err := w.RememberCall(ctx, p.s, session.Key{Task: in.ID}); err != nil {
		return Pair{}, err
	}
	if began := p.session.Client; in.Executor == "" && slices.Contains(table.Names(), began) { // else it is whatever program asked
		name = began
	}
	out, err := p.withCommand(table, name)
	out.Reused = reused
	return out, err
}

func (p place) mayOpen(ctx context.Context, w *verb.Workspace) error {
	if err := w.InScope(p.task.ID); err != nil {
		return err
	}
	switch status := p.task.Status; {
	case p.s.Repo == nil:
		return record.Errorf(record.Git, "a pair works in a work tree of its own, and this workspace is not in a git repository").
			WithHint("git init, and a first commit")
	case p.s.Config.Flow.IsClosed(status):
		return record.Errorf(record.TaskClosed, "is closed (%s)", status).WithHint("move it to an open state first, if there is more to do")
	}
	if err := gates.ConsentFor(ctx, w, p.s, p.task, gates.ToWork(p.s, p.task)); err != nil {
		return err
	}
	return p.noJob(record.AlreadyClaimed)
}

func (p *place) begin(ctx context.Context, w *verb.Workspace, dir, executor string) error {
	if err := p.choose(ctx, w, dir); err != nil {
		return err
	}
	if p.tree != nil { // as the config of the work tree has it
		failed, err := gates.SetUp(ctx, w, p.at, record.IO, "the set-up command failed")
		if failed != nil {
			return failed.WithHint("see what is wrong in %s, then open the pair again", p.top)
		}
		if err != nil {
			return err
		}
	}
	// An agent that opens a pair itself is its agent, and beside a person it has a name that says with whom.
	agent := w.Actor()
	if !agent.Agent() {
		_, name, _ := strings.Cut(string(agent), ":")
		full := cmp.Or(executor, desk.PairRole) + "-" + name
		agent = record.Actor("agent:" + full[:min(len(full), 64)])
	}
	acts := w.At(p.at.Root).InNameOf(agent)
	acts.Rights, acts.Progress = verb.Rights{Profile: verb.PairWorker, Scope: p.task.ID}, nil
	key, err := record.Token(w.Now(), w.Rand)
	if err != nil {
		return err
	}
	at := desk.Desk{Task: p.task.ID, Acts: acts, At: p.at, Top: p.top, By: w.Actor(), Why: "a pair works on it"}
	id, err := at.Begin(ctx, sessions.BeginIn{
		IdempotencyKey: "pair-" + key, Role: desk.PairRole, Client: cmp.Or(executor, w.Client), Worktree: p.top,
	})
	if err == nil {
		p.session, err = kind.Sessions.Get(p.at, id)
	}
	return err
}

// choose makes the work tree, or takes the one that is named, which is a person's: it must be one of this clone, and
// have the task.
func (p *place) choose(ctx context.Context, w *verb.Workspace, dir string) error {
	if dir == "" && p.task.Repo != "" { // the work tree there is the person's, and the records stay here
		files, err := gates.Ready(p.s, p.task)
		p.at, p.dir, p.top, p.tree = p.s, files.Root, files.Worktree, nil
		return err
	}
	if dir == "" {
		trees, err := work.Trees(p.s, w.Now)
		if err != nil {
			return err
		}
		tree, err := trees.Make(ctx, p.task.ID, "", "")
		if err == nil {
			p.dir, p.top, p.tree = tree.Root, tree.Path, &tree
			p.at, err = store.Open(tree.Root, w.StateDir)
			err = tree.Unreadable(err)
		}
		return err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Dir, dir)
	}
	at, err := store.Open(dir, w.StateDir)
	if err != nil {
		return err
	}
	if at.Live != p.s.Live {
		return verb.BadInput("worktree", "is %s, which is no work tree of this clone", dir).
			WithHint("git worktree list shows them; leave it out for one of the task's own")
	}
	p.sit(at)
	_, err = kind.Tasks.Get(at, p.task.ID)
	return err
}

// withCommand shows a pair, with the command that starts the agent.
func (p place) withCommand(table executor.Table, name string) (Pair, error) {
	out := p.view()
	out.Environment = p.environment(name)
	for _, key := range slices.Sorted(maps.Keys(out.Environment)) {
		out.variables = append(out.variables, key+"="+out.Environment[key])
	}
	if name == "" {
		return out, nil
	}
	ex, err := table.Get(name)
	if err != nil {
		return out, err
	}
	private, err := work.PairFolder(p.s, p.task.ID)
	if err != nil {
		return out, err
	}
	cairn := executor.Cairn{Root: p.at.Root, Actor: p.session.Actor, Task: p.task.ID, Profile: verb.PairWorker.String()}
	argv, env, err := ex.Interactive(executor.Run{Dir: p.dir, MCP: cairn.Server(), Env: out.variables, Private: private})
	if err != nil {
		return out, err
	}
	out.Executor, out.argv, out.variables = name, argv, append(out.variables, env...)
	words := []string{"cd", record.ShellWord(p.dir), "&&", "env"}
	for _, word := range slices.Concat(out.variables, argv) {
		words = append(words, record.ShellWord(word))
	}
	out.Command = strings.Join(words, " ")
	return out, nil
}
