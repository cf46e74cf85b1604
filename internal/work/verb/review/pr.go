package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const remote = "origin"

// proposeWork pushes the branch of a task and opens a pull request. If the task's last job has ended, that is told
// which one.
func proposeWork(ctx context.Context, p trees.Place, in ApplyIn) (ApplyOut, error) {
	if err := ready(ctx, p, "pushed"); err != nil {
		return ApplyOut{}, err
	}
	made, err := openPR(ctx, p, in.Base, in.Text)
	if err != nil {
		return ApplyOut{}, err
	}
	if last, ok := work.Jobs(p.Home).LastOf(in.ID); ok {
		if owned, err := work.Jobs(p.Home).Own(last.Spec.Job); err == nil {
			_ = owned.PR(made) // the reference of the task says it too
			_ = owned.Release()
		}
	}
	t, err := kind.Tasks.Get(p.S, in.ID)
	return ApplyOut{Task: p.W.View(p.S).Task(t), PR: &made}, err
}

// OpenPR pushes the branch of a task to the remote origin, opens a pull request with gh or glab unless the branch has
// one, and adds it to the task's references. The supervisor of a job calls it, whose work is committed; what it keeps
// of it in the job's folder is its own to write.
//
// It returns EXECUTOR_MISSING if neither program is installed, UNTRUSTED in a clone that is not trusted, CONFLICT if
// the task has no branch, the errors of the push, and IO with what the program said.
func OpenPR(ctx context.Context, w *verb.Workspace, id record.ID) (job.PR, error) {
	p, err := trees.OnTask(ctx, w, id)
	if err == nil {
		err = branched(ctx, p, "pushed")
	}
	if err != nil {
		return job.PR{}, verb.WithID(err, id)
	}
	made, err := openPR(ctx, p, "", "")
	return made, verb.WithID(err, id)
}

func openPR(ctx context.Context, p trees.Place, base, text string) (job.PR, error) {
	if p.Tree.Repo != "" {
		return job.PR{}, record.Errorf(record.InvalidInput, "its branch is in the repository %s, and pull requests are opened in this one", p.Tree.Repo).
			WithHint("push it there with git, and open one by hand; or %s", record.CallTo("review_apply", "id", p.Task.ID, "action", merge).OnlyShown())
	}
	if err := witnessed(ctx, p); err != nil {
		return job.PR{}, err
	}
	f, err := forgeFor(p.Home.Git().Repository(p.Tree.Base))
	if err != nil {
		return job.PR{}, err
	}
	if err := p.Trees.Push(ctx, p.Tree, remote); err != nil {
		return job.PR{}, err
	}
	made, err := f.open(ctx, p.Tree.Path, proposal{p.Tree.Branch, cmp.Or(base, p.Tree.Base), p.Task.Title, cmp.Or(text, describe(p.Task))})
	if err != nil {
		return made, err
	}
	pushed, err := p.Home.Repo.Commit(ctx, "refs/heads/"+p.Tree.Branch)
	if err != nil {
		return made, err
	}
	return made, reference(ctx, p, made, pushed)
}

// maxDescription is the most bytes of the text of a pull request, which hosts limit.
const maxDescription = 30_000

// describe is what a pull request says of a task: its text, and its checks.
func describe(t task.Task) string {
	var b strings.Builder
	b.WriteString(verb.Head(t.Body, maxDescription))
	if len(t.Checks) > 0 {
		b.WriteString("\n\nChecks:\n")
	}
	for _, c := range t.Checks[:min(len(t.Checks), 50)] {
		fmt.Fprintf(&b, "- %s\n", c.Desc)
	}
	fmt.Fprintf(&b, "\nTask %s\n", t.ID)
	return strings.TrimSpace(b.String())
}

// reference adds a pull request to the references of a task, or changes the state of the one that is there, and the
// commit that it is at unless that is "".
func reference(ctx context.Context, p trees.Place, made job.PR, at string) error {
	k := kind.Tasks.Kind
	_, err := verb.Change{Kind: k, IDs: []string{string(p.Task.ID)}, Decide: func(wc verb.WriteContext) (any, error) {
		h, stamp := k.Header(wc.Was), p.W.WithoutKey().Stamp("")
		var refs []record.Reference
		var entry *record.Entry
		var err error
		if i := slices.IndexFunc(h.Refs, func(r record.Reference) bool {
			return r.Type == record.PullRef && (r.URL == made.URL || r.URL == "" && r.Number == made.Number)
		}); i >= 0 {
			change := record.ReferenceChange{State: &made.Status}
			if at != "" {
				change.Sha = &at
			}
			refs, entry, err = h.ChangeReference(h.Refs[i].Ref, change, stamp)
		} else {
			refs, entry, err = h.AddReference(record.Reference{
				Type: record.PullRef, Number: made.Number, URL: made.URL, State: made.Status, Sha: at,
				Branch: worktree.Branch(p.Task.ID), Repo: p.Home.Git().Repository(p.Tree.Base),
			}, stamp)
		}
		if err != nil {
			return nil, err
		}
		return k.Referring(wc.Was, refs, entry), nil
	}}.Run(ctx, p.W.WithoutKey(), p.S)
	return err
}

// SyncIn is the input of Sync.
type SyncIn struct {
	ID record.ID `json:"id,omitempty" doc:"task whose pull request it is; every open task that has one by default" cli:"arg"`
	verb.Once
}

// SyncOut is the pull requests, as their hosts have them.
type SyncOut struct {
	Items    []Synced `json:"items" result:"rows"`
	Replayed bool     `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Replay answers a call that was made before with what the tasks say of their pull requests. It asks no host.
func (SyncOut) Replay(w *verb.Workspace, _ *store.Store, made session.Key) (any, error) {
	out := SyncOut{Items: []Synced{}, Replayed: true}
	for _, id := range made.Tasks {
		p, err := trees.OnTask(context.Background(), w, id)
		if err != nil {
			return nil, verb.NotHere(err, string(id))
		}
		for _, r := range p.Task.Refs {
			if r.Type == record.PullRef {
				out.Items = append(out.Items, Synced{Task: id, PR: job.PR{URL: r.URL, Number: r.Number, Status: r.State}})
			}
		}
	}
	return out, nil
}

// Synced is the pull request of a task.
type Synced struct {
	Task record.ID `json:"task"`
	job.PR
	Was  string `json:"was,omitempty"`  // the state that the task said before, if it is another one now
	Next string `json:"next,omitempty"` // what is to be done

	Error string `json:"error,omitempty"` // why the host could not be asked; the rest is not known then
}

// Sync asks the hosts for the state of pull requests, and records what has changed. A task is not closed by it: what
// was merged on the host is here once it was pulled, and then it is closed as any task is. Of several tasks one whose
// host cannot be asked has an error among the others; it is returned where there is nothing else to tell.
func Sync(ctx context.Context, w *verb.Workspace, s *store.Store, in SyncIn) (SyncOut, error) {
	if !s.Trusted() {
		return SyncOut{}, untrusted()
	}
	ids, err := proposed(ctx, w, s, in.ID)
	if err != nil {
		return SyncOut{}, err
	}
	out := SyncOut{Items: []Synced{}}
	var failed error
	for _, id := range ids {
		if err := w.InScope(id); err != nil {
			if in.ID == "" {
				continue
			}
			return out, err
		}
		if err := syncOne(ctx, w, id, &out); err != nil {
			failed = cmp.Or(failed, verb.WithID(err, id))
			out.Items = append(out.Items, Synced{Task: id, Error: record.MessageOf(err)})
		}
	}
	if failed != nil && (ctx.Err() != nil || !slices.ContainsFunc(out.Items, func(one Synced) bool { return one.Error == "" })) {
		return out, failed
	}
	return out, w.RememberCall(ctx, s, session.Key{Tasks: ids})
}

// proposed lists the tasks to ask about: the one that is named, or the open ones with a pull request that is not over,
// in any tree.
func proposed(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) ([]record.ID, error) {
	if id != "" {
		return []record.ID{id}, nil
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []record.ID
	for _, r := range g.Rows() {
		if s.Config.Flow.IsClosed(r.Status) {
			continue
		}
		p, err := trees.OnTask(ctx, w, record.ID(r.ID))
		if err == nil && slices.ContainsFunc(p.Task.Refs, func(r record.Reference) bool {
			return r.Type == record.PullRef && r.State != "merged" && r.State != "closed"
		}) {
			out = append(out, p.Task.ID)
		}
	}
	return out, nil
}

func syncOne(ctx context.Context, w *verb.Workspace, id record.ID, out *SyncOut) error {
	p, err := trees.OnTask(ctx, w, id)
	if err != nil {
		return err
	}
	found := false
	for _, r := range p.Task.Refs {
		if r.Type != record.PullRef || r.Number == 0 && r.URL == "" {
			continue
		}
		found = true
		f, err := forgeFor(r.Repo)
		if err != nil {
			return err
		}
		which := r.URL
		if r.Number > 0 {
			which = fmt.Sprint(r.Number)
		}
		now, known, err := f.find(ctx, p.S.Root, which)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		one := Synced{Task: id, PR: now, Next: next(p, now)}
		if r.State != now.Status {
			one.Was = r.State
			if err := reference(ctx, p, now, ""); err != nil {
				return err
			}
		}
		out.Items = append(out.Items, one)
	}
	if !found {
		return record.Errorf(record.NotFound, "has no pull request").WithHint("%s opens one", record.CallTo("review_apply", "id", id, "action", "pr").OnlyShown()).WithNext(record.CallTo("get", "id", id)).ForGood()
	}
	return nil
}

func next(p trees.Place, now job.PR) string {
	if p.S.Config.Flow.IsClosed(p.Task.Status) {
		return ""
	}
	base := p.Tree.Base
	if base == "" {
		base = "its base"
	}
	switch now.Status {
	case "merged":
		return fmt.Sprintf("it was merged on the host: git pull brings it into %s, and then cairn transition %s %s closes the task there", base, p.Task.ID, p.S.Config.Flow.Done())
	case "closed":
		return fmt.Sprintf("it was closed without a merge: cairn review reject %s TEXT sends the task back to work, or move it to an abandoned state", p.Task.ID)
	default:
		return ""
	}
}
