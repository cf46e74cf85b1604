package kind

import (
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Handoffs is the row of handoffs in the table of kinds.
var Handoffs = DefineMarkdown[ledger.HandoffID](
	Kind{
		Name: ledger.HandoffKind, Folder: "handoffs", Lists: "handoff_query", Mover: "handoff_resolve", Prefix: ledger.HandoffPrefix,
		Life: ledger.HandoffLife, Judge: &proof.Handoffs,
		Merge: map[string]format.Rule{"to": {Kind: format.Texts}, "about": {Kind: format.Texts}},
	},
	Markdown[ledger.Handoff]{
		Header: func(h *ledger.Handoff) *record.Header { return &h.Header },
		Body:   func(h *ledger.Handoff) *string { return &h.Body },
		Keys: []Key[ledger.Handoff]{
			Text("type", func(h *ledger.Handoff) *ledger.HandoffType { return &h.Type }).Required(),
			Texts("to", func(h *ledger.Handoff) *[]ledger.Recipient { return &h.To }),
			Text("assignee", func(h *ledger.Handoff) *record.Actor { return &h.Assignee }),
			Texts("options", func(h *ledger.Handoff) *[]string { return &h.Options }),
			FlagUnless("allow_free_text", func(h *ledger.Handoff) *bool { return &h.OptionsOnly }),
			DueDate("due", func(h *ledger.Handoff) *task.Due { return &h.Due }),
			Texts("about", func(h *ledger.Handoff) *[]string { return &h.About }),
			Text("fingerprint", func(h *ledger.Handoff) *string { return &h.Fingerprint }),
		},
		States: ledger.HandoffStates,
		Closed: ledger.HandoffEnds,
		Row:    handoffRow,
	})

// The names of the facts that only the row of a handoff has.
const (
	FromFact     = "from"
	ToFact       = "to"      // one for each recipient
	OptionFact   = "option"  // the newest answer's
	AnswerFact   = "answer"  // a Said: who answered or ended it, but for who asked, since who asked ended it; the newest few
	AnsweredFact = "settler" // who may end it beside who asked and who has claimed it: one for each who answered
)

// handoffRow sets the facts by which handoffs are found and shown in lists.
func handoffRow(h ledger.Handoff, r *Row) {
	r.Add(TypeFact, string(h.Type))
	r.Add(FromFact, string(h.From()))
	for _, to := range h.To {
		r.Add(ToFact, string(to))
	}
	r.Add(DueFact, string(h.Due))
	r.Add(AboutFact, h.About...)
	r.Add(FingerprintFact, h.Fingerprint)
	if e, ok := h.Response(); ok {
		r.Add(OptionFact, e.Said().Option)
	}
	var answers, settlers []string
	for _, e := range h.Log {
		if e.Did == record.Responded && !slices.Contains(settlers, string(e.Who)) {
			settlers = append(settlers, string(e.Who))
		}
		if e.Did == record.Resolved && e.Who == h.From() {
			answers = nil // who asked has dealt with them
		}
		if (e.Did == record.Responded || e.Did == record.Resolved) && e.Who != h.From() {
			answers = append(answers, SaidOf(e).String())
		}
	}
	r.Add(AnswerFact, newest(answers)...)
	r.Add(AnsweredFact, settlers...)
}
