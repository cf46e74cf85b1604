package verb

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// ProposeIn is the input of Propose.
type ProposeIn struct {
	Tasks   []PlanItem `json:"tasks" doc:"tasks as plan takes them" cli:"file"`
	Summary string     `json:"summary" doc:"what the plan is for; 4 KiB at most"`
	Once
}

// Proposal is a plan that waits for somebody to make it real.
type Proposal struct {
	Proposal string `json:"proposal"` // its id, for plan
	Summary  string `json:"summary"`
	Path     string `json:"path"`  // of its file, from the workspace root
	Tasks    []Row  `json:"tasks"` // as they would be; #0 stands for the id of the first
	Replayed bool   `json:"replayed,omitempty"`
}

// Propose stores a plan for others to read. It must be one that plan would make now.
func (w *Workspace) Propose(ctx context.Context, in ProposeIn) (Proposal, error) {
	if err := task.RequiredText("summary", in.Summary, "say what the plan is for"); err != nil {
		return Proposal{}, err
	}
	s, err := w.open()
	if err != nil {
		return Proposal{}, err
	}
	plan := PlanIn{Tasks: in.Tasks}
	if _, err := plan.items(s); err != nil {
		return Proposal{}, err
	}
	tasks, err := w.plannedTasks(s, in.Tasks)
	if err != nil {
		return Proposal{}, err
	}
	dry, err := w.dryRun(s, tasks)
	if err != nil {
		return Proposal{}, err
	}
	items, err := json.Marshal(w.withoutMe(in.Tasks))
	if err != nil {
		return Proposal{}, err
	}
	token, err := task.Token(w.Now(), w.Rand)
	if err != nil {
		return Proposal{}, err
	}
	p := store.Proposal{ID: store.ProposalPrefix + "-" + token, Summary: in.Summary, Tasks: items}
	err = w.update(ctx, s, func(tx *store.Tx) error {
		if err := w.proposed(s); err != nil {
			return err
		}
		w.remember(tx, "", p.ID)
		return tx.Propose(p, w.stamp(""))
	})
	return Proposal{Proposal: p.ID, Summary: p.Summary, Path: s.ProposalFile(p.ID), Tasks: dry.Tasks}, err
}

// withoutMe names the proposer where the tasks of a proposal say me: somebody else may make it real.
func (w *Workspace) withoutMe(items []PlanItem) []PlanItem {
	out := slices.Clone(items)
	for i := range out {
		out[i].Checks = slices.Clone(out[i].Checks)
		for n, c := range out[i].Checks {
			out[i].Checks[n].By = w.by(c.By)
		}
	}
	return out
}

// proposed is recorded for proposals, which have no task whose entries could say it.
func (w *Workspace) proposed(s *store.Store) error {
	if w.once == nil {
		return nil
	}
	all, err := s.Proposals()
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := w.among(p.Provenance, session.Key{Session: p.ID}); err != nil {
			return err
		}
	}
	return nil
}

// again shows what was proposed. What would come of it today is plan's to say.
func (Proposal) again(_ *Workspace, s *store.Store, key session.Key) (any, error) {
	p, err := s.Proposal(key.Session)
	return Proposal{Proposal: p.ID, Summary: p.Summary, Path: s.ProposalFile(p.ID), Tasks: []Row{}, Replayed: true}, notHere(err, key.Session)
}

// readItems reads the tasks of a stored proposal as strictly as any input.
func readItems(stored json.RawMessage) ([]PlanItem, error) {
	var in PlanIn
	whole, err := json.Marshal(map[string]json.RawMessage{"tasks": stored})
	if err == nil {
		v := reflect.ValueOf(&in).Elem()
		err = decode(whole, v, clearing(fieldsOf(v.Type())))
	}
	return in.Tasks, err
}
