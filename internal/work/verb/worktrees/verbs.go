// Package worktrees holds the verbs of the work trees of tasks: which there are, why each stays, and the removal of
// one.
package worktrees

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of work trees.
var Verbs = verb.Group{Name: "jobs", Noun: "worktree", Toolset: verb.Jobs}.Of(
	verb.Declare(List, verb.Verb{Name: "worktree_list", Title: "List work trees",
		Summary: "List the git work trees that cairn made for tasks of this clone, each with all reasons why it stays.",
		When:    "To find where the work on a task lies, and before cleaning up.",
	}),
	verb.Declare(Remove, verb.Verb{Name: "worktree_remove", Title: "Remove a work tree", Kind: verb.Destructive,
		Profile: verb.Operator, Scopes: true,
		Summary: "Remove the work tree of a task if nothing can be lost by it: it is clean, its commits are merged or pushed, nothing works in it.",
		When:    "When its work has come home. With force, what is in no commit is deleted too; commits that are nowhere else, and what somebody works in, are never removed.",
	}),
)
