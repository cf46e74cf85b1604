package kind

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Handoffs is the row of handoffs in the table of kinds.
var Handoffs = DefineMarkdown[ledger.HandoffID](
	Kind{
		Name: ledger.HandoffKind, Folder: "handoffs", Lists: "handoff_query", Mover: "handoff_resolve", ParseID: Prefixed(ledger.HandoffKind, ledger.HandoffPrefix),
		Merge: handoffMerge, Settle: settleHandoff, Judge: &proof.Handoffs,
	},
	Markdown[ledger.Handoff]{
		Header: func(h *ledger.Handoff) *task.Header { return &h.Header },
		Body:   func(h *ledger.Handoff) *string { return &h.Body },
		Keys: []Key[ledger.Handoff]{
			Text("type", func(h *ledger.Handoff) *ledger.HandoffType { return &h.Type }).Required(),
			Texts("to", func(h *ledger.Handoff) *[]ledger.Recipient { return &h.To }),
			Text("assignee", func(h *ledger.Handoff) *task.Actor { return &h.Assignee }),
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
		if e.Did == task.Responded && !slices.Contains(settlers, string(e.Who)) {
			settlers = append(settlers, string(e.Who))
		}
		if e.Did == task.Resolved && e.Who == h.From() {
			answers = nil // who asked has dealt with them
		}
		if (e.Did == task.Responded || e.Did == task.Resolved) && e.Who != h.From() {
			answers = append(answers, SaidOf(e).String())
		}
	}
	r.Add(AnswerFact, newest(answers)...)
	r.Add(AnsweredFact, settlers...)
}

var handoffMerge = map[string]format.Rule{
	"status":   {Choose: furtherHandoff},
	"assignee": {Choose: furtherClaim},
	"to":       {Kind: format.Texts},
	"about":    {Kind: format.Texts},
}

// furtherHandoff chooses the side that carried a handoff further: claimed wins over open, an answer over a claim, and an end over all. Of two
// ends the one that says it was dealt with wins.
func furtherHandoff(_, ours, theirs *format.Doc) format.Side {
	o, t, ok := twoClaims(ours, theirs)
	return fartherSide(handoffRank(o.status)-handoffRank(t.status), ok)
}

// furtherClaim chooses whose claim counts: that of the side that carried the handoff further; else the one that was made first; else, so
// that every clone chooses the same, that of the actor whose name comes first.
func furtherClaim(_, ours, theirs *format.Doc) format.Side {
	o, t, ok := twoClaims(ours, theirs)
	if by := handoffRank(o.status) - handoffRank(t.status); by != 0 {
		return fartherSide(by, ok)
	}
	if by := t.at().Compare(o.at()); by != 0 {
		return fartherSide(by, ok)
	}
	return fartherSide(strings.Compare(string(t.by), string(o.by)), ok)
}

// handoffClaim is how far a handoff is, and who has claimed it.
type handoffClaim struct {
	status task.Status
	by     task.Actor
	log    task.Log
}

func claimIn(doc *format.Doc) (handoffClaim, bool) {
	r := &reader{doc: doc}
	c := handoffClaim{task.Status(r.text("status", doc.Get("status"))), task.Actor(r.text("assignee", doc.Get("assignee"))), r.entries()}
	return c, r.err == nil
}

// at is when the present claim was made; the zero time if nobody claims it.
func (c handoffClaim) at() time.Time {
	for _, e := range slices.Backward(c.log) {
		if e.Assignee != nil && *e.Assignee == c.by && c.by != "" {
			return e.At
		}
	}
	return time.Time{}
}

func twoClaims(ours, theirs *format.Doc) (o, t handoffClaim, ok bool) {
	o, ok1 := claimIn(ours)
	t, ok2 := claimIn(theirs)
	return o, t, ok1 && ok2
}

// fartherSide is the side that is ahead: ours if by is above 0.
func fartherSide(by int, ok bool) format.Side {
	switch {
	case !ok || by == 0:
		return format.Neither
	case by > 0:
		return format.Ours
	default:
		return format.Theirs
	}
}

// handoffRank is how far a state is from open.
func handoffRank(s task.Status) int {
	return slices.Index([]task.Status{ledger.HandoffOpen, ledger.HandoffClaimed, ledger.HandoffResponded, ledger.HandoffCanceled, ledger.HandoffResolved}, s)
}

// settleHandoff lets the state of a merged handoff follow from its claim: one side may have given up the claim that the other took over.
func settleHandoff(m *format.Merged, _ task.Flow) {
	c, ok := claimIn(m.Doc())
	want := c.status
	switch {
	case !ok:
		return
	case c.status == ledger.HandoffOpen && c.by != "":
		want = ledger.HandoffClaimed
	case c.status == ledger.HandoffClaimed && c.by == "":
		want = ledger.HandoffOpen
	}
	if want == c.status {
		return
	}
	if err := m.Edit(format.Set(format.Path{"status"}, format.String(want))); err != nil {
		m.Dispute("status", format.String(want), fmt.Sprintf("the claim says %s", want))
	}
}
