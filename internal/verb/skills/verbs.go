// Package skills holds the verbs of skills: procedures that agents follow.
package skills

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of skills.
var Verbs = verb.Group{Name: "ledger", Noun: "skill", Toolset: verb.Ledger}.Of(
	verb.Declare(List, verb.Verb{Name: "skill_list", Title: "List skills", Lists: "skill",
		Summary: "List the skills that fit all filters given: those of the workspace, and those of the user's own shelf.",
		When:    "Before work of a kind that may have a procedure: the description says when a skill is of use.",
	}),
	verb.Declare(Get, verb.Verb{Name: "skill_get", Title: "Read a skill",
		Summary: "Read one skill with its body.",
		When:    "When its description fits the work. A skill of the workspace comes before one of the same id on the user's shelf.",
	}),
	verb.Declare(Upsert, verb.Verb{Name: "skill_upsert", Title: "Write a skill", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "Create a skill of the workspace, or change it as its next version.",
		When:    "When a procedure was found to work, or did not. A new skill needs a description and a body; of one that is there only what is given changes.",
	}),
)
