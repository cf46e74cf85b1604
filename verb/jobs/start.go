package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/job/executor"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/store/worktree"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// StartIn is the input of Start. Without an id it makes the task first.
type StartIn struct {
	ID          task.ID         `json:"id,omitempty" doc:"task to work on; or give a title, to create one" cli:"arg"`
	Executor    string          `json:"executor,omitempty" doc:"program that does the work, such as claude; the workspace's config may name the usual one" from:"executors"`
	Title       string          `json:"title,omitempty" doc:"of a new task, in place of id"`
	Description string          `json:"description,omitempty" doc:"of the new task"`
	Acceptance  []string        `json:"acceptance,omitempty" doc:"manual checks of the new task"`
	Checks      []tasks.CheckIn `json:"checks,omitempty" doc:"checks of the new task" cli:"flag=check"`
	Output      string          `json:"output,omitempty" doc:"edits: it changes files; patch: it may only read, and answers with a diff" values:"edits,patch"`
	Model       string          `json:"model,omitempty" doc:"model, by the executor's own name for it"`
	Base        string          `json:"base,omitempty" doc:"branch to start from and to merge into; the one that is checked out by default"`
	Commit      string          `json:"baseline_commit,omitempty" doc:"commit to start from; the newest of base by default"`
	Scope       ScopeIn         `json:"scope,omitempty" doc:"which files it is about"`
	Priority    string          `json:"priority,omitempty" doc:"P0, P1 (the usual one) or P2: who waits for a slot goes first" values:"P0=first,P1=normal,P2=last"`
	TTL         *int            `json:"ttl_seconds" doc:"how long it may wait and run, together; jobs_ttl by default"`
	Timeout     *int            `json:"timeout_seconds" doc:"how long it may run; job_timeout by default"`
	Stall       int             `json:"stall_seconds,omitempty" doc:"end it when it says nothing for so long; it is only shown by default"`
	Budget      float64         `json:"budget,omitempty" doc:"end it when it has cost so many US dollars"`
	Attempts    *int            `json:"attempts" doc:"further rounds after checks that failed; 2 by default"`
	Context     string          `json:"context,omitempty" doc:"what the program is told beside the task"`
	Notify      NotifyIn        `json:"notify,omitempty" doc:"who hears of the end"`
	Restart     bool            `json:"restart,omitempty" doc:"true: cancel the live job of the task first"`
	verb.Once
}

// ScopeIn is which files a job is about.
type ScopeIn struct {
	ReadPaths []string `json:"read_paths,omitempty" doc:"paths or globs that it should read first" cli:"flag=read-path"`
	Paths     []string `json:"paths,omitempty" doc:"paths or globs that alone it may change" cli:"flag=path"`
}

// NotifyIn is who hears of the end of a job.
type NotifyIn struct {
	PR      bool   `json:"pr,omitempty" doc:"open a pull request once it has succeeded"`
	Webhook string `json:"webhook,omitempty" doc:"URL that gets the final state; your own config names the hosts"`
}

// The rounds and the place in the queue of a job that says nothing of them.
const (
	usualAttempts = 2
	usualPriority = job.P1
)

// Start creates a job, and starts the process that runs it. It returns once that process has said that it runs; the job may still wait for a slot.
//
// What can be refused is refused before there is a job: INVALID_SPEC for values out of range, UNTRUSTED in a clone that nobody trusted, EXECUTOR_MISSING,
// TASK_CLOSED, TASK_TYPE_MISMATCH, DEPS_OPEN, ALREADY_CLAIMED if somebody holds the task or another job of it lives, and RATE_LIMIT.
func Start(ctx context.Context, w *verb.Workspace, in StartIn) (Job, error) {
	s, err := w.Open()
	if err != nil {
		return Job{}, err
	}
	st := starter{w: w, s: s, in: in}
	if err := st.prepare(ctx); err != nil {
		return Job{}, err
	}
	if one, err := st.made(); one != nil || err != nil {
		return st.replay(one), err
	}
	if err := st.task(ctx); err != nil {
		return Job{}, err
	}
	if in.Restart {
		if err := cancelLive(ctx, w, s, st.spec.Task); err != nil {
			return Job{}, err
		}
	}
	one, created, err := s.Jobs().Create(ctx, st.spec, st.admit)
	switch {
	case err != nil:
		return Job{}, verb.WithID(err, st.spec.Task)
	case !created:
		return st.replay(&one), nil
	}
	return supervise(ctx, w, s, one.Spec.Job)
}

// starter is a call of Start on its way.
type starter struct {
	w    *verb.Workspace
	s    *store.Store
	in   StartIn
	spec job.Spec
}

// prepare makes the spec of what needs no task, and asks what can be refused without one.
func (st *starter) prepare(ctx context.Context) error {
	w, s, in := st.w, st.s, st.in
	if (in.ID == "") == (in.Title == "") {
		return verb.BadInput("", "names a task by its id, or a new one by its title").WithHint("give one of id and title")
	}
	if in.ID != "" && (in.Description != "" || len(in.Acceptance) > 0 || len(in.Checks) > 0) {
		return verb.BadInput("", "says what a new task is like, and names one that is there").WithHint("change that with %s, or leave id out", task.CallTo("update", "id", in.ID).OnlyShown())
	}
	if err := w.InScope(in.ID); err != nil {
		return err
	}
	if err := mayStart(ctx, w, s); err != nil {
		return err
	}
	ex, err := chosen(w, s, in.Executor)
	if err != nil {
		return err
	}
	if st.spec, err = st.specOf(ctx, ex); err != nil {
		return err
	}
	return ex.Present()
}

// mayStart returns why no job can be started here at all.
func mayStart(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	if w.Supervise == nil {
		return task.Errorf(task.Forbidden, "this program starts no processes that outlive it").WithHint("start jobs with the command line, or with its server")
	}
	if s.Repo == nil {
		return task.Errorf(task.Git, "a job works in a work tree of its own, and this workspace is not in a git repository").WithHint("git init, and a first commit")
	}
	if err := s.Git().Usable(ctx); err != nil {
		return err
	}
	if !s.Trusted() {
		return task.Errorf(task.Untrusted, "nobody has trusted this clone on this machine, and a job runs its commands").
			WithHint("look at what it would run, then a person runs %s in a terminal", task.CallTo("trust").ByPerson())
	}
	return nil
}

// chosen is the executor that the caller or the workspace's config names.
func chosen(w *verb.Workspace, s *store.Store, name string) (executor.Executor, error) {
	table, err := executor.Load(w.ConfigDir)
	if err != nil {
		return executor.Executor{}, err
	}
	name = cmp.Or(name, s.Config.Executor)
	if name == "" {
		return executor.Executor{}, verb.BadInput("executor", "is missing, and the workspace's config names none").
			WithHint("one of %s; the key executor in %s names the usual one", strings.Join(table.Names(), ", "), s.Rel(s.ConfigFile()))
	}
	return table.Get(name)
}

// specOf is the spec of the job but for its task.
func (st *starter) specOf(ctx context.Context, ex executor.Executor) (job.Spec, error) {
	w, s, in := st.w, st.s, st.in
	token, err := task.Token(w.Now(), w.Rand)
	if err != nil {
		return job.Spec{}, err
	}
	spec := job.Spec{
		Job: job.Prefix + "-" + token, By: w.Actor(), Executor: ex.Name(), Model: in.Model, Output: cmp.Or(job.Output(in.Output), ex.Output()),
		Scope: job.Scope{ReadPaths: in.Scope.ReadPaths, Paths: in.Scope.Paths}, Priority: cmp.Or(job.Priority(in.Priority), usualPriority),
		TTL: seconds(in.TTL, s.Config.JobsTTL), Timeout: seconds(in.Timeout, s.Config.JobTimeout), Stall: job.Seconds(in.Stall), Budget: in.Budget,
		Attempts: usualAttempts, Context: in.Context, Notify: job.Notify{PR: in.Notify.PR, Webhook: in.Notify.Webhook},
		Key: in.IdempotencyKey, Asked: asked(in), Root: s.Root, CreatedAt: w.Now().UTC(),
	}
	if in.Attempts != nil {
		spec.Attempts = *in.Attempts
	}
	if err := spec.Valid(); err != nil {
		return spec, err
	}
	if err := validTexts(in); err != nil {
		return spec, err
	}
	spec.Base, spec.BaseCommit, err = st.base(ctx)
	return spec, err
}

func seconds(given *int, usual time.Duration) job.Seconds {
	if given == nil {
		return job.Seconds(usual / time.Second)
	}
	return job.Seconds(*given)
}

// validTexts refuses texts that no line of a command or of a page may have.
func validTexts(in StartIn) error {
	for _, f := range []struct{ name, text string }{{"model", in.Model}, {"context", in.Context}} {
		if err := task.ValidText(f.name, f.text); err != nil {
			return err
		}
	}
	if strings.HasPrefix(in.Model, "-") || strings.ContainsAny(in.Model, "\n\x00") {
		return task.Errorf(task.InvalidSpec, "model is %q", verb.Head(in.Model, 60)).WithHint("the name of a model, as the executor knows it")
	}
	if in.Notify.Webhook == "" {
		return nil
	}
	if to, err := url.Parse(in.Notify.Webhook); err != nil || to.Scheme != "https" && to.Scheme != "http" || to.Host == "" || to.User != nil {
		return task.Errorf(task.InvalidSpec, "notify.webhook is no URL that can be posted to").WithHint("https://host/path, without a user or a password in it")
	}
	return nil
}

// base is the branch and the commit to start from.
func (st *starter) base(ctx context.Context) (branch, commit string, err error) {
	branch = st.in.Base
	if branch == "" {
		branch = st.s.Head(ctx).Branch
	} else if err := st.s.Git().Branch(ctx, "base", branch); err != nil {
		return "", "", err
	}
	if branch == "" {
		return "", "", task.Errorf(task.InvalidSpec, "base is missing, and no branch is checked out").WithHint("name the branch to start from and to merge into")
	}
	if st.in.Commit == "" {
		if head := st.s.Head(ctx); head.Branch == branch && head.Commit == "" {
			return "", "", task.Errorf(task.InvalidSpec, "the branch %s has no commit yet", branch).WithHint("git add --all, and git commit: a job starts from a commit")
		}
		return branch, "", nil
	}
	commit, err = st.s.Git().Commit(ctx, "baseline_commit", st.in.Commit)
	return branch, commit, err
}

// asked is a hash of the arguments of a call, for which its idempotency key stands.
func asked(in StartIn) string {
	in.IdempotencyKey = ""
	src, _ := json.Marshal(in) // texts and numbers
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:8])
}

// made is the job that an earlier call under the same key created; nil if there is none. A key stands for a live job, and for a day after its end.
func (st *starter) made() (*job.Job, error) {
	if st.in.IdempotencyKey == "" {
		return nil, nil
	}
	all, err := st.s.Jobs().List()
	if err != nil {
		return nil, err
	}
	return st.madeAmong(all)
}

func (st *starter) madeAmong(all []job.Job) (*job.Job, error) {
	if st.in.IdempotencyKey == "" {
		return nil, nil
	}
	for _, one := range all {
		if one.Spec.Key != st.in.IdempotencyKey || one.Spec.By != st.spec.By || !one.Status.KeyStands(st.w.Now()) {
			continue
		}
		if one.Spec.Asked != st.spec.Asked {
			return nil, task.Errorf(task.Conflict, "the idempotency key was used with other arguments, for %s", one.Spec.Job).
				WithHint("repeat the call exactly, or use a new key").ForGood()
		}
		return &one, nil
	}
	return nil, nil
}

func (st *starter) replay(one *job.Job) Job {
	if one == nil {
		return Job{}
	}
	out := viewOf(st.s.Jobs(), *one, st.w.Now())
	out.Replayed = true
	return out
}

// task finds or makes the task, and asks whether a job may begin on it.
func (st *starter) task(ctx context.Context) error {
	id := st.in.ID
	if id == "" {
		made, err := st.newTask(ctx)
		if err != nil {
			return err
		}
		id = made
	}
	t, err := record.Tasks.Get(st.s, id)
	if err == nil {
		err = mayWork(ctx, st.w, st.s, t, st.spec.Executor)
	}
	st.spec.Task = id
	return verb.WithID(err, id)
}

// newTask makes the task. Under an idempotency key a call that is repeated finds the task that it made.
func (st *starter) newTask(ctx context.Context) (task.ID, error) {
	in := map[string]any{"title": st.in.Title, "body": st.in.Description}
	if len(st.in.Acceptance) > 0 {
		in["acceptance"] = st.in.Acceptance
	}
	if len(st.in.Checks) > 0 {
		in["checks"] = st.in.Checks
	}
	if st.in.IdempotencyKey != "" {
		in["idempotency_key"] = "job_start " + st.in.IdempotencyKey
	}
	src, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	w := *st.w
	w.Toolsets = nil // whether create is among the tools that the caller is offered is another question
	for _, v := range tasks.Verbs {
		if v.Name == "create" {
			out, err := v.Call(ctx, &w, src)
			made, _ := out.(verb.Task)
			return made.ID, err
		}
	}
	panic("jobs: there is no verb create")
}

// mayWork returns why no job may begin on a task.
func mayWork(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, name string) error {
	flow := s.Config.Flow
	if flow.IsClosed(t.Status) {
		return task.Errorf(task.TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
	}
	if t.Mode == task.PairMode {
		return task.Errorf(task.TaskTypeMismatch, "is done by a person and an agent together (mode: pair), and a job has no person").
			WithHint("%s begins that; mode: auto lets a job do it", task.CallTo("pair_open", "id", t.ID))
	}
	if t.Repo != "" {
		return task.Errorf(task.InvalidSpec, "its files are in the repository %q, and a job works in this one", t.Repo).
			WithHint("start it in a workspace of that repository, or work on it in a pair")
	}
	if err := flow.DepsGate(t, flow.Working, w.Reads.Find(s)); err != nil {
		return err
	}
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	if left, err := leftByJob(s, t.ID, hold); left || err != nil {
		return err
	}
	if hold.How == session.Behind { // an earlier job may have carried it further on its branch, on which the next one goes on
		hold.NoBranch = !s.Git().HasBranch(ctx, hold.Branch)
		if hold.Branch == worktree.Branch(t.ID) && !hold.NoBranch {
			return nil
		}
		return hold.Refuse(t.ID, agentOf(name), "", false)
	}
	return hold.Refuse(t.ID, agentOf(name), "", true)
}

// leftByJob reports whether a task is held by the executor of a job that is not at work any more: in the session of that job, or because it handed the
// task over and the work was sent back.
func leftByJob(s *store.Store, id task.ID, hold session.Hold) (bool, error) {
	if hold.How != session.Claimed {
		return false, nil
	}
	all, err := s.Jobs().List()
	for _, one := range all {
		handedOver := hold.Session == "" && hold.Actor == one.Status.Actor && hold.Branch == worktree.Branch(id)
		if one.Spec.Task == id && (handedOver || hold.Session != "" && one.Status.Session == hold.Session) {
			return !one.Status.State.Live(), err
		}
	}
	return false, err
}

// agentOf is an actor that stands for those as whom an executor acts.
func agentOf(name string) task.Actor { return task.Actor("agent:" + name) }

// admit decides, under the lock of Create, whether there may be one more job.
func (st *starter) admit(all []job.Job) (*job.Job, error) {
	if one, err := st.madeAmong(all); one != nil || err != nil {
		return one, err
	}
	waiting := 0
	for _, one := range all {
		if one.Status.State == job.Queued {
			waiting++
		}
		if one.Spec.Task == st.spec.Task && one.Status.State.Live() {
			return nil, task.Errorf(task.AlreadyClaimed, "%s works on it already (%s)", one.Spec.Job, one.Status.State).
				WithHint("%s follows it; restart: true (--restart) cancels it first", task.CallTo("job_poll", "job", one.Spec.Job, "wait", true))
		}
	}
	if waiting >= job.MaxWaiting {
		return nil, task.Errorf(task.RateLimit, "%d jobs wait already", waiting).
			WithHint("%s shows them; start more when some have begun", task.CallTo("job_list", "state", string(job.Queued)).OnlyShown())
	}
	return nil, nil
}

// supervise starts the process that runs a job, and shows the job. If the process cannot be started, the job has failed.
func supervise(ctx context.Context, w *verb.Workspace, s *store.Store, id string) (Job, error) {
	if err := w.Supervise(ctx, w, id); err != nil {
		failed(s, id, err)
		return Job{}, err
	}
	one, err := s.Jobs().Get(id)
	if err != nil {
		return Job{}, err
	}
	return viewOf(s.Jobs(), one, w.Now()), nil
}

// failed ends a job whose supervisor could not be started. If it has one after all, that says how it goes.
func failed(s *store.Store, id string, why error) {
	owned, err := s.Jobs().Own(id)
	if err != nil {
		return
	}
	defer func() { _ = owned.Release() }()
	if owned.Job().Status.State.Live() {
		_ = owned.Change(func(s *job.Status) {
			s.State, s.Reason, s.Message = job.Failed, job.InternalError, task.MessageOf(why)
		})
	}
}
