package kind

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// Knowledge is the row of notes of knowledge in the table of kinds.
var Knowledge = DefineMarkdown[ledger.NoteID](
	Kind{
		Name: ledger.NoteKind, Folder: "knowledge", Lists: "knowledge_search", Prefix: ledger.NotePrefix,
		Merge: map[string]format.Rule{"about": {Kind: format.Texts}},
	},
	Markdown[ledger.Note]{
		Header: func(n *ledger.Note) *record.Header { return &n.Header },
		Body:   func(n *ledger.Note) *string { return &n.Body },
		Keys: []Key[ledger.Note]{
			Text("type", func(n *ledger.Note) *ledger.NoteType { return &n.Type }),
			Texts("about", func(n *ledger.Note) *[]string { return &n.About }),
		},
		States: ledger.NoteStates,
		Row: func(n ledger.Note, r *Row) {
			r.Add(TypeFact, string(cmp.Or(n.Type, ledger.PlainNote)))
			r.Add(AboutFact, n.About...)
		},
	})
