package pairs

import (
	"cmp"
	"context"
	"hash/fnv"
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
	"github.com/cairn-tasks/cairn/task"
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
func Open(ctx context.Context, w *verb.Workspace, in OpenIn) (Pair, error) {
	s, err := w.Open()
	if err != nil {
		return Pair{}, err
	}
	t, err := kind.Tasks.Get(s, in.ID)
	if err == nil {
		err = mayOpen(w, s, t)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	table, err := executor.Load(w.ConfigDir)
	name := cmp.Or(in.Executor, s.Config.Executor)
	if err == nil && name != "" {
		_, err = table.Get(name)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	d, err := find(ctx, w, s, t)
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	reused := d.open()
	switch {
	case reused && in.Reuse != nil && !*in.Reuse:
		return Pair{}, verb.WithID(record.Errorf(record.SessionLive, "%s is open on it, in %s", d.session.ID, d.dir).
			WithHint("leave out reuse to go on with it, or %s", record.CallTo("pair_close", "id", in.ID).OnlyShown()).
			WithNext(record.CallTo("pair_read", "id", in.ID)), in.ID)
	case !reused:
		o := opening{w: w, s: s, t: t, in: in, executor: name}
		if d, err = o.begin(ctx); err != nil {
			return Pair{}, verb.WithID(err, in.ID)
		}
	}
	if err := w.RememberCall(ctx, s, session.Key{Task: in.ID}); err != nil {
		return Pair{}, err
	}
	if began := d.session.Client; in.Executor == "" && slices.Contains(table.Names(), began) { // else it is whatever program asked
		name = began
	}
	out, err := withCommand(s, t, d, table, name)
	out.Reused = reused
	return out, err
}

// mayOpen returns why no pair may work on a task.
func mayOpen(w *verb.Workspace, s *store.Store, t task.Task) error {
	if err := w.InScope(t.ID); err != nil {
		return err
	}
	switch {
	case s.Repo == nil:
		return record.Errorf(record.Git, "a pair works in a work tree of its own, and this workspace is not in a git repository").WithHint("git init, and a first commit")
	case !s.Trusted():
		return record.Errorf(record.Untrusted, "nobody has trusted this clone on this machine, and who works in a pair runs its commands").
			WithHint("look at what it would run, then a person runs %s in a terminal", record.CallTo("trust").ByPerson())
	case s.Config.Flow.IsClosed(t.Status):
		return record.Errorf(record.TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
	}
	return noJob(s, t.ID, record.AlreadyClaimed)
}

// noJob returns an error with this code if a job works on the task, or waits for its turn.
func noJob(s *store.Store, id record.ID, code record.Code) error {
	one, live := work.Jobs(s).LiveOf(id)
	if !live {
		return nil
	}
	return record.Errorf(code, "%s works on it", one.Spec.Job).WithHint("wait for it, or cancel it").WithNext(record.CallTo("job_poll", "job", one.Spec.Job))
}

// opening is a pair that is being opened.
type opening struct {
	w        *verb.Workspace
	s        *store.Store
	t        task.Task
	in       OpenIn
	executor string

	d    place
	acts *verb.Workspace // as whom the agent will
}

// begin makes everything that a pair needs.
func (o *opening) begin(ctx context.Context) (place, error) {
	if err := o.choose(ctx); err != nil {
		return place{}, err
	}
	if err := o.setUp(ctx); err != nil {
		return place{}, err
	}
	o.acts = o.w.At(o.d.at.Root).InNameOf(agentOf(o.w.Actor(), o.executor))
	o.acts.Rights, o.acts.Progress = verb.Rights{Profile: verb.PairWorker, Scope: o.t.ID}, nil
	key, err := record.Token(o.w.Now(), o.w.Rand)
	if err != nil {
		return place{}, err
	}
	at := desk.Desk{
		Task: o.t.ID, Acts: o.acts, At: o.d.at, Top: o.d.top, By: o.w.Actor(), Why: "a pair works on it",
	}
	id, err := at.Begin(ctx, sessions.BeginIn{
		IdempotencyKey: "pair-" + key, Role: role, Client: cmp.Or(o.executor, o.w.Client), Worktree: o.d.top,
	})
	if err == nil {
		o.d.session, err = kind.Sessions.Get(o.d.at, id)
	}
	return o.d, err
}

// agentOf is as whom the agent of a pair acts: an agent that opens it itself is that agent, and beside a person it has
// a name that says with whom.
func agentOf(who record.Actor, executor string) record.Actor {
	if who.Agent() {
		return who
	}
	_, name, _ := strings.Cut(string(who), ":")
	full := cmp.Or(executor, "pair") + "-" + name
	return record.Actor("agent:" + full[:min(len(full), 64)])
}

// choose makes the work tree, or takes the one that is named.
func (o *opening) choose(ctx context.Context) error {
	var err error
	switch {
	case o.in.Worktree != "":
		return o.placeIn(o.in.Worktree)
	case o.t.Repo != "": // the work tree there is the person's, and the records stay here
		files, err := o.s.Files(o.t)
		if err == nil && !files.Trusted() {
			err = record.Errorf(record.Untrusted, "nobody has trusted %s on this machine", files.Root).WithHint("a person runs %s in a terminal", record.CallTo("trust", "in-repo", o.t.Repo).ByPerson())
		}
		o.d = place{at: o.s, dir: files.Root, top: files.Worktree}
		return err
	}
	trees, err := work.Trees(o.s, o.w.Now)
	if err != nil {
		return err
	}
	tree, err := trees.Make(ctx, o.t.ID, "", "")
	if err == nil {
		err = trees.Verify(ctx, tree)
	}
	if err != nil {
		return err
	}
	o.d = place{dir: tree.Root, top: tree.Path, tree: &tree}
	o.d.at, err = store.Open(tree.Root, o.w.StateDir)
	return err
}

// placeIn takes a work tree that is a person's: it must be one of this clone, and have the task.
func (o *opening) placeIn(dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.w.Dir, dir)
	}
	at, err := store.Open(dir, o.w.StateDir)
	if err != nil {
		return err
	}
	if at.Live != o.s.Live {
		return verb.BadInput("worktree", "is %s, which is no work tree of this clone", dir).WithHint("git worktree list shows them; leave it out for one of the task's own")
	}
	if _, err := kind.Tasks.Get(at, o.t.ID); err != nil {
		return err
	}
	o.d = place{at: at, dir: folderOf(at, o.t), top: at.Worktree}
	return nil
}

// setUp runs the set-up command of the workspace, as the config of the work tree has it, in a work tree that is not a
// person's.
func (o *opening) setUp(ctx context.Context) error {
	if o.d.at.Config.WorktreeSetup == "" || o.d.tree == nil {
		return nil
	}
	if !o.d.at.Trusted() {
		return record.Errorf(record.Untrusted, "the set-up command was not approved on this machine")
	}
	failed, err := gates.SetUp(ctx, o.d.at, record.IO, "the set-up command failed")
	if failed != nil {
		return failed.WithHint("see what is wrong in %s, then open the pair again", o.d.top)
	}
	return err
}

// withCommand shows a pair, with the command that starts the agent.
func withCommand(s *store.Store, t task.Task, d place, table executor.Table, name string) (Pair, error) {
	out := d.view(s, t)
	out.Environment = d.environment(s, t, name)
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
	private, err := work.PairFolder(s, t.ID)
	if err != nil {
		return out, err
	}
	cairn := executor.Cairn{Root: d.at.Root, Actor: d.session.Actor, Task: t.ID, Profile: verb.PairWorker.String()}
	run := executor.Run{Dir: d.dir, MCP: cairn.Server(), Env: out.variables, Private: private}
	argv, env, err := ex.Interactive(run)
	if err != nil {
		return out, err
	}
	out.Executor, out.argv, out.variables = name, argv, append(out.variables, env...)
	out.Command = commandLine(d.dir, out.variables, argv)
	return out, nil
}

// commandLine spells a command for a POSIX shell.
func commandLine(dir string, env, argv []string) string {
	words := []string{"cd", quoted(dir), "&&", "env"}
	for _, word := range slices.Concat(env, argv) {
		words = append(words, quoted(word))
	}
	return strings.Join(words, " ")
}

// quoted is a word that a POSIX shell takes for what it is.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !record.IsWord(string(r), "/._-=:,@%+") }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func hashOf(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return h.Sum32()
}
