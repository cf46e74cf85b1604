package ledger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// ActorKind is the kind of a record of the directory that says who an actor is, in a record.Ref. Its id is the actor.
const ActorKind = "actor"

// Actor is a person or a program that others can address: what the directory says of it. An actor that is not in the
// directory can do all that one in it can.
type Actor struct {
	record.Header        // what all kinds have in common; Title is the name that is shown
	ExternalRef   string // who it is elsewhere, such as an address or the name of an account; no two actors have the same
	Group         string // whom it works with: group:NAME addresses all of them
	Role          string // what it does there
	Abilities     []string
	Body          string
}

// The states of an actor. One that is gone is not addressed any more; what it wrote stays.
const (
	ActorActive record.Status = "active"
	ActorGone   record.Status = "gone"
)

// ActorStates lists every state.
var ActorStates = []record.Status{ActorActive, ActorGone}

// ActorChange is what a registration says of an actor, as the input of the verb has it. What is nil stays as it is.
type ActorChange struct {
	ExternalRef *string   `json:"external_ref" doc:"who that is elsewhere, such as an address or an account; an actor that has it already is the one"`
	DisplayName *string   `json:"display_name" doc:"the name to show; the id by default"`
	Group       *string   `json:"group" doc:"whom it works with; group:NAME addresses all of them" from:"groups"`
	Role        *string   `json:"role" doc:"what it does there, on one line; of a repository primary, dependency or docs"`
	Abilities   *[]string `json:"capabilities" doc:"what it can be asked for; replaces what is there" cli:"flag=capability" from:"capabilities"`
}

// NewActor returns an actor as it is registered first, or INVALID_INPUT if there may be no such actor.
func NewActor(who record.Actor, c ActorChange, s record.Stamp) (Actor, error) {
	if _, err := record.ParseActor(string(who)); err != nil {
		return Actor{}, err
	}
	a := Actor{Header: record.Header{Ref: record.Ref{Kind: ActorKind, ID: string(who)}, Title: string(who), Status: ActorActive}}
	a, _ = a.with(c)
	a.Log = a.Log.Add(s.Entry(record.Created))
	return a, a.Valid()
}

// Register returns the actor after another registration, with an entry that says what changed. One that was gone is
// active again. It stays as it is if nothing would change, and INVALID_INPUT is returned for what no actor may be.
func (a Actor) Register(c ActorChange, s record.Stamp) (Actor, error) {
	now, keys := a.with(c)
	if len(keys) == 0 && a.Status == ActorActive {
		return a, nil
	}
	var err error
	now.Header, err = updated(now.Header, keys, ActorActive, ActorStates, s)
	return now, cmp.Or(err, now.Valid())
}

// with returns the actor as a change makes it, and the keys of the file that differ.
func (a Actor) with(c ActorChange) (Actor, []string) {
	titled := func(s string) string { return cmp.Or(strings.TrimSpace(s), a.Ref.ID) }
	keys := change(nil, "title", &a.Title, c.DisplayName, titled)
	keys = change(keys, "external_ref", &a.ExternalRef, c.ExternalRef, strings.TrimSpace)
	keys = change(keys, "group", &a.Group, c.Group, func(name string) string {
		return strings.TrimSpace(strings.TrimPrefix(name, groupMark)) // as one addresses it
	})
	keys = change(keys, "role", &a.Role, c.Role, strings.TrimSpace)
	return a, change(keys, "capabilities", &a.Abilities, c.Abilities, record.Unique)
}

const maxAbilities = 50

// Valid returns INVALID_INPUT for what no actor may be. The message begins with the key.
func (a Actor) Valid() error {
	if len(a.Abilities) > maxAbilities {
		return record.Errorf(record.InvalidInput, "capabilities are %d, more than %d", len(a.Abilities), maxAbilities).WithHint("name what others look for")
	}
	if err := record.ValidLines("capabilities", a.Abilities...); err != nil {
		return err
	}
	if a.Group != "" {
		if err := ValidGroup(a.Group); err != nil {
			return err
		}
	}
	return cmp.Or(validOptional("external_ref", a.ExternalRef), validOptional("role", a.Role), a.Header.Valid(a.Body))
}

// Vouched reports whether the group of the actor counts where something is approved: that of a person does, and any
// other actor's if a person put it there.
func (a Actor) Vouched() bool {
	put, ok := a.Log.Newest(PutsInGroup)
	return record.Actor(a.Ref.ID).Human() || ok && put.Who.Human()
}

// PutsInGroup reports whether an entry of an actor may have put it into a group.
func PutsInGroup(e record.Entry) bool {
	return e.Did == record.Created || slices.Contains(e.Fields, "group")
}

// ValidGroup returns INVALID_INPUT for what cannot be the name of a group.
func ValidGroup(name string) error {
	if !record.IsName(name) {
		return record.Errorf(record.InvalidInput, "group is %q", record.Clip(name, 100)).WithHint("a group has a name of letters, digits and ._@+-, such as reviewers")
	}
	return nil
}

// Name is an actor without its kind: claude-1 of agent:claude-1.
func Name(who record.Actor) string {
	_, name, _ := strings.Cut(string(who), ":")
	return name
}

// KindOf is the kind of an actor: agent of agent:claude-1.
func KindOf(who record.Actor) string {
	kind, _, _ := strings.Cut(string(who), ":")
	return kind
}
