// Package knowledge holds the verbs of notes of knowledge: what a team knows, written by one and found by another.
package knowledge

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Verbs are the verbs of notes of knowledge. Reading, commenting and history need none: get, note and history take the
// id of a note.
var Verbs = verb.Group{Name: "ledger", Noun: "knowledge", Toolset: verb.Ledger}.Of(
	verb.Declare(Write, verb.Verb{Name: "knowledge_write", Title: "Write down what you know", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Write a note of knowledge for others to find, or change one.",
		When:    "When you found out something that somebody will need again. The answer names notes much alike: change one of these instead of keeping two.",
	}),
	verb.Declare(Search, verb.Verb{Name: "knowledge_search", Title: "Search knowledge",
		Lists:   ledger.NoteKind,
		Summary: "Find active notes of knowledge by words and, where you have set up an embedder, by meaning, the best first.",
		When:    "Before you find out something again. The answer says by which it searched, in mode.",
	}),
)
