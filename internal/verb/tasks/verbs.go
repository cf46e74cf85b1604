// Package tasks holds the verbs of tasks: each in a file with its input, its output and the function between them.
// verbs.go declares them.
package tasks

import (
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
)

// createVerb has a name because CallCreate calls it too.
var createVerb = verb.Declare(verb.Verb{
	Name: "create", Group: "tasks", Aliases: []string{"add"}, Toolset: verb.Core, Title: "Create a task", Kind: verb.Write, Profile: verb.Operator,
	Summary: "Create a task in the initial state.",
	When:    "Give it checks: they decide whether it can be closed. Deps must exist already.",
}, Create)

// Verbs are the verbs of tasks.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "list", Group: "tasks", Toolset: verb.Core, Title: "List tasks", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Lists: "task",
		Summary: "List the open tasks that fit all filters, the most urgent first.",
		When:    "With where \"ready\" it lists what next would hand out. Rows leave out priority 2.",
	}, List),
	verb.Declare(verb.Verb{
		Name: "get", Group: "tasks", Toolset: verb.Core, Title: "Read a task", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Reads: "task", Aliases: []string{"show"},
		Returns: []any{verb.Task{}, Context{}, Part{}, verb.Row{}, verb.Session{}, verb.Record{}, verb.RecordRow{}},
		Summary: "Read a task or other record: body, checks with their results, provenance, what blocks it, who holds it.",
		When:    "Read a task before working on it.",
	}, Get),
	createVerb,
	verb.Declare(verb.Verb{
		Name: "claim", Group: "tasks", Toolset: verb.Core, Title: "Claim a task", Kind: verb.Write, Holds: true, Profile: verb.PairWorker, Idempotent: true,
		Returns: []any{verb.Task{}, handoffs.Handoff{}},
		Summary: "Claim a task, so that nobody else works on it.",
		When:    "For short work; begin claims too, and opens a session.",
	}, Claim),
	verb.Declare(verb.Verb{
		Name: "start", Group: "tasks", Toolset: verb.Edit, Title: "Start a task", Kind: verb.Write, Holds: true, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Claim a task and move it to the working state, in one entry, without a session.",
		When:    "For a person who begins to work; an agent calls begin, which opens a session too.",
	}, Start),
	verb.Declare(verb.Verb{
		Name: "next", Group: "tasks", Toolset: verb.Core, Title: "Take the next task", Kind: verb.Write, Holds: true, Profile: verb.PairWorker, Exit: exitOfNext,
		Summary: "Claim the most urgent task that can be worked on now and that nobody holds.",
		When:    "If there is none, wait with ready true.",
	}, Next),
	verb.Declare(verb.Verb{
		Name: "release", Group: "tasks", Toolset: verb.Core, Title: "Release a task", Kind: verb.Write, Profile: verb.PairWorker, Idempotent: true,
		Returns: []any{verb.Task{}, handoffs.Handoff{}},
		Summary: "Release a claimed task without moving it.",
		When:    "When you will not go on with it. In a session use cancel instead.",
	}, Release),
	verb.Declare(verb.Verb{
		Name: "update", Group: "tasks", Toolset: verb.Edit, Scopes: true, Title: "Change a task", Kind: verb.Write, Profile: verb.Operator, Idempotent: true, Runs: true,
		Returns: []any{verb.Task{}, verb.Several{}, verb.Record{}},
		Summary: "Change what a task says: title, body, labels, priority, parent, holder, deps, checks, state; all in one entry.",
		When:    "What is left out stays. With ids it changes several tasks alike, all or none; of a record of another kind, labels or state. Once work has begun, only a person or a maintainer may remove or change a check, with a reason.",
	}, Update),
	verb.Declare(verb.Verb{
		Name: "transition", Group: "tasks", Toolset: verb.Core, Title: "Move a task", Kind: verb.Write, Profile: verb.PairWorker, Idempotent: true, Runs: true,
		Summary: "Move a task to a state, through the deps gate and the checks gate.",
		When:    "Closing runs the command checks that have not passed on this tree; if one fails it is refused with the output.",
	}, Transition),
	verb.Declare(verb.Verb{
		Name: "run_checks", Group: "tasks", Toolset: verb.Core, Title: "Run checks", Kind: verb.Write, Profile: verb.PairWorker, Runs: true, Exit: exitOfRun,
		Summary: "Run a task's command checks and record the results, without moving the task.",
		When:    "A failing check is a result, not an error: look at run.",
	}, RunChecks),
	verb.Declare(verb.Verb{
		Name: "attest", Group: "tasks", Toolset: verb.Core, Title: "Attest a manual check", Kind: verb.Write, Profile: verb.Operator, Idempotent: true, Signs: true,
		Summary: "Settle a manual check: say whether it passes.",
		When:    "Only those that the check names may do it; by default, a person.",
	}, Attest),
	verb.Declare(verb.Verb{
		Name: "note", Group: "tasks", Toolset: verb.Core, Title: "Add a note", Kind: verb.Write, Profile: verb.PairWorker,
		Returns: []any{verb.Task{}, verb.Session{}, verb.Record{}},
		Summary: "Append a note to a record's provenance, changing nothing else.",
		When:    "For what the next worker should know.",
	}, Note),
	verb.Declare(verb.Verb{
		Name: "delete", Group: "tasks", Toolset: verb.Admin, Title: "Delete a task", Kind: verb.Destructive, Profile: verb.Maintainer,
		Summary: "Move a task out of the workspace, into the trash of this clone.",
		When:    "For what was created by mistake; what is given up is moved to an abandoned state instead. Refused while another task depends on it.",
	}, Delete),
	verb.Declare(verb.Verb{
		Name: "restore", Group: "tasks", Toolset: verb.Admin, Title: "Restore a deleted task", Kind: verb.Write, Profile: verb.Maintainer,
		Summary: "Take a task out of the trash of this clone, as it was, with its sessions.",
		When:    "For what was deleted by mistake. Refused while there is a task of that id, or what it depends on is gone.",
	}, Restore),
	verb.Declare(verb.Verb{
		Name: "undo", Group: "tasks", Toolset: verb.Admin, Title: "Take your last write back", Kind: verb.Write, Profile: verb.PairWorker,
		Summary: "Take back your last write to a task, where nothing came after: by one more entry, never by rewriting.",
		When:    "Without confirm it only shows what would be taken back. Claims, moves, fields, deps, notes, creation, deletion; not results of checks, sessions or approvals.",
	}, Undo),
	verb.Declare(verb.Verb{
		Name: "archive", Group: "tasks", Toolset: verb.Admin, Title: "Archive closed tasks", Kind: verb.Write, Profile: verb.Maintainer, Idempotent: true,
		Summary: "Move the files of old closed tasks out of the folder of tasks, to closed/YYYY-MM.",
		When:    "When most files there are of closed tasks. They are found, listed, depended on and reopened as before.",
	}, Archive),
	verb.Declare(verb.Verb{
		Name: "logs", Group: "tasks", Toolset: verb.Records, Title: "Read check logs", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true,
		Summary: "Read what the check runs of a task printed, the newest first.",
		When:    "When the end of the output that a refusal shows is not enough.",
	}, Logs),
}
