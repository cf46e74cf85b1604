package proposals

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
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
	Path     string     `json:"path"`                // of its file, from the workspace root
	Tasks    []verb.Row `json:"tasks" result:"rows"` // as they would be; #0 stands for the id of the first
	Replayed bool       `json:"replayed,omitempty"`
}

// Short leaves out what the caller wrote.
func (p Proposal) Short(verb.Verb) any {
	return struct {
		Proposal string       `json:"proposal"`
		Path     string       `json:"path"`
		Tasks    []verb.Short `json:"tasks"`
		Replayed bool         `json:"replayed,omitempty"`
	}{p.Proposal, p.Path, verb.ShortRows(p.Tasks), p.Replayed}
}

// Propose stores a plan for others to read. It must be one that plan would make now.
func Propose(ctx context.Context, w *verb.Workspace, s *store.Store, in ProposeIn) (Proposal, error) {
	if err := record.RequiredText("summary", in.Summary, "say what the plan is for"); err != nil {
		return Proposal{}, err
	}
	if _, err := (PlanIn{Tasks: in.Tasks}).items(s); err != nil {
		return Proposal{}, err
	}
	tasks, err := plannedTasks(w, s, in.Tasks)
	if err != nil {
		return Proposal{}, err
	}
	rows, err := dryRun(w, s, tasks)
	if err != nil {
		return Proposal{}, err
	}
	items, err := json.Marshal(withoutMe(w.Actor(), in.Tasks))
	if err != nil {
		return Proposal{}, err
	}
	ref, err := verb.Create(ctx, w, s, kind.Proposals, func(_ *store.Tx, token string) (task.Proposal, error) {
		return task.Proposal{
			ID: task.ProposalPrefix + "-" + token, Summary: in.Summary, Tasks: items,
			Provenance: record.Log{}.Add(w.Stamp("").Entry(record.Created)),
		}, proposed(ctx, w, s)
	})
	return Proposal{Proposal: ref.ID, Summary: in.Summary, Path: kind.Proposals.File(ref.ID), Tasks: rows}, err
}

// withoutMe names the proposer where the tasks of a proposal say me: somebody else may make it real.
func withoutMe(proposer record.Actor, items []PlanItem) []PlanItem {
	out := slices.Clone(items)
	for i := range out {
		for _, who := range []*string{&out[i].Assignee, &out[i].Reviewer} {
			if verb.IsMe(*who) {
				*who = string(proposer)
			}
		}
		out[i].Checks = slices.Clone(out[i].Checks)
		for n, c := range out[i].Checks {
			if verb.IsMe(c.By) {
				out[i].Checks[n].By = string(proposer)
			}
		}
	}
	return out
}

// proposed is recorded for proposals, which have no task whose entries could say it.
func proposed(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	if !w.Idempotency.Given() {
		return nil
	}
	all, _, err := kind.Proposals.List(ctx, s)
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

// pending returns CONFLICT if a proposal was made real already and a task of it is still there.
func pending(r kind.Reader, p task.Proposal) error {
	find := kind.Tasks.Find(r)
	for _, id := range p.Made {
		if _, ok := find(id); ok {
			return record.Errorf(record.Conflict, "%s was made real before, as %s", p.ID, firstOf(p.Made)).
				WithHint("%s shows its tasks", record.CallTo("list"))
		}
	}
	return nil
}

const maxNamed = 8 // tasks in a message

// firstOf names the first tasks that a proposal was made into, and says how many more there are.
func firstOf(made []record.ID) string {
	shown := min(len(made), maxNamed)
	return record.JoinIDs(made[:shown], ", ") + record.AndMore(len(made)-shown)
}

// makeReal stages that a proposal was made real, by tasks that the same write creates. It returns CONFLICT if that
// happened before.
func makeReal(tx *store.Tx, id string, made []record.ID, s record.Stamp) error {
	p, err := kind.Proposals.Get(tx, id)
	if err == nil {
		err = pending(tx, p)
	}
	if err != nil {
		return err
	}
	s.Text = task.MadeReal
	p.Made, p.Provenance = made, p.Provenance.Add(s.Entry(record.Updated))
	kind.Proposals.Put(tx, p)
	return nil
}

// Replay shows what was proposed. What would come of it today is plan's to say.
func (Proposal) Replay(_ *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	p, err := kind.Proposals.Get(s, verb.MadeID(key))
	return Proposal{Proposal: p.ID, Summary: p.Summary, Path: kind.Proposals.File(p.ID), Tasks: []verb.Row{}}, err
}

// storedItems reads the tasks of a stored proposal as strictly as any input. Where they say me, that is the proposer.
// If no entry says who proposed it, it is who makes it real. It returns INVALID_INPUT if there are none or too many.
func storedItems(p task.Proposal) ([]PlanItem, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(p.Tasks, &raw); err == nil && len(raw) == 0 {
		return nil, verb.BadInput("proposal", "is %s, which has no tasks", p.ID).WithHint("propose the tasks again; %s shows what is stored", record.CallTo("get_proposal", "proposal", p.ID))
	}
	if len(raw) > maxPlan {
		return nil, verb.BadInput("proposal", "is %s, which has %d tasks, more than %d", p.ID, len(raw), maxPlan).WithHint("propose the tasks again, in several plans")
	}
	whole, err := json.Marshal(map[string]json.RawMessage{"tasks": p.Tasks})
	if err != nil {
		return nil, err
	}
	in, err := verb.DecodeInput[PlanIn](whole)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(p.Provenance, func(e record.Entry) bool { return e.Did == record.Created }); i >= 0 {
		return withoutMe(p.Provenance[i].Who, in.Tasks), nil
	}
	return in.Tasks, nil
}
