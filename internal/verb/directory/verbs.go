// Package directory holds the verbs of the directory: who there is, and which repositories.
package directory

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Verbs are the verbs of the directory.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "register", Group: "team", Toolset: verb.Team, Title: "Register an actor or a repository", Kind: verb.Write, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Put an actor or a repository into the directory, or change what it says of one.",
		When:    "So that others can address you and your group. Nobody has to be registered to work. Of what is there already it changes what is given, and no more.",
	}, Register),
	verb.Declare(verb.Verb{
		Name: "directory", Group: "team", Toolset: verb.Team, Title: "Who there is", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Lists: ledger.ActorKind,
		Summary: "List the actors that fit all filters given: those who registered, and those who wrote something; or the repositories.",
		When:    "To find whom to ask: by group, by capability, or by a word.",
	}, List),
}
