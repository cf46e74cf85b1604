// Package search holds the verb that looks for words in the records of all kinds.
package search

import "github.com/cairn-tasks/cairn/internal/verb"

// Verbs are the verbs that look in records of all kinds.
var Verbs = verb.Group{Name: "ledger", Toolset: verb.Ledger}.Of(
	verb.DeclareBare(Search, verb.Verb{Name: "search", Title: "Search everything",
		Summary: "Find records of every kind by words, the best first, each with the passage in which the words are.",
		When:    "Before you do, decide or write down something again. It finds other forms of a word, parts of identifiers, and what is near to a word that nothing has.",
	}),
)
