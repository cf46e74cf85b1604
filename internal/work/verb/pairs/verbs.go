// Package pairs holds the verbs of pairs: a person and an agent who work on a task together, in a work tree and under a
// session of their own.
package pairs

import "github.com/cairn-tasks/cairn/internal/verb"

// Noun is the command under which the commands of pairs stand.
const Noun = "pair"

// Verbs are the verbs of pairs.
var Verbs = verb.Group{Name: "jobs", Noun: Noun, Toolset: verb.Jobs}.Of(
	verb.Declare(Open, verb.Verb{Name: "pair_open", Title: "Open a pair", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true, Runs: true,
		Summary: "Make or reuse the work tree of a task, begin a session in it, and say how the agent that works there with a person is started.",
		When:    "For work that a person and an agent do together. It starts nothing but the set-up command of the workspace.",
	}),
	verb.Declare(Read, verb.Verb{Name: "pair_read", Title: "Read a pair",
		Summary: "Read the pair of a task: its session, work tree, branch and environment, or that there is none.",
		When:    "To see whether a pair is at work, and where.",
	}),
	verb.Declare(Close, verb.Verb{Name: "pair_close", Title: "Close a pair", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true,
		Summary: "End the session of a pair. Its work tree stays, unless all that was done in it is committed and merged.",
		When:    "When the two are done; with a summary the work is handed over for review, without one the task is given back.",
	}),
)
