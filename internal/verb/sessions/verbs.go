// Package sessions holds the verbs of sessions, which are attempts at work on a task.
package sessions

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of sessions.
var Verbs = verb.Group{Name: "sessions", Toolset: verb.Core}.Of(
	verb.Declare(Begin, verb.Verb{Name: "begin", Title: "Begin a session", Kind: verb.Write, Holds: true,
		Opens: true, Scopes: true, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Claim a task, move it to the working state, and open a session on it, in one step.",
		When:    "Before real work. Then heartbeat now and again, and finish or cancel at the end.",
	}),
	verb.Declare(Heartbeat, verb.Verb{Name: "heartbeat", Title: "Report progress", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true,
		Summary: "Say that a session is alive and what it is doing; no committed file changes.",
		When:    "Every few minutes: without, a session stalls and may be taken over.",
	}),
	verb.Declare(Finish, verb.Verb{Name: "finish", Title: "Finish a session", Kind: verb.Write,
		Profile: verb.PairWorker, Runs: true,
		Summary: "Hand the task over for review with a summary, and end the session.",
		When:    "When the work is done, or has failed. It does not close the task.",
	}),
	verb.Declare(Cancel, verb.Verb{Name: "cancel", Title: "Cancel a session", Kind: verb.Write,
		Profile: verb.PairWorker,
		Summary: "End a session without handing over; the task is released and stays open.",
		When:    "When you cannot go on.",
	}),
	verb.Declare(Get, verb.Verb{Name: "get_session", Follows: true, Title: "Read a session", Reads: "session",
		Summary: "Read one session.",
		When:    "To see its health as of now.",
	}),
	verb.Declare(List, verb.Verb{Name: "list_sessions", Toolset: verb.Records, Title: "List sessions", Lists: "session",
		Summary: "List the sessions that fit all filters, the newest first.",
		When:    "Health stalled is what was left behind, awaiting_review what waits for a reviewer.",
	}),
	verb.Declare(Summary, verb.Verb{Name: "session_summary", Follows: true, Toolset: verb.Team, Title: "What a session produced",
		Summary: "Count what was made under a session: tasks, notes, decisions, knowledge, handoffs, references and commits.",
		When:    "To tell what was done, as in a stand-up, before you finish.",
	}),
)
