// Package directory holds the verbs of the directory: who there is, and which repositories.
package directory

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/verb"
)

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
