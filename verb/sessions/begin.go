package sessions

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// BeginIn is the input of Begin.
type BeginIn struct {
	ID             task.ID `json:"id" doc:"task to work on" cli:"arg"`
	ExpectedActor  string  `json:"expected_actor" doc:"the actor that identity names; anything else is IDENTITY_MISMATCH" from:"actors"`
	IdempotencyKey string  `json:"idempotency_key" doc:"any text of your own; calling again with it returns the same session"`
	Client         string  `json:"client,omitempty" doc:"program that does the work"`
	Model          string  `json:"model,omitempty" doc:"model that does the work"`
	Worktree       string  `json:"worktree,omitempty" doc:"folder the work happens in; this one by default"`
	Branch         string  `json:"branch,omitempty" doc:"branch that exists; read from git by default"`
	Head           string  `json:"head,omitempty" doc:"commit that exists; read from git by default"`
	Takeover       bool    `json:"takeover,omitempty" doc:"end an expired claim or a stalled session, or redo work that is further along on another branch"`
}

// CallKey is the idempotency key.
func (in BeginIn) CallKey() string { return in.IdempotencyKey }

// Begin claims a task, moves it from the initial state to the working one, and opens a session, all in one write.
func Begin(ctx context.Context, w *verb.Workspace, in BeginIn) (verb.Session, error) {
	if err := mayBegin(w, in); err != nil {
		return verb.Session{}, err
	}
	s, err := w.Open()
	if err != nil {
		return verb.Session{}, err
	}
	if in.Head, err = headOr(ctx, s, in.Head); err != nil {
		return verb.Session{}, err
	}
	if in.Branch == "" {
		in.Branch = s.Head(ctx).Branch
	} else if err := s.Git().Branch(ctx, "branch", in.Branch); err != nil {
		return verb.Session{}, err
	}
	token, err := task.Token(w.Now(), w.Rand)
	if err != nil {
		return verb.Session{}, err
	}
	id := session.Prefix + "-" + token
	var begun task.Task
	err = w.Update(ctx, s, func(tx *store.Tx) error {
		wc, err := w.WriteContext(s, tx, in.ID)
		if err == nil {
			err = notForeign(w.Actor(), wc.Task.Provenance, in.IdempotencyKey)
		}
		if err != nil {
			return err
		}
		begun = wc.Task
		w.Idempotency.Remember(tx, session.Key{Task: in.ID, Session: id})
		return stageBegin(ctx, w, wc, in, id)
	})
	if err != nil {
		return verb.Session{}, verb.WithID(err, in.ID)
	}
	out, err := w.View(s).SessionByID(id)
	if err == nil {
		out.Decisions = w.Governing(ctx, s, begun)
	}
	return out, err
}

func mayBegin(w *verb.Workspace, in BeginIn) error {
	if in.ExpectedActor != string(w.Actor()) {
		return task.Errorf(task.IdentityMismatch, "acts as %s, and %q was expected", w.Actor(), in.ExpectedActor).
			WithHint("%s says who you are", task.CallTo("identity"))
	}
	if strings.TrimSpace(in.IdempotencyKey) == "" {
		return verb.BadInput("idempotency_key", "is empty").WithHint("any text that you use for this attempt only")
	}
	for _, f := range []struct{ name, text string }{
		{"client", in.Client}, {"model", in.Model}, {"worktree", in.Worktree}, {"branch", in.Branch}, {"head", in.Head},
	} {
		if err := task.ValidText(f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// stageBegin decides, under the lock, and stages the write.
func stageBegin(ctx context.Context, w *verb.Workspace, wc verb.WriteContext, in BeginIn, id string) error {
	takesOver, err := wc.Take(ctx, in.Takeover)
	if err != nil {
		return err
	}
	if err := noSecond(w, wc, in.Takeover); err != nil {
		return err
	}
	stamp := w.Stamp("")
	stamp.Session = id
	t, _, err := wc.Store.Config.Flow.Begin(wc.Task, takesOver, record.Deps(wc.Tx, wc.Store.Config.Flow), stamp)
	if err != nil {
		return err
	}
	record.Tasks.Put(wc.Tx, t)
	if takesOver {
		wc.Tx.Supersede(t.ID.Ref())
	}
	wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, id))
	record.Sessions.Put(wc.Tx, session.New(newSession(w, wc, in, id), stamp))
	wc.Tx.Beat(session.Heartbeat{Session: id, Actor: w.Actor(), At: wc.Now.UTC()})
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
	return task.Errorf(task.SessionLive, "you have session %s on it", ses.ID).
		WithHint("go on in that session: heartbeat, then finish or cancel").
		WithNext(task.CallTo("get_session", "session", ses.ID))
}

func newSession(w *verb.Workspace, wc verb.WriteContext, in BeginIn, id string) session.Session {
	ses := session.Session{
		ID: id, Task: wc.Task.ID, Actor: w.Actor(), Client: in.Client, Model: in.Model,
		Branch: in.Branch, Head: in.Head, Worktree: filepath.Base(wc.Store.Worktree),
	}
	if ses.Client == "" {
		ses.Client = w.Client
	}
	if in.Worktree != "" {
		ses.Worktree = filepath.Base(filepath.FromSlash(in.Worktree))
	}
	return ses
}

// notForeign returns NOT_YOURS if an entry says that another actor began a session under the same key: both took the same work
// to be theirs.
func notForeign(who task.Actor, log task.Log, key string) error {
	for _, e := range log {
		if e.Who != who && verb.Called(e, "begin", key) {
			return task.Errorf(task.NotYours, "%s began %s under this idempotency key", e.Who, e.Session).
				WithHint("use a key of your own")
		}
	}
	return nil
}
