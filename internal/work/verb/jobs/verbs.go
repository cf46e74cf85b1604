// Package jobs holds the verbs of jobs: attempts at tasks that cairn runs with a program. They create, show and cancel
// jobs (internal/work/jobs); the process that runs one is internal/work/runner, which a front-end starts.
package jobs

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of jobs.
var Verbs = verb.Group{Name: "jobs", Noun: "job", Toolset: verb.Jobs}.Of(
	verb.Declare(Start, verb.Verb{Name: "job_start", Title: "Start a job", Kind: verb.Write,
		Profile: verb.PairWorker, Scopes: true, Exit: exitOfStart,
		Summary: "Have a program work on a task, in a work tree and on a branch of its own, until it hands over and the task's checks have run there.",
		When:    "To hand a task to another agent. The answer comes at once; job_poll with wait follows it. The job never closes the task.",
	}),
	verb.Declare(Poll, verb.Verb{Name: "job_poll", Title: "Read a job", Waits: true, Exit: exitOfPoll,
		Summary: "Read a job: its state, what became of it, its files; if asked, wait for a change, and page through its events.",
		When:    "After job_start, with wait true, until the state is SUCCEEDED, FAILED, CANCELED, EXPIRED or STALE.",
	}),
	verb.Declare(List, verb.Verb{Name: "job_list", Title: "List jobs",
		Summary: "List the jobs of this clone that fit all filters given, the newest first.",
		When:    "To see what runs, what waits, and what failed.",
	}),
	verb.Declare(Cancel, verb.Verb{Name: "job_cancel", Title: "Cancel a job", Kind: verb.Write,
		Profile: verb.PairWorker, Scopes: true,
		Summary: "End a job that has not ended; its work tree and branch stay.",
		When:    "When the work is not wanted any more, or goes wrong.",
	}),
)
