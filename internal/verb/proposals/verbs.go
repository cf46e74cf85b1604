// Package proposals holds the verbs of plans: several tasks created at once, or proposed for somebody else to
// create; and of the proposals.
package proposals

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of plans and proposals.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Plans}.Of(
	verb.Declare(Plan, verb.Verb{Name: "plan", Title: "Create a whole plan", Kind: verb.Write,
		Profile: verb.Planner,
		Summary: "Create several tasks that depend on one another in one write: all of them or none.",
		When:    "A task with a key is named by it in deps and parent; #0 is the first of the list. With dry_run it only checks.",
	}),
	verb.Declare(Propose, verb.Verb{Name: "propose", Title: "Propose a plan", Kind: verb.Write,
		Profile: verb.Planner,
		Summary: "Store a plan for somebody else to read and make real.",
		When:    "When you may not create tasks, or should not without being asked: plan with the proposal's id makes it real.",
	}),
	verb.Declare(List, verb.Verb{Name: "list_proposals", Title: "List proposals", Lists: "proposal",
		Summary: "List the proposals that fit all filters given, the newest first.",
		When:    "With state open it shows the plans that wait for somebody to make them real.",
	}),
	verb.Declare(Get, verb.Verb{Name: "get_proposal", Title: "Read a proposal", Reads: "proposal",
		Summary: "Read one proposal: its plan, who proposed it, and what was made from it.",
		When:    "Before making it real with plan, or to see what came of it.",
	}),
)
