// Package decisions holds the verbs of decisions: what was decided, why, and which paths it governs.
package decisions

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// LogIn is the input of Log.
type LogIn struct {
	Title      string            `json:"title" doc:"what is decided about, on one line" cli:"arg"`
	Choice     string            `json:"choice" doc:"what was chosen, in a sentence or two" cli:"arg"`
	Context    string            `json:"context,omitempty" doc:"what led to it, in Markdown"`
	Rationale  string            `json:"rationale,omitempty" doc:"why this and nothing else, in Markdown"`
	Options    []OptionIn        `json:"options,omitempty" doc:"what was weighed"`
	Status     record.Status     `json:"status,omitempty" doc:"proposed, accepted or rejected; accepted for a person and proposed for an agent if left out" enum:"proposed,accepted,rejected"`
	Supersedes ledger.DecisionID `json:"supersedes,omitempty" doc:"decision whose place it takes once it is accepted" names:"decision"`
	Scope      []string          `json:"scope,omitempty" doc:"globs of the paths that it governs, such as src/auth/**; ** for everything"`
	About      []verb.RecordID   `json:"about,omitempty" doc:"tasks and other records that it is about"`
	Labels     []string          `json:"labels,omitempty" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	verb.Once
}

// OptionIn is an option that was weighed.
type OptionIn struct {
	Label   string `json:"label" doc:"its name"`
	Summary string `json:"summary,omitempty" doc:"what it is"`
	Pros    string `json:"pros,omitempty" doc:"what speaks for it"`
	Cons    string `json:"cons,omitempty" doc:"what speaks against it"`
}

// Flags declares how an option is given on the command line. What speaks for and against it comes with --input.
func (OptionIn) Flags() []verb.ObjectFlag {
	return []verb.ObjectFlag{{Name: "option", Form: "'LABEL=SUMMARY'", Parse: func(value string) (map[string]any, error) {
		label, summary, _ := strings.Cut(value, "=")
		return map[string]any{"label": strings.TrimSpace(label), "summary": strings.TrimSpace(summary)}, nil
	}}}
}

// Log records a decision.
func Log(ctx context.Context, w *verb.Workspace, s *store.Store, in LogIn) (verb.Record, error) {
	d := in.decision()
	return verb.CreateRecord(ctx, w, s, kind.Decisions, func(tx *store.Tx, token string) (ledger.Decision, error) {
		if err := verb.Exist(tx, in.About); err != nil {
			return d, err
		}
		made, err := ledger.NewDecision(s.Config.Flow, d, token, kind.Decisions.Find(tx), w.Stamp(""))
		if err == nil {
			err = w.Confirmed(made.Asks(s.Config.Flow, "", w.Stamp("")))
		}
		return made, err
	})
}

func (in LogIn) decision() ledger.Decision {
	d := ledger.Decision{
		Header: record.Header{Title: in.Title, Status: in.Status, Labels: in.Labels},
		Choice: in.Choice, Supersedes: in.Supersedes, Scope: in.Scope, About: verb.AsTexts(in.About), Body: ledger.DecisionBody(in.Context, in.Rationale),
	}
	for _, o := range in.Options {
		d.Options = append(d.Options, ledger.Option{
			Label: o.Label, Summary: record.CleanBody(o.Summary), Pros: record.CleanBody(o.Pros), Cons: record.CleanBody(o.Cons),
		})
	}
	return d
}

// SetStatusIn is the input of SetStatus.
type SetStatusIn struct {
	ID          ledger.DecisionID `json:"id" doc:"decision to move" cli:"arg" names:"decision"`
	Status      record.Status     `json:"status" doc:"proposed, accepted or rejected" cli:"arg" enum:"proposed,accepted,rejected"`
	Reason      string            `json:"reason,omitempty" doc:"why, for the record"`
	ExpectedRev string            `json:"expected_rev,omitempty" doc:"rev that the decision must still have, else CONFLICT"`
	verb.Once
}

// SetStatus moves a decision from state to state.
func SetStatus(ctx context.Context, w *verb.Workspace, s *store.Store, in SetStatusIn) (verb.Record, error) {
	return verb.Change{Kind: kind.Decisions.Kind, IDs: []string{string(in.ID)}, ExpectedRev: in.ExpectedRev, Decide: func(wc verb.WriteContext) (any, error) {
		return wc.Was.(ledger.Decision).SetStatus(s.Config.Flow, in.Status, w.Stamp(in.Reason))
	}}.Record(ctx, w, s)
}

// Verbs are the verbs of decisions. Reading one, noting on it, waiting for it and its history need none: get, note,
// wait and history take its id.
var Verbs = verb.Group{Name: "ledger", Noun: "decision", Toolset: verb.Ledger}.Of(
	verb.Declare(Log, verb.Verb{Name: "decision_log", Title: "Log a decision", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Record what was decided, why, and which paths it governs.",
		When:    "When a choice will bind later work. It is never edited: to change it, log one with supersedes. A person's counts at once, an agent's once a person accepts it.",
	}),
	verb.Declare(SetStatus, verb.Verb{Name: "decision_set_status", Title: "Accept or reject a decision",
		Kind: verb.Write, Profile: verb.Operator, Idempotent: true,
		Summary: "Move a decision to proposed, accepted or rejected.",
		When:    "To accept what an agent proposed, or to turn it down. What is decided stays as it is.",
	}),
	verb.Declare(Query, verb.Verb{Name: "decision_query", Title: "Find decisions", Lists: ledger.DecisionKind,
		Summary: "List the decisions that fit all filters given, the newest first.",
		When:    "With path before changing files that a task does not name. begin and get with mode context bring those that govern the task.",
	}),
)
