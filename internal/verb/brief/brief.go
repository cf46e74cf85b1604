// Package brief holds the verb that shows a workspace in one answer, for who comes to it anew.
package brief

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Verbs are the verbs about a whole workspace.
var Verbs = verb.Group{Name: "ledger", Toolset: verb.Ledger}.Of(
	verb.Declare(Brief, verb.Verb{Name: "brief", Title: "Read the brief",
		Summary: "Show the whole workspace in one short answer: counts, the most urgent tasks, decisions, knowledge, open handoffs, what happened last.",
		When:    "When you come to a workspace that you do not know, or come back after a pause.",
	}),
)

// In is the input of Brief.
type In struct {
	Parent       record.ID  `json:"parent,omitempty" doc:"only this task and those below it, and what is about them"`
	MaxTasks     verb.Count `json:"max_tasks,omitempty" doc:"open tasks to show; 10 by default, 50 at most"`
	MaxDecisions verb.Count `json:"max_decisions,omitempty" doc:"decisions to show; 5 by default, 50 at most"`
	MaxKnowledge verb.Count `json:"max_knowledge,omitempty" doc:"notes of knowledge to show; 10 by default, 50 at most"`
	MaxActivity  verb.Count `json:"max_activity,omitempty" doc:"records that were written last to show; 5 by default, 50 at most"`
}

// Out is a workspace, or the part of it below one task, in at most 8 KiB of JSON. Titles are cut, and lists end early
// where they would not fit; the counts say how many there are.
type Out struct {
	Workspace    string     `json:"workspace"`        // the prefix of its ids
	Parent       *Task      `json:"parent,omitempty"` // the task that was asked for
	Tasks        []Count    `json:"tasks"`            // in each state, in the order of the config
	Open         int        `json:"open"`             // tasks that are not closed
	Ready        int        `json:"ready"`            // of these, those that next would hand out
	Blocked      int        `json:"blocked"`          // and those that wait for others, or for their children
	Held         int        `json:"held"`             // and those that somebody has taken up
	Assigned     int        `json:"assigned"`         // and those that were given to somebody who did not begin
	Top          []Task     `json:"top"`              // the most urgent open tasks
	Decisions    []Decision `json:"decisions"`        // that govern, the newest first
	Knowledge    []Titled   `json:"knowledge"`        // active, the newest first
	Handoffs     []Titled   `json:"handoffs"`         // that wait for somebody, the newest first
	Repositories []Titled   `json:"repositories"`     // that were registered
	Activity     []Activity `json:"activity"`         // the last write of the records that were written last
	Totals       Totals     `json:"totals"`           // of what may be cut above
	verb.Problems
}

// Count is how many tasks are in a state.
type Count struct {
	Status record.Status `json:"status"`
	Count  int           `json:"count"`
}

// Task is a task in a brief.
type Task struct {
	ID       record.ID     `json:"id"`
	Title    string        `json:"title"`
	Status   record.Status `json:"status"`
	Priority task.Priority `json:"priority"`
	Assignee record.Actor  `json:"assignee,omitempty"`
	Blocked  bool          `json:"blocked,omitempty"`
	Due      string        `json:"due,omitempty"`
}

// Decision is a decision in a brief.
type Decision struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Choice string `json:"choice,omitempty"`
}

// Titled is a record in a brief of which the title says enough.
type Titled struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Type   string        `json:"type,omitempty"`
	Status record.Status `json:"status,omitempty"`
}

// Activity is the last write of a record.
type Activity struct {
	At    time.Time    `json:"at"`
	Who   record.Actor `json:"who"`
	Did   record.Did   `json:"did"`
	ID    string       `json:"id"`
	Title string       `json:"title,omitempty"`
}

// Totals are how many records there are of which a brief shows the first.
type Totals struct {
	Decisions    int `json:"decisions"`
	Knowledge    int `json:"knowledge"`
	Handoffs     int `json:"handoffs"`
	Repositories int `json:"repositories"`
}

const (
	maxShown   = 50
	titleShown = 120     // bytes
	room       = 8 << 10 // bytes of JSON

	problemsShown = 3 // files that could not be read
)

func (in *In) valid() error {
	for _, limit := range []struct {
		name  string
		n     *verb.Count
		usual verb.Count
	}{
		{"max_tasks", &in.MaxTasks, 10}, {"max_decisions", &in.MaxDecisions, 5},
		{"max_knowledge", &in.MaxKnowledge, 10}, {"max_activity", &in.MaxActivity, 5},
	} {
		if *limit.n > maxShown {
			return verb.BadInput(limit.name, "is %d", *limit.n).WithHint("1 to %d", maxShown)
		}
		*limit.n = cmp.Or(*limit.n, limit.usual)
	}
	return nil
}

// Brief shows a workspace. It reads rows, and the files of the few records that it shows.
func Brief(ctx context.Context, w *verb.Workspace, s *store.Store, in In) (Out, error) {
	if err := in.valid(); err != nil {
		return Out{}, err
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return Out{}, err
	}
	b := reader{ctx: ctx, w: w, s: s, g: g, in: in}
	if in.Parent != "" {
		if b.within, err = g.Below(in.Parent); err != nil {
			return Out{}, err
		}
	}
	out := Out{Workspace: s.Config.Prefix, Problems: verb.ProblemsOf(g.Problems(), problemsShown)}
	b.tasks(&out)
	if err := b.records(&out); err != nil {
		return Out{}, err
	}
	return out.fitted(), nil
}

type reader struct {
	ctx    context.Context //nolint:containedctx // of the one call that it serves
	w      *verb.Workspace
	s      *store.Store
	g      *verb.Graph
	in     In
	within map[string]bool // the tasks that it is about; nil for all

	recent []written
}

func (b *reader) tasks(out *Out) {
	flow := b.s.Config.Flow
	counts := map[record.Status]int{}
	var open []*kind.Row
	keep := func(r *kind.Row) bool { return b.within == nil || b.within[r.ID] }
	for _, r := range b.g.Rows() {
		if !keep(r) {
			continue
		}
		counts[r.Status]++
		b.note(kind.Tasks.Kind, r)
		if !flow.IsClosed(r.Status) {
			open = append(open, r)
		}
	}
	for _, status := range flow.States {
		out.Tasks = append(out.Tasks, Count{status, counts[status]})
	}
	free, rest := tasks.Survey(b.ctx, b.w, b.s, b.g, keep)
	out.Open, out.Ready, out.Blocked, out.Held, out.Assigned = len(open), len(free), rest.Blocked, rest.Held, rest.Assigned
	out.Top = []Task{}
	view := b.w.View(b.s).OfMany(b.ctx)
	for _, r := range tasks.Foremost(open, int(b.in.MaxTasks)) {
		out.Top = append(out.Top, taskOf(view, b.g, r))
	}
	if b.in.Parent != "" {
		t := taskOf(view, b.g, b.g.Row(b.in.Parent))
		out.Parent = &t
	}
}

func taskOf(view verb.View, g *verb.Graph, r *kind.Row) Task {
	return Task{
		ID: record.ID(r.ID), Title: verb.Head(r.Title, titleShown), Status: r.Status, Priority: r.Priority,
		Assignee: r.Assignee, Blocked: view.Stand(g, g.Set().Number(r.ID)).Is(task.IsBlocked), Due: r.Fact(kind.DueFact),
	}
}

func (b *reader) records(out *Out) error {
	decisions, err := b.decisions()
	if err != nil {
		return err
	}
	out.Totals.Decisions, out.Decisions = len(decisions), []Decision{}
	for _, r := range decisions[:min(len(decisions), int(b.in.MaxDecisions))] {
		out.Decisions = append(out.Decisions, b.decision(r))
	}
	for _, list := range []struct {
		kind   *kind.Kind
		states []record.Status
		most   verb.Count
		shown  *[]Titled
		total  *int
	}{
		{kind.Knowledge.Kind, []record.Status{ledger.NoteActive}, b.in.MaxKnowledge, &out.Knowledge, &out.Totals.Knowledge},
		{kind.Handoffs.Kind, []record.Status{ledger.HandoffOpen, ledger.HandoffClaimed, ledger.HandoffResponded}, maxOthers, &out.Handoffs, &out.Totals.Handoffs},
		{kind.Repositories.Kind, []record.Status{ledger.RepositoryActive}, maxOthers, &out.Repositories, &out.Totals.Repositories},
	} {
		rows, err := b.rows(list.kind, list.states...)
		if err != nil {
			return err
		}
		*list.total, *list.shown = len(rows), []Titled{}
		for _, r := range rows[:min(len(rows), int(list.most))] {
			*list.shown = append(*list.shown, Titled{r.ID, verb.Head(r.Title, titleShown), r.Fact(kind.TypeFact), r.Status})
		}
	}
	out.Activity = b.activity()
	return nil
}

const maxOthers = 10 // handoffs, and repositories

// rows lists the records of a kind in some of its states that belong into the brief, the newest first; handoffs also
// from the work trees and the branches of tasks.
func (b *reader) rows(k *kind.Kind, in ...record.Status) ([]*kind.Row, error) {
	all, err := b.look(k)
	if err != nil {
		return nil, err
	}
	if k == kind.Handoffs.Kind {
		away, err := handoffs.Away(b.ctx, b.w, b.s, b.g)
		if err != nil {
			return nil, err
		}
		all = slices.Clone(all)
		for _, a := range away {
			all = append(all, a.Row)
		}
	}
	return verb.NewestRows(all, func(r *kind.Row) bool { return b.keeps(r) && slices.Contains(in, r.Status) }), nil
}

// look returns the rows of all records of a kind, and notes those that belong into the brief.
func (b *reader) look(k *kind.Kind) ([]*kind.Row, error) {
	view, err := b.w.Reads.Look(b.ctx, b.s, k)
	if err != nil {
		return nil, err
	}
	for _, r := range view.Rows() {
		if b.keeps(r) {
			b.note(k, r)
		}
	}
	return view.Rows(), nil
}

// keeps reports whether a record that is no task belongs into the brief: into one of a part by what it is about.
func (b *reader) keeps(r *kind.Row) bool {
	return b.within == nil || slices.ContainsFunc(r.All(kind.AboutFact), func(id string) bool { return b.within[id] })
}

// decisions lists the decisions that govern, the newest first: those that another has taken the place of are history.
func (b *reader) decisions() ([]*kind.Row, error) {
	all, err := b.look(kind.Decisions.Kind)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(verb.GoverningRows(all), func(r *kind.Row) bool { return !b.keeps(r) }), nil
}

// decision shows a decision. What was chosen is in its file alone.
func (b *reader) decision(r *kind.Row) Decision {
	out := Decision{ID: r.ID, Title: verb.Head(r.Title, titleShown)}
	if d, err := kind.Decisions.Get(b.s, ledger.DecisionID(r.ID)); err == nil {
		out.Choice = verb.Head(d.Choice, titleShown)
	}
	return out
}

type written struct {
	kind *kind.Kind
	row  *kind.Row
}

// note remembers a record among those that were written last.
func (b *reader) note(k *kind.Kind, r *kind.Row) {
	most := int(b.in.MaxActivity)
	if len(b.recent) == most && b.recent[most-1].row.Newest >= r.Newest {
		return
	}
	at, _ := slices.BinarySearchFunc(b.recent, r.Newest, func(w written, newest int64) int { return cmp.Compare(newest, w.row.Newest) })
	b.recent = slices.Insert(b.recent, at, written{k, r})
	b.recent = b.recent[:min(len(b.recent), most)]
}

func (b *reader) activity() []Activity {
	out := []Activity{}
	for _, w := range b.recent {
		v, err := b.w.Reads.Of(b.s).Read(w.kind, w.row.ID)
		if err != nil {
			continue
		}
		e := w.kind.Header(v).Log.Last()
		out = append(out, Activity{At: e.At, Who: e.Who, Did: e.Did, ID: w.row.ID, Title: verb.Head(w.row.Title, titleShown)})
	}
	return out
}

// fitted returns the brief with so much of each list that it has room. The longest list gives up its last items first;
// the counts of the states stay.
func (o Out) fitted() Out {
	for verb.SizeOf(o) > room {
		longest, most := reflect.Value{}, 0
		for _, list := range []any{&o.Activity, &o.Knowledge, &o.Top, &o.Decisions, &o.Handoffs, &o.Repositories} {
			v := reflect.ValueOf(list).Elem()
			if size := verb.SizeOf(v.Interface()); v.Len() > 0 && size > most {
				longest, most = v, size
			}
		}
		if most == 0 {
			break
		}
		longest.SetLen(longest.Len() - 1)
	}
	return o
}
