// Package risk is a kind of record of its own: something that may go wrong. This file is all of it: what a risk is, its
// rules, its row in the table of kinds, and the verbs that only risks have. ../testdata/script/risk.txtar is its story.
//
// Everything else comes with the row: get, note, wait and history, deps of tasks on risks, merging, the crash safety of
// writes, putting back what an editor saved over, cairn check, the command line, MCP, completion and the reference
// page.
package risk

import (
	"cmp"

	"github.com/cairn-tasks/cairn"
)

// ID names a risk: RISK-, and the token of a task's id.
type ID string

// Risk is something that may go wrong.
type Risk struct {
	cairn.Header             // what all kinds have in common
	Likelihood   string      // one of likelihoods
	Owner        cairn.Actor // who watches it; "" for nobody
	Body         string
}

var likelihoods = []string{"low", "medium", "high"}

// The states. The last two are closed: nothing waits for such a risk.
const (
	Open      cairn.Status = "open"
	Mitigated cairn.Status = "mitigated"
	Accepted  cairn.Status = "accepted"
)

var states = []cairn.Status{Open, Mitigated, Accepted}

// life is how risks live: none is opened again, and none is accepted without a reason.
var life = cairn.Plain(states...).With(func(_ cairn.Header, e cairn.Entry) error {
	switch {
	case e.To == Open:
		return cairn.Refuse("mitigated or accepted", "a risk is not opened again")
	case e.To == Accepted && e.Text == "":
		return cairn.Refuse("say in reason why it may stay as it is", "a risk is accepted for a reason")
	}
	return nil
})

// Valid returns INVALID_INPUT for what no risk may be. The message begins with the key.
func (r Risk) Valid() error {
	return cmp.Or(cairn.ValidActor(r.Owner), cairn.OneOf("likelihood", r.Likelihood, likelihoods...), r.Header.Valid(r.Body))
}

// Risks is the row of risks in the table of kinds.
var Risks = cairn.DefineKind[ID](
	cairn.Kind{Name: "risk", Prefix: "RISK", Folder: "risks", Lists: "risk_list", Life: life},
	cairn.Markdown[Risk]{
		Header: func(r *Risk) *cairn.Header { return &r.Header },
		Body:   func(r *Risk) *string { return &r.Body },
		Keys: func() []cairn.Key {
			return []cairn.Key{
				cairn.Text("likelihood", func(r *Risk) *string { return &r.Likelihood }).Required(),
				cairn.Text("owner", func(r *Risk) *cairn.Actor { return &r.Owner }),
			}
		},
		States: states,
		Closed: states[1:],
	})

// Register adds risks to the table of kinds and their verbs to the catalogue. It is called once, before cairn.Main.
func Register() {
	cairn.AddKind(Risks.Kind,
		cairn.CreateVerb(Risks, cairn.Verb{
			Title: "Record a risk", Profile: cairn.PairWorker, Summary: "Record something that may go wrong.",
			When: "A task that must not begin before the risk is dealt with names it among its deps.",
		}, func(w *cairn.Caller, in createIn) (Risk, error) {
			owner, err := w.ActorNamed(in.Owner)
			return Risk{Header: cairn.Header{Title: in.Title, Labels: in.Labels}, Likelihood: in.Likelihood, Owner: owner, Body: in.Body}, err
		}),
		cairn.ListVerb(Risks, cairn.Verb{
			Title: "List risks", Summary: "List the risks that fit all filters given, the newest first.",
			When: "With status open it shows what is not dealt with.",
		}, func(r Risk) row { return row{r.Ref.ID, r.Title, r.Status, r.Likelihood, r.Owner} }),
		cairn.ChangeVerb(Risks, "close", cairn.Verb{
			Title: "Close a risk", Profile: cairn.Operator, Summary: "Close a risk, as mitigated or as accepted.",
			When: "Tasks that wait for it can begin then. To accept a risk takes a reason.",
		}, func(in closeIn) ID { return in.ID }, func(w *cairn.Caller, r Risk, in closeIn) (Risk, error) {
			return Risks.Move(r, in.As, w.Stamp(in.Reason))
		}))
}

type createIn struct {
	Title      string   `json:"title" doc:"what may go wrong, on one line" cli:"arg"`
	Likelihood string   `json:"likelihood" doc:"how likely it is: low, medium or high" values:"low,medium,high"`
	Owner      string   `json:"owner,omitempty" doc:"who watches it; me for you" from:"actors"`
	Labels     []string `json:"labels,omitempty" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	Body       string   `json:"body,omitempty" doc:"what would happen, and what can be done, in Markdown"`
	cairn.Once
}

type row struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	Status     cairn.Status `json:"status"`
	Likelihood string       `json:"likelihood"`
	Owner      cairn.Actor  `json:"owner,omitempty"`
}

type closeIn struct {
	ID     ID           `json:"id" doc:"risk to close" cli:"arg" names:"risk"`
	As     cairn.Status `json:"as" doc:"mitigated or accepted" values:"mitigated,accepted"`
	Reason string       `json:"reason,omitempty" doc:"what was done, or why it may stay as it is"`
	cairn.Once
}
