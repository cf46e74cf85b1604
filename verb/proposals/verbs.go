// Package proposals holds the verbs of plans: several tasks created at once, or proposed for somebody else to create.
package proposals

import "github.com/cairn-tasks/cairn/verb"

// Verbs are the verbs of plans.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "plan", Group: "tasks", Toolset: verb.Plans, Title: "Create a whole plan", Kind: verb.Write, Profile: verb.Planner,
		Summary: "Create several tasks that depend on one another in one write: all of them or none.",
		When:    "A dep or parent of #0 names the first task of the list, so no id need be known. With dry_run it only checks.",
	}, Plan),
	verb.Declare(verb.Verb{
		Name: "propose", Group: "tasks", Toolset: verb.Plans, Title: "Propose a plan", Kind: verb.Write, Profile: verb.Planner,
		Summary: "Store a plan for somebody else to read and make real.",
		When:    "When you may not create tasks, or should not without being asked: plan with the proposal's id makes it real.",
	}, Propose),
}
