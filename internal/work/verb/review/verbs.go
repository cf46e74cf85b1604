package review

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of reviews.
var Verbs = verb.Group{Name: "review", Noun: "review", Toolset: verb.Jobs}.Of(
	verb.DeclareBare(Apply, verb.Verb{Name: "review_apply", Title: "Approve, reject or merge", Kind: verb.Destructive,
		Profile: verb.Operator,
		Runs:    true, Signs: true, Idempotent: true,
		Summary: "Approve or reject the work on a task, rebase its branch, merge it and close the task, or open a pull request.",
		When:    "Read it first: get with include review. Only the task's reviewer can approve it; rebase, merge and pr need the profile maintainer. A merge is tested in a work tree that is thrown away, before the base moves.",
	}),
	verb.Declare(Sync, verb.Verb{Name: "review_sync", Title: "Follow pull requests", Kind: verb.Write,
		Profile: verb.Operator, Scopes: true, Idempotent: true,
		Summary: "Ask the hosts whether pull requests were merged or closed, and record it.",
		When:    "It closes no task: what was merged on the host is pulled first.",
	}),
)
