package risk

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Verbs are the verbs of risks. Reading, noting, waiting and history need none: get, note, wait and history take the id of a risk.
var Verbs = []verb.Verb{
	verb.Declare(verb.Verb{
		Name: "risk_create", Noun: "risk", Group: "risks", Toolset: verb.Core, Title: "Record a risk", Kind: verb.Write, Profile: verb.PairWorker,
		Summary: "Record something that may go wrong.",
		When:    "A task that must not begin before the risk is dealt with names it among its deps.",
	}, create),
	verb.Declare(verb.Verb{
		Name: "risk_list", Noun: "risk", Group: "risks", Toolset: verb.Core, Title: "List risks", Kind: verb.Read, Profile: verb.Viewer, Idempotent: true, Lists: "risk",
		Summary: "List the risks that fit all filters given, the newest first.",
		When:    "With status open it shows what is not dealt with.",
	}, verb.ListOf(Risks, rowOf)),
	verb.Declare(verb.Verb{
		Name: "risk_close", Noun: "risk", Group: "risks", Toolset: verb.Core, Title: "Close a risk", Kind: verb.Write, Profile: verb.Operator, Idempotent: true,
		Summary: "Close a risk, as mitigated or as accepted.",
		When:    "Tasks that wait for it can begin then. To accept a risk takes a reason.",
	}, closeRisk),
}

// Register adds risks to the table of kinds and their verbs to the catalogue. It is called once, before cmd.Main.
func Register() {
	kind.Register(Risks.Kind)
	catalogue.Add(Verbs...)
}

type createIn struct {
	Title      string     `json:"title" doc:"what may go wrong, on one line" cli:"arg"`
	Likelihood Likelihood `json:"likelihood" doc:"how likely it is: low, medium or high" values:"low,medium,high"`
	Owner      string     `json:"owner,omitempty" doc:"who watches it; me for you" from:"actors"`
	Labels     []string   `json:"labels,omitempty" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	Body       string     `json:"body,omitempty" doc:"what would happen, and what can be done, in Markdown"`
	verb.Once
}

func create(ctx context.Context, w *verb.Workspace, in createIn) (verb.Record, error) {
	owner, err := w.ActorNamed(in.Owner)
	if err != nil {
		return verb.Record{}, err
	}
	r := Risk{Header: record.Header{Title: in.Title, Labels: in.Labels}, Likelihood: in.Likelihood, Owner: owner, Body: in.Body}
	return verb.CreateRecord(ctx, w, Risks, func(token string, s record.Stamp) (Risk, error) { return Risks.New(r, token, s) })
}

type row struct {
	ID         string        `json:"id"`
	Title      string        `json:"title"`
	Status     record.Status `json:"status"`
	Likelihood Likelihood    `json:"likelihood"`
	Owner      record.Actor  `json:"owner,omitempty"`
}

func rowOf(r Risk) row { return row{r.Ref.ID, r.Title, r.Status, r.Likelihood, r.Owner} }

type closeIn struct {
	ID     ID            `json:"id" doc:"risk to close" cli:"arg" names:"risk"`
	As     record.Status `json:"as" doc:"mitigated or accepted" values:"mitigated,accepted"`
	Reason string        `json:"reason,omitempty" doc:"what was done, or why it may stay as it is"`
	verb.Once
}

func closeRisk(ctx context.Context, w *verb.Workspace, in closeIn) (verb.Record, error) {
	return verb.ChangeRecord(ctx, w, Risks, in.ID, func(r Risk) (Risk, error) { return Risks.Move(r, in.As, w.Stamp(in.Reason)) })
}
