package jobs

import (
	"cmp"
	"context"
	"os/exec"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	joblist "github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// StartIn is the input of Start. With a title in place of an id, Start makes the task first.
type StartIn struct {
	ID          record.ID       `json:"id,omitempty" doc:"task to work on; or give a title, to create one" cli:"arg"`
	Executor    string          `json:"executor,omitempty" doc:"program that does the work, such as claude; the workspace's config may name the usual one" from:"executors"`
	Title       string          `json:"title,omitempty" doc:"of a new task, in place of id"`
	Description string          `json:"description,omitempty" doc:"of the new task"`
	Acceptance  []string        `json:"acceptance,omitempty" doc:"manual checks of the new task"`
	Checks      []tasks.CheckIn `json:"checks,omitempty" doc:"checks of the new task" cli:"flag=check"`
	Fields      verb.Values     `json:"fields,omitempty" doc:"a field of the new task that the config declares" cli:"flag=set" from:"fields" mcp:"quiet"`
	Output      string          `json:"output,omitempty" doc:"edits: it changes files; patch: it may only read, and answers with a diff" enum:"edits,patch"`
	Model       string          `json:"model,omitempty" doc:"model, by the executor's own name for it"`
	Base        string          `json:"base,omitempty" doc:"branch to start from and to merge into; the one that is checked out by default"`
	Commit      string          `json:"baseline_commit,omitempty" doc:"commit to start from; the newest of base by default"`
	Scope       job.Scope       `json:"scope,omitempty" doc:"which files it is about"`
	Priority    string          `json:"priority,omitempty" doc:"P0, P1 (the usual one) or P2: who waits for a slot goes first" enum:"P0=first,P1=normal,P2=last"`
	TTL         *int            `json:"ttl_seconds" doc:"how long it may wait and run, together; by default an hour, or its time limit if that is longer"`
	Timeout     *int            `json:"timeout_seconds" doc:"how long it may run; job_timeout by default"`
	Stall       *int            `json:"stall_seconds" doc:"end it when it says nothing for so long; job_silence by default, 0 for never"`
	Restarts    *int            `json:"retries" doc:"how often it is started again after crashes and errors that pass; job_retries by default" mcp:"quiet"`
	Budget      float64         `json:"budget,omitempty" doc:"end it when it has cost so many US dollars"`
	Tokens      int             `json:"budget_tokens,omitempty" doc:"end it when it has used so many tokens, without those that came from a cache" mcp:"quiet"`
	Attempts    *int            `json:"attempts" doc:"further rounds after checks that failed; 2 by default"`
	Context     string          `json:"context,omitempty" doc:"what the program is told beside the task"`
	Notify      job.Notify      `json:"notify,omitempty" doc:"who hears of the end"`
	Restart     bool            `json:"restart,omitempty" doc:"true: cancel the live job of the task first"`
	Fresh       bool            `json:"fresh,omitempty" doc:"true: begin anew at the base, and keep what earlier attempts left on a branch of its own" mcp:"quiet"`
	Retry       string          `json:"retry,omitempty" doc:"job to try again as it was, in the work tree that it left, in place of id" from:"jobs" mcp:"quiet"`
	Settles     string          `json:"-"` // see job.Spec
	verb.Once
}

// Start creates a job and starts its supervisor, the process that runs it. It returns once the supervisor has said that
// it runs; the job may still wait for a slot.
//
// These errors leave no job: INVALID_SPEC for values out of range, UNTRUSTED in a clone that nobody trusted,
// EXECUTOR_MISSING, TASK_CLOSED, TASK_TYPE_MISMATCH, DEPS_OPEN, ALREADY_CLAIMED if somebody holds the task or it has a
// live job, RATE_LIMIT, and BUDGET_SPENT.
func Start(ctx context.Context, w *verb.Workspace, s *store.Store, in StartIn) (Job, error) {
	if in.Retry != "" {
		return in.again(ctx, w, s)
	}
	st := starter{w: w, s: s, in: in}
	if err := st.prepare(ctx); err != nil {
		return Job{}, err
	}
	if in.IdempotencyKey != "" {
		all, err := work.Jobs(s).List()
		if err == nil {
			var one *job.Job
			if one, err = st.made(all); one != nil {
				return st.replay(*one), nil
			}
		}
		if err != nil {
			return Job{}, err
		}
	}
	if err := st.task(ctx); err != nil {
		return Job{}, err
	}
	return st.create(ctx)
}

// again is Retry for a caller who names nothing but the job.
func (in StartIn) again(ctx context.Context, w *verb.Workspace, s *store.Store) (Job, error) {
	if in.ID != "" || in.Title != "" {
		return Job{}, verb.BadInput("retry", "names a job, and id or title a task").WithHint("leave id and title out: the job knows its task")
	}
	old, err := work.Jobs(s).Get(in.Retry)
	if err == nil {
		err = w.InScope(old.Spec.Task)
	}
	if err != nil {
		return Job{}, err
	}
	return Retry(ctx, w, old.Spec.Job, in.Fresh)
}

type starter struct {
	w    *verb.Workspace
	s    *store.Store
	in   StartIn
	spec job.Spec // made by prepare; task adds the task

	looked time.Time // when a person did something to the task last
}

// prepare makes the spec but for its task, and refuses what can be refused before there is a task.
func (st *starter) prepare(ctx context.Context) error {
	w, s, in := st.w, st.s, st.in
	if (in.ID == "") == (in.Title == "") {
		return verb.BadInput("", "names a task by its id, or a new one by its title").WithHint("give one of id and title")
	}
	if in.ID != "" && (in.Description != "" || len(in.Acceptance) > 0 || len(in.Checks) > 0 || len(in.Fields) > 0) {
		return verb.BadInput("", "says what a new task is like, and names one that is there").WithHint("change that with %s, or leave id out", record.CallTo("update", "id", in.ID).OnlyShown())
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
	return cmp.Or(ex.Holds(st.spec.Budget, st.spec.Tokens), ex.Present(), confined(st.w, st.s, ex), st.tells())
}

// tells returns why nobody could hear of the end of the job as it asks for: a host that the user's config does not
// list, no remote, or no program that opens pull requests.
func (st *starter) tells() error {
	n := st.spec.Notify
	if n.Webhook != "" {
		user, err := userconfig.Read(st.w.ConfigDir)
		if err == nil {
			err = user.AllowsWebhook(n.Webhook)
		}
		if err != nil {
			return err
		}
	}
	if !n.PR {
		return nil
	}
	if at, err := st.files(); err != nil {
		return err
	} else if at.Repo != "" {
		return record.Errorf(record.InvalidSpec, "notify.pr asks for a pull request, and those are opened in this repository, not in %s", at.Repo).
			WithHint("leave it out; push the branch there with git, and open one by hand")
	}
	if st.s.Git().Repository(st.spec.Base) == "" {
		return record.Errorf(record.InvalidSpec, "notify.pr asks for a pull request, and this clone has no git remote").
			WithHint("git remote add origin ADDRESS, or leave it out")
	}
	for _, program := range []string{"gh", "glab"} {
		if _, err := exec.LookPath(program); err == nil {
			return nil
		}
	}
	return record.Errorf(record.ExecutorMissing, "notify.pr asks for a pull request, and neither gh nor glab is on PATH").
		WithHint("install the one of your host and log in, or leave it out and push the branch with git")
}

// task finds or makes the task, puts it into the spec, and refuses it if no job may begin on it. To make it asks for the
// rights to create one, and a call that is repeated under its idempotency key gets the task that the first one made.
func (st *starter) task(ctx context.Context) error {
	in := st.in
	if in.ID == "" { // no task is made for a job that is not
		all, err := work.Jobs(st.s).List()
		if err == nil {
			err = tooMany(all)
		}
		if err != nil {
			return err
		}
		create := tasks.CreateIn{TaskIn: tasks.TaskIn{
			Title: in.Title, Body: in.Description, Acceptance: in.Acceptance, Checks: in.Checks, Fields: in.Fields,
		}}
		if in.IdempotencyKey != "" {
			create.IdempotencyKey = "job_start " + in.IdempotencyKey
		}
		w := *st.w
		w.Toolsets = nil // a server that offers job_start makes the task too, whether or not it offers create
		made, err := tasks.CallCreate(ctx, &w, create)
		if err != nil {
			return err
		}
		in.ID = made.ID
	}
	st.spec.Task = in.ID
	if t, err := kind.Tasks.Get(st.s, in.ID); err == nil && len(st.spec.Scope.Paths) == 0 {
		st.spec.Scope.Paths = t.Scope
	}
	if in.Restart {
		if err := cancelLive(ctx, st.w, st.s, in.ID, "started anew"); err != nil {
			return err
		}
	}
	if in.Fresh {
		if one, live := work.Jobs(st.s).LiveOf(in.ID); live {
			return verb.WithID(worksAlready(one), in.ID)
		}
		if _, err := discard(ctx, st.w, st.s, in.ID, "started anew"); err != nil {
			return verb.WithID(err, in.ID)
		}
	}
	return verb.WithID(mayWork(ctx, st.w, st.s, in.ID, st.spec.Executor), in.ID)
}

func (st *starter) create(ctx context.Context) (Job, error) {
	st.look(ctx)
	one, created, err := work.Jobs(st.s).Create(ctx, st.spec, st.admit)
	switch {
	case err != nil:
		return Job{}, verb.WithID(err, st.spec.Task)
	case !created:
		return st.replay(one), nil
	}
	return supervise(ctx, st.w, st.s, one.Spec.Job)
}

// supervise starts the supervisor of a job, and shows the job. If the supervisor cannot be started, the job fails, unless
// it has a supervisor after all.
func supervise(ctx context.Context, w *verb.Workspace, s *store.Store, id string) (Job, error) {
	if why := w.Supervise(ctx, w, id); why != nil {
		if owned, err := work.Jobs(s).Own(id); err == nil {
			defer func() { _ = owned.Release() }()
			if owned.Job().Status.State.Live() {
				_ = owned.Change(func(s *job.Status) {
					s.State, s.Reason, s.Message = job.Failed, job.InternalError, record.MessageOf(why)
				})
			}
		}
		return Job{}, why
	}
	one, err := work.Jobs(s).Get(id)
	if err != nil {
		return Job{}, err
	}
	return View(s, one, w.Now()), nil
}

// made is the job of all these that an earlier call under the same idempotency key created; nil if there is none. A key
// is kept while the job lives, and for a day after its end. The key with other arguments is a CONFLICT.
func (st *starter) made(all []job.Job) (*job.Job, error) {
	key := st.in.IdempotencyKey
	for _, one := range all {
		if key == "" || one.Spec.Key != key || !one.Status.KeyStands(st.w.Now()) {
			continue
		}
		if one.Spec.By != st.spec.By {
			return nil, record.Errorf(record.NotYours, "%s started %s under this idempotency key", one.Spec.By, one.Spec.Job).WithHint("use a key of your own")
		}
		if one.Spec.Asked != st.spec.Asked {
			return nil, record.Errorf(record.Conflict, "the idempotency key was used with other arguments, for %s", one.Spec.Job).
				WithHint("repeat the call exactly, or use a new key").ForGood()
		}
		return &one, nil
	}
	return nil, nil
}

func (st *starter) replay(one job.Job) Job {
	out := View(st.s, one, st.w.Now())
	out.Replayed = true
	return out
}

func worksAlready(one job.Job) error {
	if one.Status.State == job.Waiting {
		return record.Errorf(record.AlreadyClaimed, "%s %s", one.Spec.Job, one.Status.Message).
			WithHint("%s lets it go on; restart: true (--restart) cancels it first", record.CallTo("handoff_respond", "id", one.Status.Question, "text", "TEXT").OnlyShown())
	}
	return record.Errorf(record.AlreadyClaimed, "%s works on it already (%s)", one.Spec.Job, one.Status.State).
		WithHint("%s follows it; restart: true (--restart) cancels it first", record.CallTo("job_poll", "job", one.Spec.Job, "wait", true))
}

// admit decides, under the lock of Create, whether one more job may be created. It returns the job of an earlier call
// under the same idempotency key, ALREADY_CLAIMED if the task has a live job, RATE_LIMIT if too many jobs wait, and
// BUDGET_SPENT.
func (st *starter) admit(all []job.Job) (*job.Job, error) {
	if one, err := st.made(all); one != nil || err != nil {
		return one, err
	}
	for _, one := range all {
		if one.Spec.Task == st.spec.Task && one.Spec.Job != st.spec.Job && joblist.Unfinished(one) {
			return nil, worksAlready(one)
		}
	}
	return nil, cmp.Or(tooMany(all), st.afford(all))
}

// tooMany is RATE_LIMIT if too many jobs wait for a slot.
func tooMany(all []job.Job) error {
	waiting := 0
	for _, one := range all {
		if one.Status.State == job.Queued {
			waiting++
		}
	}
	if waiting < job.MaxWaiting {
		return nil
	}
	return record.Errorf(record.RateLimit, "%d jobs wait already", waiting).
		WithHint("%s shows them; start more when some have begun", record.CallTo("job_list", "state", string(job.Queued)).OnlyShown())
}
