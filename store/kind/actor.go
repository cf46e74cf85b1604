package kind

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// Actors is the row of actors in the table of kinds. The file of agent:claude-1 is agent.claude-1.md, since a colon is
// in no name on Windows.
var Actors = DefineMarkdown[record.Actor](
	Kind{
		Name: ledger.ActorKind, Folder: "actors", Lists: "directory", Swaps: ":.",
		ParseID: func(id string) error { _, err := record.ParseActor(id); return err },
		Merge:   map[string]format.Rule{"capabilities": {Kind: format.Texts}},
		Named:   true,
	},
	Markdown[ledger.Actor]{
		Header: func(a *ledger.Actor) *record.Header { return &a.Header },
		Body:   func(a *ledger.Actor) *string { return &a.Body },
		Keys: []Key[ledger.Actor]{
			Text("external_ref", func(a *ledger.Actor) *string { return &a.ExternalRef }),
			Text("group", func(a *ledger.Actor) *string { return &a.Group }),
			Text("role", func(a *ledger.Actor) *string { return &a.Role }),
			Texts("capabilities", func(a *ledger.Actor) *[]string { return &a.Abilities }),
		},
		States: ledger.ActorStates,
		Row:    actorRow,
	})

// The names of the facts that only the row of an actor has.
const (
	ExternalRefFact = "external_ref"
	GroupFact       = "group"
	CapabilityFact  = "capability" // one for each
)

// actorRow sets the facts by which actors are found.
func actorRow(a ledger.Actor, r *Row) {
	r.Add(ExternalRefFact, a.ExternalRef)
	r.Add(GroupFact, a.Group)
	r.Add(RoleFact, a.Role)
	r.Add(CapabilityFact, a.Abilities...)
}
