// Package directory holds the verbs of the directory: who there is, and which repositories.
package directory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	What       string `json:"what,omitempty" doc:"actors, which is the default, or repositories" oneof:"actors,repositories"`
	Kind       string `json:"kind,omitempty" doc:"only people, agents, services or pipelines: human, agent, service or ci" oneof:"human,agent,service,ci"`
	Group      string `json:"group,omitempty" doc:"only those of this group" from:"groups"`
	Capability string `json:"capability,omitempty" doc:"only those who can do this" from:"capabilities"`
	Q          string `json:"q,omitempty" doc:"only those of whom this is said: in name, role, group, capabilities or external_ref"`
	verb.Paging
}

// Actor is an actor in a list.
type Actor struct {
	ID           record.Actor  `json:"id"`
	Kind         string        `json:"kind"` // human, agent, service or ci
	DisplayName  string        `json:"display_name"`
	Status       record.Status `json:"status,omitempty"` // active or gone; absent of one who is not registered
	Registered   bool          `json:"registered"`       // false for one of whom only entries are known
	Group        string        `json:"group,omitempty"`
	Role         string        `json:"role,omitempty"`
	Capabilities []string      `json:"capabilities,omitempty"`
	ExternalRef  string        `json:"external_ref,omitempty"`
	LastWrote    *time.Time    `json:"last_wrote,omitempty"` // the newest entry of any record
}

// List returns the actors or the repositories that fit the filters.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (any, error) {
	if in.What == "repositories" {
		return listRepositories(ctx, w, s, in)
	}
	return listActors(ctx, w, s, in)
}

func listActors(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[Actor], error) {
	people, err := w.EverybodyIn(ctx, s)
	if err != nil {
		return verb.Items[Actor]{}, err
	}
	var fit []verb.Ranked[Actor]
	for _, who := range people.All() {
		if a := actorOf(people, who); in.fits(a) {
			fit = append(fit, verb.Ranked[Actor]{At: verb.Position{Key: string(who)}, Item: a})
		}
	}
	return verb.Page(fit, people.Problems, w.PageIn("directory", in.Paging))
}

func actorOf(p verb.People, who record.Actor) Actor {
	out := Actor{ID: who, Kind: ledger.KindOf(who), DisplayName: ledger.Name(who), LastWrote: verb.SecondsAt(p.Seen[who])}
	if r := p.Registered[who]; r != nil {
		out.Registered, out.Status, out.DisplayName = true, r.Status, r.Title
		out.Group, out.Role, out.ExternalRef = r.Fact(kind.GroupFact), r.Fact(kind.RoleFact), r.Fact(kind.ExternalRefFact)
		out.Capabilities = r.All(kind.CapabilityFact)
	}
	return out
}

func (in ListIn) fits(a Actor) bool {
	return (in.Kind == "" || a.Kind == in.Kind) &&
		(in.Group == "" || a.Group == strings.TrimPrefix(in.Group, "group:")) &&
		(in.Capability == "" || slices.Contains(a.Capabilities, in.Capability)) &&
		verb.AnyHas(in.Q, append([]string{string(a.ID), a.DisplayName, a.Role, a.Group, a.ExternalRef}, a.Capabilities...)...)
}

// Verbs are the verbs of the directory.
var Verbs = verb.Group{Name: "team", Toolset: verb.Team}.Of(
	verb.Declare(Register, verb.Verb{Name: "register", Title: "Register an actor or a repository",
		Kind: verb.Write, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Put an actor or a repository into the directory, or change what it says of one.",
		When:    "So that others can address you and your group. Nobody has to be registered to work. Of what is there already it changes what is given, and no more.",
	}),
	verb.Declare(List, verb.Verb{Name: "directory", Title: "Who there is", Lists: ledger.ActorKind,
		Returns: []any{verb.Items[Actor]{}, verb.Items[Repository]{}},
		Summary: "List the actors that fit all filters given: those who registered, and those who wrote something; or the repositories.",
		When:    "To find whom to ask: by group, by capability, or by a word.",
	}),
)
