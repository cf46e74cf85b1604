// Package decisions holds the verbs of decisions: what was decided, why, and which paths it governs.
package decisions

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Verbs are the verbs of decisions. Reading one, noting on it, waiting for it and its history need none: get, note,
// wait and history take its id.
var Verbs = verb.Group{Name: "ledger", Noun: "decision", Toolset: verb.Ledger}.Of(
	verb.Declare(Log, verb.Verb{Name: "decision_log", Title: "Log a decision", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Record what was decided, why, and which paths it governs.",
		When:    "When a choice will bind later work. It is never edited: to change it, log one with supersedes. A person's counts at once, an agent's once a person accepts it.",
	}),
	verb.Declare(SetStatus, verb.Verb{Name: "decision_set_status", Title: "Accept or reject a decision",
		Kind: verb.Write, Profile: verb.Operator, Idempotent: true,
		Summary: "Move a decision to proposed, accepted or rejected.",
		When:    "To accept what an agent proposed, or to turn it down. What is decided stays as it is.",
	}),
	verb.Declare(Query, verb.Verb{Name: "decision_query", Title: "Find decisions", Lists: ledger.DecisionKind,
		Summary: "List the decisions that fit all filters given, the newest first.",
		When:    "With path before changing files that a task does not name. begin and get with mode context bring those that govern the task.",
	}),
)
