// Package prime holds the verb that tells an agent what it must know to work in a workspace, in a text so short that it
// can be given at the start of each of its sessions. The texts that cairn setup and the plugins give to agents come
// from here too, so that all say the same.
package prime

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of this package.
var Verbs = verb.Group{Name: "sessions", Toolset: verb.Team}.Of(
	verb.DeclareBare(Prime, verb.Verb{Name: "prime", Title: "Prime an agent",
		Summary: "Tell an agent in under 1,500 tokens who it is, what it has open, what is ready, how to work, and this workspace's rules.",
		When:    "At the start of a conversation, and after its context was compacted. cairn setup has clients call it.",
	}),
)
