// Package activity holds the verbs about what happens in a workspace: the history of its records, and waiting until one
// of them changes.
package activity

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs about what happens in a workspace.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Records}.Of(
	verb.DeclareBare(Wait, verb.Verb{Name: "wait", Toolset: verb.Core, Title: "Wait for a change", Waits: true,
		Exit:    exitOfWait,
		Summary: "Wait until a record, a session, or the tasks that fit filters change, and say what changed.",
		When:    "Better than asking again. With ready true it waits for work that next would find. Pass the cursor of the last answer, and nothing is missed.",
	}),
	verb.DeclareBare(History, verb.Verb{Name: "history", Title: "Read the history",
		Summary: "List who did what to which record, the newest first, deleted tasks included.",
		When:    "To catch up after a pause, or to see what an actor did.",
	}),
	verb.DeclareBare(Log, verb.Verb{Name: "log", Title: "Tell a story",
		Summary: "Tell the story of a record, or of all: what was done to it, and the commits beside it, the newest first.",
		When:    "To understand how a task came to be as it is. history has the entries alone, with more filters.",
	}),
)
