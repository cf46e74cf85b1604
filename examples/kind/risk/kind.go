package risk

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Risks is the row of risks in the table of kinds.
var Risks = kind.DefineMarkdown[ID](
	kind.Kind{Name: "risk", Prefix: "RISK", Folder: "risks", Lists: "risk_list", Life: life},
	kind.Markdown[Risk]{
		Header: func(r *Risk) *record.Header { return &r.Header },
		Body:   func(r *Risk) *string { return &r.Body },
		Keys: []kind.Key[Risk]{
			kind.Text("likelihood", func(r *Risk) *Likelihood { return &r.Likelihood }).Required(),
			kind.Text("owner", func(r *Risk) *record.Actor { return &r.Owner }),
		},
		States: states,
		Closed: states[1:],
	})
