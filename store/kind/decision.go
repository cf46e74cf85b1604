package kind

import (
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

// The names of the facts that only the row of a decision has.
const (
	SupersedesFact = "supersedes"
	ScopeFact      = "scope" // one for each glob
)

// Decisions is the row of decisions in the table of kinds.
var Decisions = DefineMarkdown[ledger.DecisionID](
	Kind{
		Name: ledger.DecisionKind, Folder: "decisions", Lists: "decision_query", Mover: "decision_set_status", Judge: &proof.Decisions, Life: ledger.DecisionLife,
		Prefix: ledger.DecisionPrefix,
	},
	Markdown[ledger.Decision]{
		Header: func(d *ledger.Decision) *record.Header { return &d.Header },
		Body:   func(d *ledger.Decision) *string { return &d.Body },
		Keys: []Key[ledger.Decision]{
			Text("choice", func(d *ledger.Decision) *string { return &d.Choice }).Required(),
			Text("supersedes", func(d *ledger.Decision) *ledger.DecisionID { return &d.Supersedes }),
			Objects("options", func(d *ledger.Decision) *[]ledger.Option { return &d.Options }, readOption, optionFields),
			Texts("scope", func(d *ledger.Decision) *[]string { return &d.Scope }),
			Texts("about", func(d *ledger.Decision) *[]string { return &d.About }),
		},
		States: ledger.DecisionStates,
		Closed: []record.Status{ledger.Accepted, ledger.Rejected},
		Row:    decisionRow,
	})

func readOption(o Object) ledger.Option {
	return ledger.Option{Label: o.Text("label"), Summary: o.Text("summary"), Pros: o.Text("pros"), Cons: o.Text("cons")}
}

func optionFields(o ledger.Option) []Field {
	return []Field{{"label", o.Label}, {"summary", o.Summary}, {"pros", o.Pros}, {"cons", o.Cons}}
}

func decisionRow(d ledger.Decision, r *Row) {
	r.Add(SupersedesFact, string(d.Supersedes))
	r.Add(ScopeFact, d.Scope...)
	r.Add(AboutFact, d.About...)
}

// DecisionSuccessor is what the order of succession asks of a decision, from its row.
func DecisionSuccessor(r *Row) ledger.Successor {
	return ledger.Successor{
		ID: ledger.DecisionID(r.ID), Supersedes: ledger.DecisionID(r.Fact(SupersedesFact)), Status: r.Status, Created: r.Created,
	}
}
