// Package brief holds the verb that shows a workspace in one answer, for who comes to it anew.
package brief

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs about a whole workspace.
var Verbs = verb.Group{Name: "ledger", Toolset: verb.Ledger}.Of(
	verb.DeclareBare(Brief, verb.Verb{Name: "brief", Title: "Read the brief",
		Summary: "Show the whole workspace in one short answer: counts, the most urgent tasks, decisions, knowledge, open handoffs, what happened last.",
		When:    "When you come to a workspace that you do not know, or come back after a pause.",
	}),
)
