// Package skills holds the verbs of skills: procedures that agents follow.
package skills

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of skills.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "skill_list", Group: "ledger", Noun: "skill", Toolset: verb.Ledger, Title: "List skills", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Lists: "skill",
		Summary: "List the skills that fit all filters given: those of the workspace, and those of the user's own shelf.",
		When:    "Before work of a kind that may have a procedure: the description says when a skill is of use.",
	}, List),
	verb.Declare(verb.Verb{
		Name: "skill_get", Group: "ledger", Noun: "skill", Toolset: verb.Ledger, Title: "Read a skill", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true,
		Summary: "Read one skill with its body.",
		When:    "When its description fits the work. A skill of the workspace comes before one of the same id on the user's shelf.",
	}, Get),
	verb.Declare(verb.Verb{
		Name: "skill_upsert", Group: "ledger", Noun: "skill", Toolset: verb.Ledger, Title: "Write a skill", Kind: verb.Write, Profile: verb.Operator, Idempotent: true,
		Summary: "Create a skill of the workspace, or change it as its next version.",
		When:    "When a procedure was found to work, or did not. A new skill needs a description and a body; of one that is there only what is given changes.",
	}, Upsert),
}
