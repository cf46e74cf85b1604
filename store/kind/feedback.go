package kind

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Feedback is the row of feedback in the table of kinds.
var Feedback = DefineMarkdown[ledger.FeedbackID](
	Kind{
		Name: ledger.FeedbackKind, Folder: "feedback", Lists: "feedback_query", Prefix: ledger.FeedbackPrefix,
	},
	Markdown[ledger.Feedback]{
		Header: func(f *ledger.Feedback) *record.Header { return &f.Header },
		Body:   func(f *ledger.Feedback) *string { return &f.Body },
		Keys: []Key[ledger.Feedback]{
			Text("type", func(f *ledger.Feedback) *ledger.FeedbackType { return &f.Type }).Required(),
			Text("severity", func(f *ledger.Feedback) *ledger.Severity { return &f.Severity }).Required(),
			Text("tool", func(f *ledger.Feedback) *string { return &f.Tool }),
			Text("error_code", func(f *ledger.Feedback) *string { return &f.ErrorCode }),
			Text("context", func(f *ledger.Feedback) *string { return &f.Context }),
			Text("fingerprint", func(f *ledger.Feedback) *string { return &f.Fingerprint }),
		},
		States: ledger.FeedbackStates,
		Closed: ledger.FeedbackEnds,
		Row: func(f ledger.Feedback, r *Row) {
			r.Add(TypeFact, string(f.Type))
			r.Add(SeverityFact, string(f.Severity))
			r.Add(ToolFact, f.Tool)
			r.Add(CodeFact, f.ErrorCode)
			r.Add(FingerprintFact, f.Fingerprint)
		},
	})

// The names of the facts that only the row of feedback has.
const (
	SeverityFact = "severity"
	ToolFact     = "tool"
	CodeFact     = "error_code"
)
