// Package refs holds the verbs of references: what lies outside a record and belongs to it, such as commits, pull
// requests, links, files and other records.
package refs

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of references.
var Verbs = verb.Group{Name: "references", Noun: "ref", Toolset: verb.Ledger}.Of(
	verb.Declare(Add, verb.Verb{Name: "ref_add", Title: "Add a reference", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Add a commit, branch, tag, compare, pull request, link, file or other record to a record.",
		When:    "Repo, branch and sha are those that are checked out unless they are named. A file is copied into the workspace. One that is there already is not added twice.",
	}),
	verb.Declare(Update, verb.Verb{Name: "ref_update", Title: "Change a reference", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Change what a reference says: the state of a pull request, its title, its address, the commit that it is at.",
		When:    "When a pull request was merged or closed.",
	}),
	verb.Declare(Remove, verb.Verb{Name: "ref_remove", Title: "Take a reference away", Kind: verb.Write,
		Profile: verb.PairWorker,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Take a reference off a record.",
		When:    "Who added it may, and a maintainer. A copied file stays until cairn doctor finds that nothing refers to it.",
	}),
	verb.Declare(Query, verb.Verb{Name: "ref_query", Title: "Find references",
		Summary: "List the references that fit all filters given, the newest first.",
		When:    "To see what code belongs to a record, or to which records a repository's pull requests belong.",
	}),
)
