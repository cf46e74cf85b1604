// Package milestones holds the verbs of milestones: what is to be reached by a date, and how far it is.
package milestones

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// AddIn is the input of Add.
type AddIn struct {
	Title  string   `json:"title" doc:"what is to be reached, on one line" cli:"arg"`
	Due    string   `json:"due,omitempty" doc:"by when: a date, a time, or how long from now, such as 7d or fri"`
	Body   string   `json:"body,omitempty" doc:"what it takes, in Markdown"`
	Labels []string `json:"labels,omitempty" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	verb.Once
}

// Add makes a milestone. It is open.
func Add(ctx context.Context, w *verb.Workspace, s *store.Store, in AddIn) (verb.Record, error) {
	due, err := verb.Due("due", in.Due, w.Now())
	if err != nil {
		return verb.Record{}, err
	}
	m := ledger.Milestone{Header: record.Header{Title: in.Title, Labels: in.Labels}, Due: due, Body: in.Body}
	return verb.CreateRecord(ctx, w, s, kind.Milestones, func(_ *store.Tx, token string) (ledger.Milestone, error) {
		return kind.Milestones.New(m, token, w.Stamp(""))
	})
}

// SetIn is the input of Set. What is left out stays.
type SetIn struct {
	ID          ledger.MilestoneID `json:"id" doc:"milestone to change" cli:"arg" names:"milestone"`
	Title       *string            `json:"title" doc:"new title"`
	Due         *string            `json:"due" doc:"by when; empty for none"`
	Body        *string            `json:"body" doc:"new text, in Markdown"`
	Labels      *[]string          `json:"labels" doc:"new labels, in place of the old" cli:"flag=label" from:"labels"`
	Status      *record.Status     `json:"status" doc:"open, reached or dropped" enum:"open,reached,dropped"`
	Reason      string             `json:"reason,omitempty" doc:"why, for the record"`
	ExpectedRev string             `json:"expected_rev,omitempty" doc:"rev that the milestone must still have, else CONFLICT"`
	verb.Once
}

// Set changes what a milestone says, or its state.
func Set(ctx context.Context, w *verb.Workspace, s *store.Store, in SetIn) (verb.Record, error) {
	c := ledger.MilestoneChange{Title: in.Title, Body: in.Body, Labels: in.Labels, Status: in.Status}
	if in.Due != nil {
		due, err := verb.Due("due", *in.Due, w.Now())
		if err != nil {
			return verb.Record{}, err
		}
		c.Due = &due
	}
	if err := record.ValidText("reason", in.Reason); err != nil {
		return verb.Record{}, err
	}
	return verb.Change{Kind: kind.Milestones.Kind, IDs: []string{string(in.ID)}, ExpectedRev: in.ExpectedRev, Decide: func(wc verb.WriteContext) (any, error) {
		return wc.Was.(ledger.Milestone).Change(c, w.Stamp(in.Reason))
	}}.Record(ctx, w, s)
}

// Progress is how far a milestone is, by its tasks. Those that were given up do not count.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
	Ready int `json:"ready"` // that next hands out
}

// String says how much is done.
func (p Progress) String() string { return fmt.Sprintf("%d of %d", p.Done, p.Total) }

// Row is a milestone in a list.
type Row struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Status   record.Status `json:"status"`
	Due      task.Due      `json:"due,omitempty"`
	Overdue  bool          `json:"overdue,omitempty"`
	Progress Progress      `json:"progress"` // of its tasks
}

// progressOf is how far each milestone is, and its tasks that are not closed, the most urgent first.
func progressOf(ctx context.Context, w *verb.Workspace, s *store.Store) (func(id string) (Progress, []*kind.Row), *verb.Graph, error) {
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	type found struct {
		Progress
		open []*kind.Row
	}
	all, view, flow := map[string]*found{}, w.View(s).OfMany(ctx), s.Config.Flow
	for n, r := range g.Rows() {
		id := r.OwnValue("milestone")
		if id == "" || flow.IsAbandoned(r.Status) {
			continue
		}
		if all[id] == nil {
			all[id] = &found{}
		}
		of := all[id]
		of.Total++
		switch {
		case flow.IsClosed(r.Status):
			of.Done++
		default:
			of.open = append(of.open, r)
			if view.Stand(g, n).Is(task.IsReady) {
				of.Ready++
			}
		}
	}
	return func(id string) (Progress, []*kind.Row) {
		if all[id] == nil {
			return Progress{}, nil
		}
		sorted.By(all[id].open, tasks.MoreUrgent)
		return all[id].Progress, all[id].open
	}, g, nil
}

func rowOf(w *verb.Workspace, m ledger.Milestone, p Progress) Row {
	return Row{m.Ref.ID, m.Title, m.Status, m.Due, m.Status == ledger.MilestoneOpen && m.Due.Passed(w.Now()), p}
}

// ListIn is the input of List.
type ListIn struct {
	Status record.Status `json:"status,omitempty" doc:"in this state" enum:"open,reached,dropped"`
	verb.Paging
}

// List returns the milestones, the newest first, in one state or in all.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[Row], error) {
	progress, _, err := progressOf(ctx, w, s)
	if err != nil {
		return verb.Items[Row]{}, err
	}
	return verb.ListOf(kind.Milestones, func(m ledger.Milestone) Row {
		p, _ := progress(m.Ref.ID)
		return rowOf(w, m, p)
	})(ctx, w, s, verb.ListOfIn{Status: in.Status, Paging: in.Paging})
}

// ShowIn is the input of Show.
type ShowIn struct {
	ID ledger.MilestoneID `json:"id" doc:"milestone to show" cli:"arg" names:"milestone"`
}

// Shown is a milestone, how far it is, and what is left of it.
type Shown struct {
	Row
	Body      string     `json:"body"`
	Tasks     []verb.Row `json:"tasks"` // that are not closed, the most urgent 50
	TasksLeft int        `json:"tasks_left,omitempty"`
}

const tasksShown = 50

// Show returns a milestone with its progress and its tasks that are not closed.
func Show(ctx context.Context, w *verb.Workspace, s *store.Store, in ShowIn) (Shown, error) {
	m, err := kind.Milestones.Get(s, in.ID)
	if err != nil {
		return Shown{}, err
	}
	progress, g, err := progressOf(ctx, w, s)
	if err != nil {
		return Shown{}, err
	}
	p, open := progress(m.Ref.ID)
	out := Shown{Row: rowOf(w, m, p), Body: m.Body, Tasks: []verb.Row{}, TasksLeft: max(0, len(open)-tasksShown)}
	view := w.View(s).OfMany(ctx)
	for _, r := range open[:min(len(open), tasksShown)] {
		out.Tasks = append(out.Tasks, view.Row(g, r))
	}
	return out, nil
}

// Verbs are the verbs of milestones. Notes, references and history need none: note, ref_add and history take the id.
var Verbs = verb.Group{Name: "ledger", Noun: "milestone", Toolset: verb.Ledger}.Of(
	verb.Declare(Add, verb.Verb{Name: "milestone_add", Title: "Add a milestone", Kind: verb.Write, Profile: verb.Operator,
		Summary: "Record something that is to be reached by a date.",
		When:    "Tasks that it takes name it as milestone, in create and update.",
	}),
	verb.Declare(Set, verb.Verb{Name: "milestone_set", Title: "Change a milestone", Kind: verb.Write, Profile: verb.Operator, Idempotent: true,
		Summary: "Change what a milestone says, its date or its state.",
		When:    "When it was reached, or is given up, or its date moves. Its tasks stay as they are.",
	}),
	verb.Declare(List, verb.Verb{Name: "milestone_list", Title: "List milestones", Lists: ledger.MilestoneKind,
		Summary: "List milestones with their dates and how many of their tasks are done, the newest first.",
		When:    "With status open it shows what is still to be reached, and what is overdue.",
	}),
	verb.Declare(Show, verb.Verb{Name: "milestone_show", Title: "Show a milestone",
		Summary: "Show a milestone: its date, how far it is, and its tasks that are not closed.",
		When:    "To see what is left of it. list with where milestone=ID has all its tasks.",
	}),
)
