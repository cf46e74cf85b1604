package directory

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// RegisterIn is the input of Register.
type RegisterIn struct {
	Actor     string `json:"actor,omitempty" doc:"who is registered: me, or an actor such as agent:claude-1" cli:"arg" from:"actors"`
	RemoteURL string `json:"remote_url,omitempty" doc:"in place of actor: the address of a repository; without both, that of the clone is taken"`
	ledger.ActorChange
	Name          *string `json:"name,omitempty" doc:"of a repository: what it is called; the end of its address by default"`
	DefaultBranch *string `json:"default_branch,omitempty" doc:"of a repository"`
	verb.Once
}

// Register puts an actor, or a repository, into the directory.
func Register(ctx context.Context, w *verb.Workspace, s *store.Store, in RegisterIn) (verb.Record, error) {
	if err := in.oneSubject(); err != nil {
		return verb.Record{}, err
	}
	if in.Actor == "" {
		return registerRepository(ctx, w, s, in)
	}
	return registerActor(ctx, w, s, in)
}

// oneSubject returns INVALID_INPUT for what is said of an actor and of a repository at once.
func (in RegisterIn) oneSubject() error {
	ofActor := in.ExternalRef != nil || in.DisplayName != nil || in.Group != nil || in.Abilities != nil
	ofRepository := in.RemoteURL != "" || in.Name != nil || in.DefaultBranch != nil
	switch {
	case in.Actor != "" && ofRepository:
		return verb.BadInput("remote_url", "name and default_branch are said of a repository, and actor is given").WithHint("leave out actor, or the others")
	case in.Actor == "" && ofActor:
		return verb.BadInput("actor", "is missing").WithHint("me, or an actor such as agent:claude-1")
	}
	return nil
}

// registerActor puts an actor into the directory. Calls for one actor come to one record, also when they are made at
// once: an actor with the same external_ref is taken, else the one with the id; what is given is changed, and what is
// not stays. Anybody may register themselves, and an operator others. It returns CONFLICT if the id is that of an actor
// who is somebody else.
func registerActor(ctx context.Context, w *verb.Workspace, s *store.Store, in RegisterIn) (verb.Record, error) {
	who, err := w.ActorNamed(strings.TrimSpace(in.Actor))
	if err == nil && who == "" {
		err = verb.BadInput("actor", "names nobody").WithHint("me, or an actor such as agent:claude-1")
	}
	if err != nil {
		return verb.Record{}, err
	}
	return verb.Change{Kind: kind.Actors.Kind, Decide: func(wc verb.WriteContext) (any, error) {
		known, _, err := kind.Actors.List(ctx, s)
		if err != nil {
			return nil, err
		}
		if who, err = resolve(who, in.externalRef(), known); err != nil {
			return nil, err
		}
		if err := mayRegister(w, who); err != nil {
			return nil, err
		}
		return registered(wc.Tx, who, in.ActorChange, w.Stamp(""))
	}}.Record(ctx, w, s)
}

func (in RegisterIn) externalRef() string {
	if in.ExternalRef == nil {
		return ""
	}
	return strings.TrimSpace(*in.ExternalRef)
}

// resolve finds the actor that is meant: the one with the external reference, else the one with the id.
func resolve(who record.Actor, externalRef string, known []ledger.Actor) (record.Actor, error) {
	for _, a := range known {
		if externalRef != "" && a.ExternalRef == externalRef {
			return record.Actor(a.Ref.ID), nil
		}
	}
	for _, a := range known {
		switch {
		case a.Ref.ID != string(who) && record.Looks(a.Ref.ID) == record.Looks(string(who)):
			said := "look alike, and have other letters"
			if strings.EqualFold(a.Ref.ID, string(who)) {
				said = "differ only in case"
			}
			return "", record.Errorf(record.Conflict, "%s and %s %s", who, a.Ref.ID, said).
				WithHint("register %s, or choose another name", a.Ref.ID).ForGood()
		case a.Ref.ID == string(who) && externalRef != "" && a.ExternalRef != "":
			return "", record.Errorf(record.Conflict, "%s is somebody else: external_ref %s", who, a.ExternalRef).
				WithHint("choose another name for the actor; %s shows who there is", record.CallTo("directory")).ForGood()
		}
	}
	return who, nil
}

// mayRegister returns FORBIDDEN for a caller who is neither the actor nor an operator.
func mayRegister(w *verb.Workspace, who record.Actor) error {
	if who == w.Actor() || w.Profile >= verb.Operator {
		return nil
	}
	return record.Errorf(record.Forbidden, "%s may register itself only, and not %s", w.Actor(), who).
		WithHint("an actor registers itself; an operator registers others")
}

func registered(tx *store.Tx, who record.Actor, c ledger.ActorChange, s record.Stamp) (ledger.Actor, error) {
	a, err := kind.Actors.Get(tx, who)
	switch {
	case record.CodeOf(err) == record.NotFound:
		return ledger.NewActor(who, c, s)
	case err != nil:
		return a, err
	default:
		return a.Register(c, s)
	}
}
