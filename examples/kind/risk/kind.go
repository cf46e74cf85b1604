package risk

import (
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const (
	kindName = "risk"
	prefix   = "RISK"
)

// Risks is the row of risks in the table of kinds.
var Risks = kind.DefineMarkdown[ID](
	kind.Kind{Name: kindName, Folder: "risks", Lists: "risk_list", ParseID: kind.Prefixed(kindName, prefix), Judge: &rules},
	kind.Markdown[Risk]{
		Header: func(r *Risk) *task.Header { return &r.Header },
		Body:   func(r *Risk) *string { return &r.Body },
		Keys: []kind.Key[Risk]{
			kind.Text("likelihood", func(r *Risk) *Likelihood { return &r.Likelihood }).Required(),
			kind.Text("owner", func(r *Risk) *task.Actor { return &r.Owner }),
		},
		Move:   Close,
		States: []task.Status{Open, Mitigated, Accepted},
		Closed: []task.Status{Mitigated, Accepted},
	})

// Unexplained is the rule of cairn check about risks.
const Unexplained proof.RuleID = "risk-unexplained"

var rules = proof.Kind{
	Name: kindName,
	Rules: []proof.Rule{{ID: Unexplained, Group: proof.HistoryGroup, Severity: proof.Error,
		Summary: "a risk is accepted, and no entry says why", Fix: "open it again, and close it with cairn risk-close and a reason"}},
	Judge: func(c *proof.Case) {
		if r := c.Now.Value.(Risk); !r.Explained() {
			c.Report(Unexplained, proof.Path{"status"}, "is accepted, and no entry says why")
		}
	},
}
