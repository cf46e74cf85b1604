// Package brief holds the verb that shows a workspace in one answer, for who comes to it anew.
package brief

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs about a whole workspace.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "brief", Group: "ledger", Toolset: verb.Ledger, Title: "Read the brief", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true,
		Summary: "Show the whole workspace in one short answer: counts, the most urgent tasks, decisions, knowledge, open handoffs, what happened last.",
		When:    "When you come to a workspace that you do not know, or come back after a pause.",
	}, Brief),
}
