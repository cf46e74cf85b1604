// Package handoffs holds the verbs of handoffs, by which actors ask things of one another, and inbox, which shows an
// actor what waits for it. An inbox is derived from the rows of all records and never stored; the clone keeps only what
// each actor has acknowledged.
package handoffs

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Verbs are the verbs of handoffs.
var Verbs = verb.Group{Name: "handoffs", Noun: "handoff", Toolset: verb.Team}.Of(
	verb.Declare(Create, verb.Verb{Name: "handoff_create", Title: "Ask somebody", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Ask something of actors or groups: to take over work, to answer a question, to review or approve.",
		When:    "To get an answer, give its id to wait, or to the deps of a task. A repeated one with the fingerprint of a live one returns that.",
	}),
	verb.Declare(Claim, verb.Verb{Name: "handoff_claim", Follows: true, Title: "Claim a handoff", Kind: verb.Write,
		Profile: verb.PairWorker, Idempotent: true,
		Summary: "Take a handoff that is addressed to you, so that no other recipient deals with it too.",
		When:    "Before you work on it. One of many recipients gets it; CONFLICT names who.",
	}),
	verb.Declare(Respond, verb.Verb{Name: "handoff_respond", Follows: true, Title: "Answer a handoff", Kind: verb.Write,
		Profile: verb.PairWorker,
		Summary: "Answer a handoff, with one of its options, a text, or both.",
		When:    "Who asked reads the answer with handoff_query and direction from_me, or in its inbox.",
	}),
	verb.Declare(Resolve, verb.Verb{Name: "handoff_resolve", Follows: true, Title: "End a handoff", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "End a handoff, as processed or as canceled.",
		When:    "By who asked, claimed or answered it. Tasks that wait for it can begin then.",
	}),
	verb.Declare(Query, verb.Verb{Name: "handoff_query", Title: "Find handoffs",
		Lists:   ledger.HandoffKind,
		Summary: "List handoffs to you, from you or all, the newest first, with their answers.",
		When:    "With direction from_me it shows the answers to what you asked.",
	}),
	verb.Declare(Inbox, verb.Verb{Name: "inbox", Title: "Read your inbox",
		Summary: "List what waits for you, the newest first: handoffs, mentions, tasks assigned to you, answers, proposed decisions, reviews and manual checks.",
		When:    "Between pieces of work. Act first, then give the ids back as ack: reading acknowledges nothing, so nothing is lost if you are ended.",
	}),
)
