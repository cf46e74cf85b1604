package proposals

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// ProposeIn is the input of Propose.
type ProposeIn struct {
	Tasks   []PlanItem `json:"tasks" doc:"tasks as plan takes them" cli:"file"`
	Summary string     `json:"summary" doc:"what the plan is for; 4 KiB at most"`
	verb.Once
}

// Proposal is a plan that waits for somebody to make it real.
type Proposal struct {
	Proposal string     `json:"proposal"` // its id, for plan
	Summary  string     `json:"summary"`
	Path     string     `json:"path"`  // of its file, from the workspace root
	Tasks    []verb.Row `json:"tasks"` // as they would be; #0 stands for the id of the first
	Replayed bool       `json:"replayed,omitempty"`
}

// Propose stores a plan for others to read. It must be one that plan would make now.
func Propose(ctx context.Context, w *verb.Workspace, in ProposeIn) (Proposal, error) {
	if err := task.RequiredText("summary", in.Summary, "say what the plan is for"); err != nil {
		return Proposal{}, err
	}
	s, err := w.Open()
	if err != nil {
		return Proposal{}, err
	}
	plan := PlanIn{Tasks: in.Tasks}
	if _, err := plan.items(s); err != nil {
		return Proposal{}, err
	}
	tasks, err := plannedTasks(w, s, in.Tasks)
	if err != nil {
		return Proposal{}, err
	}
	dry, err := dryRun(w, s, tasks)
	if err != nil {
		return Proposal{}, err
	}
	items, err := json.Marshal(withoutMe(w, in.Tasks))
	if err != nil {
		return Proposal{}, err
	}
	token, err := task.Token(w.Now(), w.Rand)
	if err != nil {
		return Proposal{}, err
	}
	p := store.Proposal{ID: store.ProposalPrefix + "-" + token, Summary: in.Summary, Tasks: items}
	err = w.Update(ctx, s, func(tx *store.Tx) error {
		if err := proposed(w, s); err != nil {
			return err
		}
		w.Idempotency.Remember(tx, session.Key{Session: p.ID})
		return tx.Propose(p, w.Stamp(""))
	})
	return Proposal{Proposal: p.ID, Summary: p.Summary, Path: s.ProposalFile(p.ID), Tasks: dry.Tasks}, err
}

// withoutMe names the proposer where the tasks of a proposal say me: somebody else may make it real.
func withoutMe(w *verb.Workspace, items []PlanItem) []PlanItem {
	out := slices.Clone(items)
	for i := range out {
		out[i].Checks = slices.Clone(out[i].Checks)
		for n, c := range out[i].Checks {
			out[i].Checks[n].By = tasks.AttesterNamed(w, c.By)
		}
	}
	return out
}

// proposed is recorded for proposals, which have no task whose entries could say it.
func proposed(w *verb.Workspace, s *store.Store) error {
	if !w.Idempotency.Given() {
		return nil
	}
	all, err := s.Proposals()
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := w.Idempotency.Recorded(p.Provenance, session.Key{Session: p.ID}); err != nil {
			return err
		}
	}
	return nil
}

// Replay shows what was proposed. What would come of it today is plan's to say.
func (Proposal) Replay(_ *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	p, err := s.Proposal(key.Session)
	return Proposal{Proposal: p.ID, Summary: p.Summary, Path: s.ProposalFile(p.ID), Tasks: []verb.Row{}, Replayed: true}, verb.NotHere(err, key.Session)
}

// readItems reads the tasks of a stored proposal as strictly as any input.
func readItems(stored json.RawMessage) ([]PlanItem, error) {
	whole, err := json.Marshal(map[string]json.RawMessage{"tasks": stored})
	if err != nil {
		return nil, err
	}
	in, err := verb.DecodeInput[PlanIn](whole)
	return in.Tasks, err
}
