// Package worktrees holds the verbs of the work trees of tasks: which there are, why each stays, and the removal of
// one.
package worktrees

import "github.com/cairn-tasks/cairn/internal/verb"

const noun = "worktree"

// Verbs are the verbs of work trees.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "worktree_list", Group: "jobs", Noun: noun, Toolset: verb.Jobs, Title: "List work trees", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true,
		Summary: "List the git work trees that cairn made for tasks of this clone, each with all reasons why it stays.",
		When:    "To find where the work on a task lies, and before cleaning up.",
	}, List),
	verb.Declare(verb.Verb{
		Name: "worktree_remove", Group: "jobs", Noun: noun, Toolset: verb.Jobs, Title: "Remove a work tree", Kind: verb.Destructive, Profile: verb.Operator, Scopes: true,
		Summary: "Remove the work tree of a task if nothing can be lost by it: it is clean, its commits are merged or pushed, nothing works in it.",
		When:    "When its work has come home. With force, what is in no commit is deleted too; commits that are nowhere else, and what somebody works in, are never removed.",
	}, Remove),
}
