package verb

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// BeginIn is the input of Begin.
type BeginIn struct {
	ID             task.ID `json:"id" doc:"task to work on" cli:"arg"`
	ExpectedActor  string  `json:"expected_actor" doc:"the actor that identity names; anything else is IDENTITY_MISMATCH" from:"actors"`
	IdempotencyKey string  `json:"idempotency_key" doc:"any text of your own; calling again with it returns the same session"`
	Client         string  `json:"client,omitempty" doc:"program that does the work"`
	Model          string  `json:"model,omitempty" doc:"model that does the work"`
	Worktree       string  `json:"worktree,omitempty" doc:"folder the work happens in; this one unless told"`
	Branch         string  `json:"branch,omitempty" doc:"branch that exists; read from git unless told"`
	Head           string  `json:"head,omitempty" doc:"commit that exists; read from git unless told"`
	Takeover       bool    `json:"takeover,omitempty" doc:"end a claim that expired or a session that stalled, or start again what another branch has carried further"`
}

func (in BeginIn) key() string { return in.IdempotencyKey }

// Begin claims a task, moves it from the initial state to the working one, and opens a session, all in one write.
func (w *Workspace) Begin(ctx context.Context, in BeginIn) (Session, error) {
	if err := w.mayBegin(in); err != nil {
		return Session{}, err
	}
	s, err := w.open()
	if err != nil {
		return Session{}, err
	}
	if in.Head, err = headOr(ctx, s, in.Head); err != nil {
		return Session{}, err
	}
	if in.Branch == "" {
		in.Branch = s.Head(ctx).Branch
	} else if err := s.Branch(ctx, "branch", in.Branch); err != nil {
		return Session{}, err
	}
	token, err := task.Token(w.Now(), w.Rand)
	if err != nil {
		return Session{}, err
	}
	id := session.Prefix + "-" + token
	err = w.update(ctx, s, func(tx *store.Tx) error {
		sc, err := w.scene(tx, in.ID)
		if err == nil {
			err = w.notForeign(sc.t, in.IdempotencyKey)
		}
		if err != nil {
			return err
		}
		w.remember(tx, in.ID, id)
		return w.begin(ctx, s, sc, in, id)
	})
	if err != nil {
		return Session{}, withID(err, in.ID)
	}
	return w.showSession(s, id)
}

func (w *Workspace) mayBegin(in BeginIn) error {
	if in.ExpectedActor != string(w.Actor) {
		return task.Errorf(task.IdentityMismatch, "acts as %s, and %q was expected", w.Actor, in.ExpectedActor).
			WithHint("ask identity who you are").WithNext("identity", map[string]any{})
	}
	if strings.TrimSpace(in.IdempotencyKey) == "" {
		return badInput("idempotency_key", "is empty").WithHint("any text that you use for this attempt only")
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

// begin decides, under the lock.
func (w *Workspace) begin(ctx context.Context, s *store.Store, sc scene, in BeginIn, id string) error {
	takes, err := w.take(ctx, s, sc, in.Takeover)
	if err != nil {
		return err
	}
	if err := w.noSecond(s, sc, in.Takeover); err != nil {
		return err
	}
	stamp := w.stamp("")
	stamp.Session = id
	t, _, err := s.Config.Flow.Begin(sc.t, takes, sc.tx.Find, stamp)
	if err != nil {
		return err
	}
	sc.tx.Put(t)
	if takes {
		sc.tx.Supersede(t.ID)
	}
	sc.tx.Claim(t.ID, w.lease(ctx, s, id, sc.now))
	sc.tx.PutSession(w.newSession(s, in, id, sc))
	sc.tx.Beat(session.Heartbeat{Session: id, Actor: w.Actor, At: sc.now.UTC()})
	return nil
}

// noSecond keeps an actor from opening a second session on a task. One of its own that stalled it may take over.
func (w *Workspace) noSecond(s *store.Store, sc scene, takeover bool) error {
	if sc.hold.Session == "" || !sc.hold.Mine(w.Actor, s.Worktree) {
		return nil
	}
	ses, err := sc.tx.Session(sc.hold.Session)
	if err != nil || ses.Status != session.Active {
		return nil //nolint:nilerr // a session that cannot be read is not alive
	}
	if takeover && sc.hold.Lapsed {
		sc.endLive(session.Abandoned, "taken over by "+string(w.Actor))
		return nil
	}
	return task.Errorf(task.SessionLive, "you have session %s on it", ses.ID).
		WithHint("go on in that session: heartbeat, then finish or cancel").
		WithNext("get_session", map[string]any{"session": ses.ID})
}

func (w *Workspace) newSession(s *store.Store, in BeginIn, id string, sc scene) session.Session {
	ses := session.Session{
		ID: id, Task: sc.t.ID, Actor: w.Actor, Client: in.Client, Model: in.Model, Status: session.Active,
		StartedAt: sc.now.UTC(), Branch: in.Branch, Head: in.Head, Worktree: filepath.Base(s.Worktree),
	}
	if ses.Client == "" {
		ses.Client = w.Client
	}
	if in.Worktree != "" {
		ses.Worktree = filepath.Base(filepath.FromSlash(in.Worktree))
	}
	return ses
}

// notForeign returns NOT_YOURS if another actor began a session on the task under the same key: both took the same work to
// be theirs.
func (w *Workspace) notForeign(t task.Task, key string) error {
	for _, e := range t.Provenance {
		if call, _, _ := strings.Cut(e.Key, "-"); e.Who != w.Actor && call == callOf(e.Who, "begin", key) {
			return task.Errorf(task.NotYours, "%s began %s under this idempotency key", e.Who, e.Session).
				WithHint("use a key of your own")
		}
	}
	return nil
}
