// Package sessions holds the verbs of sessions, which are attempts at work on a task.
package sessions

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs of sessions.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "begin", Group: "sessions", Toolset: verb.Core, Title: "Begin a session", Kind: verb.Write, Holds: true, Opens: true, Scopes: true, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Claim a task, move it to the working state, and open a session on it, in one step.",
		When:    "Before real work. Then heartbeat now and again, and finish or cancel at the end.",
	}, Begin),
	verb.Declare(verb.Verb{
		Name: "heartbeat", Group: "sessions", Toolset: verb.Core, Title: "Report progress", Kind: verb.Write, Profile: verb.PairWorker, Idempotent: true,
		Summary: "Say that a session is alive and what it is doing; no committed file changes.",
		When:    "Every few minutes: without, a session stalls and may be taken over.",
	}, Heartbeat),
	verb.Declare(verb.Verb{
		Name: "finish", Group: "sessions", Toolset: verb.Core, Title: "Finish a session", Kind: verb.Write, Profile: verb.PairWorker, Runs: true,
		Summary: "Hand the task over for review with a summary, and end the session.",
		When:    "When the work is done, or has failed. It does not close the task.",
	}, Finish),
	verb.Declare(verb.Verb{
		Name: "cancel", Group: "sessions", Toolset: verb.Core, Title: "Cancel a session", Kind: verb.Write, Profile: verb.PairWorker,
		Summary: "End a session without handing over; the task is released and stays open.",
		When:    "When you cannot go on.",
	}, Cancel),
	verb.Declare(verb.Verb{
		Name: "get_session", Group: "sessions", Toolset: verb.Core, Title: "Read a session", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Reads: "session",
		Summary: "Read one session.",
		When:    "To see its health as of now.",
	}, Get),
	verb.Declare(verb.Verb{
		Name: "list_sessions", Group: "sessions", Toolset: verb.Core, Title: "List sessions", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Lists: "session",
		Summary: "List the sessions that fit all filters, the newest first.",
		When:    "Health stalled is what was left behind, awaiting_review what waits for a reviewer.",
	}, List),
	verb.Declare(verb.Verb{
		Name: "session_summary", Group: "sessions", Toolset: verb.Team, Title: "What a session produced", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true,
		Summary: "Count what was made under a session: tasks, notes, decisions, knowledge, handoffs, references and commits.",
		When:    "To tell what was done, as in a stand-up, before you finish.",
	}, Summary),
}
