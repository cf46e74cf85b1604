package proposals

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Row is a stored proposal in a list.
type Row struct {
	Proposal   string       `json:"proposal"` // its id
	Summary    string       `json:"summary"`
	State      State        `json:"state"`
	TasksTotal int          `json:"tasks_total"`    // how many tasks it has
	Made       []record.ID  `json:"made,omitempty"` // the tasks that were made from it
	By         record.Actor `json:"by,omitempty"`   // who proposed it
	At         *time.Time   `json:"at,omitempty"`
	MadeBy     record.Actor `json:"made_by,omitempty"` // who made it real the last time
	MadeAt     *time.Time   `json:"made_at,omitempty"`
}

// State says whether a proposal was made into tasks.
type State string

// The states.
const (
	Open State = "open"
	Made State = "made"
)

// Whole is a stored proposal with its plan and its entries.
type Whole struct {
	Row
	Tasks           []json.RawMessage `json:"tasks"`                      // as plan takes them; the first 50 for an agent
	Path            string            `json:"path"`                       // of its file, from the workspace root
	Provenance      []verb.Entry      `json:"provenance"`                 // the newest for an agent
	ProvenanceTotal int               `json:"provenance_total,omitempty"` // how many entries there are, if not all are here
	Rev             record.Rev        `json:"rev"`
	Rest            string            `json:"rest,omitempty"` // how to read what was cut
}

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	State State  `json:"state,omitempty" doc:"only those that are open, or that were made into tasks: open or made" oneof:"open,made"`
	Actor string `json:"actor,omitempty" doc:"only what this actor proposed; me for you" from:"actors"`
	verb.Paging
}

// ListOut is a page of proposals.
type ListOut struct {
	Proposals  []Row  `json:"proposals" result:"rows"`
	Total      int    `json:"total"`                 // that fit the filters, on all pages
	NextCursor string `json:"next_cursor,omitempty"` // of the next page, of proposals or of problems
	verb.Problems
}

// List returns the proposals that fit the filters, the newest first.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (ListOut, error) {
	who, err := w.ActorNamed(in.Actor)
	if err != nil {
		return ListOut{}, err
	}
	page, err := verb.ListRecords(ctx, w, s, kind.Proposals, in.Paging, func(p task.Proposal) (Row, bool) {
		r := rowOf(p)
		return r, (in.State == "" || in.State == r.State) && (in.Actor == "" || r.By == who)
	})
	return ListOut{Proposals: page.Items, Total: page.Total, NextCursor: page.NextCursor, Problems: page.Problems}, err
}

// GetIn is the input of Get.
type GetIn struct {
	Proposal string `json:"proposal" doc:"proposal to read" cli:"arg" names:"proposal"`
}

// Get returns a stored proposal: its plan, and what came of it.
func Get(_ context.Context, w *verb.Workspace, s *store.Store, in GetIn) (Whole, error) {
	p, err := kind.Proposals.Get(s, in.Proposal)
	if err != nil {
		return Whole{}, err
	}
	out := Whole{Row: rowOf(p), Tasks: itemsOf(p), Path: kind.Proposals.File(p.ID), Provenance: []verb.Entry{}, Rev: p.Rev}
	for _, e := range p.Provenance {
		out.Provenance = append(out.Provenance, verb.ViewEntry(e, nil))
	}
	if !w.Bounded {
		return out, nil
	}
	out.Tasks = out.Tasks[:verb.Fitting(out.Tasks, verb.Usual.List, verb.Usual.ListRoom)]
	if n := len(out.Provenance); n > verb.Usual.Entries {
		out.Provenance, out.ProvenanceTotal = out.Provenance[n-verb.Usual.Entries:], n
	}
	if len(out.Tasks) < out.TasksTotal || out.ProvenanceTotal > 0 {
		out.Rest = "get with the part file or provenance and offset reads what was cut, piece by piece"
	}
	return out, nil
}

// rowOf shows a proposal as a list does.
func rowOf(p task.Proposal) Row {
	first := p.Provenance.First()
	out := Row{Proposal: p.ID, Summary: p.Summary, State: Open, TasksTotal: len(itemsOf(p)), Made: p.Made, By: first.Who, At: momentOf(first)}
	if len(p.Made) > 0 {
		out.State = Made
	}
	for _, e := range p.Provenance {
		if e.Did == record.Updated && e.Text == task.MadeReal {
			out.MadeBy, out.MadeAt = e.Who, momentOf(e)
		}
	}
	return out
}

// itemsOf lists the tasks of a proposal as they are stored. Of a file in which they are no list it lists none.
func itemsOf(p task.Proposal) []json.RawMessage {
	items := []json.RawMessage{}
	_ = json.Unmarshal(p.Tasks, &items)
	return verb.NoNil(items)
}

func momentOf(e record.Entry) *time.Time {
	if e.At.IsZero() {
		return nil
	}
	at := e.At.UTC()
	return &at
}
