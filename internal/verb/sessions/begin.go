package sessions

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// BeginIn is the input of Begin.
type BeginIn struct {
	ID             record.ID      `json:"id,omitempty" doc:"task to work on; or give a label and a goal" cli:"arg"`
	ExpectedActor  string         `json:"expected_actor" doc:"the actor that identity names" cli:"own=actor" from:"actors"`
	IdempotencyKey string         `json:"idempotency_key" doc:"the same key again returns the same session" cli:"own=key"`
	Label          string         `json:"label,omitempty" doc:"a few words for the session" mcp:"quiet"`
	Goal           string         `json:"goal,omitempty" doc:"what it is to achieve" mcp:"quiet"`
	Role           string         `json:"role,omitempty" doc:"your role in it" mcp:"quiet"`
	Parent         verb.SessionID `json:"parent,omitempty" doc:"session that it belongs to" mcp:"quiet"`
	Series         string         `json:"series,omitempty" doc:"name of recurring work" from:"series" mcp:"quiet"`
	Client         string         `json:"client,omitempty" doc:"program that does the work" mcp:"quiet"`
	Model          string         `json:"model,omitempty" doc:"model that does the work" mcp:"quiet"`
	Worktree       string         `json:"worktree,omitempty" doc:"folder of the work; this one by default" mcp:"quiet"`
	Branch         string         `json:"branch,omitempty" doc:"read from git by default" mcp:"quiet"`
	Head           string         `json:"head,omitempty" doc:"read from git by default" mcp:"quiet"`
	Takeover       bool           `json:"takeover,omitempty" doc:"end what lapsed, or redo what is further elsewhere"`
	Beside         bool           `json:"-"` // see verb.WriteContext
}

// CallKey is the idempotency key.
func (in BeginIn) CallKey() string { return in.IdempotencyKey }

// Begin claims a task, moves it from the initial state to the working one, and opens a session, all in one write.
// Without a task it opens a session about none.
func Begin(ctx context.Context, w *verb.Workspace, s *store.Store, in BeginIn) (verb.Session, error) {
	if err := mayBegin(w, in); err != nil {
		return verb.Session{}, err
	}
	var err error
	if in.Head, err = headOr(ctx, s, in.Head); err != nil {
		return verb.Session{}, err
	}
	if in.Branch == "" {
		in.Branch = s.Head(ctx).Branch
	} else if err := s.Git().Branch(ctx, "branch", in.Branch); err != nil {
		return verb.Session{}, err
	}
	token, err := record.Token(w.Now(), w.Rand)
	if err != nil {
		return verb.Session{}, err
	}
	id := session.Prefix + "-" + token
	if in.Parent == "" {
		in.Parent = verb.SessionID(w.Session)
	}
	begun := task.Task{Title: in.Label, Body: in.Goal} // what a session is about that is about no task
	begin := verb.Change{Kind: kind.Tasks.Kind, IDs: []string{string(in.ID)}, Decide: func(wc verb.WriteContext) (any, error) {
		begun = wc.Task
		return in.begin(ctx, w, wc, id)
	}}
	if in.ID == "" {
		begin = verb.Change{Kind: kind.Sessions.Kind, Made: &session.Key{Session: id}, Decide: func(wc verb.WriteContext) (any, error) {
			return in.opens(w, wc, id, w.Stamp("")), parentThere(wc, string(in.Parent))
		}}
	}
	if _, err := begin.Run(ctx, w, s); err != nil {
		return verb.Session{}, err
	}
	out, err := w.View(s).SessionByID(id)
	if err == nil {
		out.Decisions = w.Governing(ctx, s, begun)
		out.Last = verb.LastBefore(begun.Provenance, "")
	}
	return out, err
}

func mayBegin(w *verb.Workspace, in BeginIn) error {
	if in.ExpectedActor != string(w.Actor()) {
		return record.Errorf(record.IdentityMismatch, "acts as %s, and %q was expected", w.Actor(), in.ExpectedActor).
			WithHint("%s says who you are", record.CallTo("identity"))
	}
	if strings.TrimSpace(in.IdempotencyKey) == "" {
		return verb.BadInput("idempotency_key", "is empty").WithHint("any text that you use for this attempt only")
	}
	if err := (session.Session{Task: in.ID, Label: in.Label, Goal: in.Goal, Role: in.Role, Series: in.Series}).Valid(); err != nil {
		return err
	}
	switch {
	case in.ID == "" && w.Scope != "":
		return w.InScope("")
	case in.ID == "" && in.Takeover:
		return verb.BadInput("takeover", "is about a task, and no task is named")
	}
	for _, f := range []struct{ name, text string }{
		{"client", in.Client}, {"model", in.Model}, {"worktree", in.Worktree}, {"branch", in.Branch}, {"head", in.Head},
	} {
		if err := record.ValidText(f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// begin decides, under the lock, and stages the session.
func (in BeginIn) begin(ctx context.Context, w *verb.Workspace, wc verb.WriteContext, id string) (t task.Task, err error) {
	takesOver, flow := false, wc.Store.Config.Flow
	err = cmp.Or(parentThere(wc, string(in.Parent)), notForeign(w.Actor(), wc.Task.Provenance, in.IdempotencyKey))
	if wc.Beside = in.Beside; err == nil {
		takesOver, err = wc.Take(ctx, in.Takeover)
	}
	if err == nil {
		err = noSecond(w, wc, in.Takeover)
	}
	if err != nil {
		return t, err
	}
	stamp := w.Stamp("")
	stamp.Session = id
	if t, _, err = flow.Begin(wc.Task, takesOver, kind.Deps(wc.Tx, flow), stamp); err != nil {
		return t, err
	}
	if takesOver {
		wc.Tx.Supersede(t.ID.Ref())
	}
	wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, id))
	kind.Sessions.Put(wc.Tx, in.opens(w, wc, id, stamp))
	return t, nil
}

// opens is the session that begins, which gives its first sign of life.
func (in BeginIn) opens(w *verb.Workspace, wc verb.WriteContext, id string, stamp record.Stamp) session.Session {
	wc.Tx.Beat(session.Heartbeat{Session: id, Actor: w.Actor(), At: wc.Now.UTC()})
	return session.New(session.Session{
		ID: id, Task: in.ID, Label: in.Label, Goal: in.Goal, Role: in.Role, Parent: string(in.Parent), Series: in.Series,
		Actor: w.Actor(), Client: cmp.Or(in.Client, w.Client), Model: in.Model, Executor: w.Executor, Job: w.Job,
		Branch: in.Branch, Head: in.Head, Worktree: filepath.Base(cmp.Or(filepath.FromSlash(in.Worktree), wc.Store.Worktree)),
	}, stamp)
}

// parentThere returns INVALID_INPUT for a parent that is neither among the files nor, because it began in another
// worktree, known to the clone, and for one that is its own ancestor.
func parentThere(wc verb.WriteContext, id string) error {
	if id == "" {
		return nil
	}
	parent, err := kind.Sessions.Get(wc.Tx, id)
	if record.CodeOf(err) == record.NotFound && wc.Store.Heartbeat(id) == nil {
		return verb.BadInput("parent", "is %s, and there is no such session here", id).WithHint("%s lists the sessions", record.CallTo("list_sessions"))
	}
	if _, ok := session.Ancestors(parent, kind.Sessions.Find(wc.Tx)); !ok {
		return verb.BadInput("parent", "is %s, which descends from itself", id).WithHint("%s says which files to correct", record.CallTo("doctor"))
	}
	return nil
}

// noSecond keeps an actor from opening a second session on a task. One of its own that stalled it may take over.
func noSecond(w *verb.Workspace, wc verb.WriteContext, takeover bool) error {
	ses, active := wc.ActiveSession()
	if !active || !wc.Mine() {
		return nil
	}
	if takeover && wc.Hold.Lapsed {
		wc.EndSession(session.Abandoned, w.Stamp("taken over by "+string(w.Actor())))
		return nil
	}
	return record.Errorf(record.SessionLive, "you have session %s on it", ses.ID).
		WithHint("go on in that session: heartbeat, then finish or cancel").
		WithNext(record.CallTo("get_session", "session", ses.ID))
}

// notForeign returns NOT_YOURS if an entry says that another actor began a session under the same key: both took the
// same work to be theirs.
func notForeign(who record.Actor, log record.Log, key string) error {
	for _, e := range log {
		if e.Who != who && verb.Called(e, "begin", key) {
			return record.Errorf(record.NotYours, "%s began %s under this idempotency key", e.Who, e.Session).
				WithHint("use a key of your own")
		}
	}
	return nil
}
