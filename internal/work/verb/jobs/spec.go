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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// What a spec has where the call says nothing.
const (
	usualAttempts = 2
	usualTTL      = time.Hour // from the creation of a job to its end
	usualPriority = job.P1
)

// chosen is the executor that the caller names, or else the config of the workspace.
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

// confined returns NO_SANDBOX if the program is to run in a sandbox that cannot be had.
func confined(w *verb.Workspace, s *store.Store, ex executor.Executor) error {
	_, err := work.JobBoxed(w.ConfigDir, s.Config.JobSandbox, ex.Needs().Sandbox)
	return err
}

// specOf makes the spec of the job but for its task. It returns INVALID_SPEC for values out of range.
func (st *starter) specOf(ctx context.Context, ex executor.Executor) (job.Spec, error) {
	w, s, in := st.w, st.s, st.in
	token, err := record.Token(w.Now(), w.Rand)
	if err != nil {
		return job.Spec{}, err
	}
	timeout := seconds(in.Timeout, s.Config.JobTimeout)
	spec := job.Spec{
		Job: job.Prefix + "-" + token, By: w.Actor(), Executor: ex.Name(), Model: in.Model, Output: cmp.Or(job.Output(in.Output), ex.Output()),
		Scope: in.Scope, Priority: cmp.Or(job.Priority(in.Priority), usualPriority),
		TTL: seconds(in.TTL, max(usualTTL, timeout.Duration())), Timeout: timeout, Stall: seconds(in.Stall, s.Config.JobSilence), Budget: in.Budget, Tokens: int64(in.Tokens),
		Attempts: usualAttempts, Restarts: s.Config.JobRetries, Context: in.Context, Settles: in.Settles, Notify: in.Notify,
		Key: in.IdempotencyKey, Asked: asked(in), Root: s.Root, CreatedAt: w.Now().UTC(),
	}
	if in.Attempts != nil {
		spec.Attempts = *in.Attempts
	}
	if in.Restarts != nil {
		spec.Restarts = *in.Restarts
	}
	if err := cmp.Or(spec.Valid(), validTexts(in)); err != nil {
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

// validTexts returns INVALID_INPUT or INVALID_SPEC for texts that cannot safely stand in a prompt, on a command line or
// in a request.
func validTexts(in StartIn) error {
	for _, f := range []struct{ name, text string }{{"model", in.Model}, {"context", in.Context}} {
		if err := record.ValidText(f.name, f.text); err != nil {
			return err
		}
	}
	if strings.HasPrefix(in.Model, "-") || strings.ContainsAny(in.Model, "\n\x00") {
		return record.Errorf(record.InvalidSpec, "model is %q", verb.Head(in.Model, 60)).WithHint("the name of a model, as the executor knows it")
	}
	if in.Notify.Webhook == "" {
		return nil
	}
	if to, err := url.Parse(in.Notify.Webhook); err != nil || to.Scheme != "https" && to.Scheme != "http" || to.Host == "" || to.User != nil {
		return record.Errorf(record.InvalidSpec, "notify.webhook is no URL that can be posted to").WithHint("https://host/path, without a user or a password in it")
	}
	return nil
}

// base is the branch to start from, and the commit; "" for the newest of the branch when the job begins to run.
func (st *starter) base(ctx context.Context) (branch, commit string, err error) {
	at, err := st.files()
	if err != nil {
		return "", "", err
	}
	if repo, known := st.s.Config.Repo(at.Repo); known {
		branch = repo.Base
	}
	if branch = cmp.Or(st.in.Base, branch); branch == "" {
		branch = at.Head(ctx).Branch
	} else if err := at.Branch(ctx, "base", branch); err != nil {
		return "", "", err
	}
	if branch == "" {
		return "", "", record.Errorf(record.InvalidSpec, "base is missing, and no branch is checked out").WithHint("name the branch to start from and to merge into")
	}
	if st.in.Commit == "" {
		if head := at.Head(ctx); head.Branch == branch && head.Commit == "" {
			return "", "", record.Errorf(record.InvalidSpec, "the branch %s has no commit yet", branch).WithHint("git add --all, and git commit: a job starts from a commit")
		}
		return branch, "", nil
	}
	commit, err = at.Commit(ctx, "baseline_commit", st.in.Commit)
	return branch, commit, err
}

// files is where the files of the task are; the workspace's own repository for one that is yet to be made.
func (st *starter) files() (store.Files, error) {
	var t task.Task
	if st.in.ID != "" {
		t, _ = kind.Tasks.Get(st.s, st.in.ID) // one that is not there is refused later
	}
	files, err := st.s.Files(t)
	return files, verb.WithID(err, st.in.ID)
}

// asked is a hash of the arguments of a call but for its idempotency key. A key that comes again with another hash is a
// conflict.
func asked(in StartIn) string {
	in.IdempotencyKey = ""
	src, _ := json.Marshal(in) // texts and numbers
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:8])
}
