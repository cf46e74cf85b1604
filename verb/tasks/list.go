package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Status    string     `json:"status,omitempty" doc:"only tasks in this state" from:"states"`
	Assignee  *string    `json:"assignee" doc:"only tasks of this actor; me for yours, unassigned for nobody's" from:"actors"`
	Ready     *bool      `json:"ready" doc:"only tasks whose deps are all closed (true) or not (false)"`
	Execution string     `json:"execution,omitempty" doc:"only tasks whose session is active, stalled or awaiting_review" values:"active,stalled,awaiting_review"`
	Label     string     `json:"label,omitempty" doc:"only tasks with this label" from:"labels"`
	Priority  string     `json:"priority,omitempty" doc:"only tasks of this priority, 0 (drop everything) to 4 (someday)" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Parent    task.ID    `json:"parent,omitempty" doc:"only children of this task"`
	Text      string     `json:"text,omitempty" doc:"only tasks in whose id, title, body, labels or notes all of these words occur"`
	Sort      string     `json:"sort,omitempty" doc:"priority (the default: the most urgent first), created, updated (the newest first), title or id" values:"priority,created,updated,title,id"`
	Limit     verb.Count `json:"limit,omitempty" doc:"how many to return; 50 by default, 500 at most"`
	Cursor    string     `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// ListOut is a page of the graph.
type ListOut struct {
	Tasks      []verb.Row `json:"tasks"`
	Total      int        `json:"total"`                 // that fit the filters, on all pages
	NextCursor string     `json:"next_cursor,omitempty"` // of the next page, of tasks or of problems
	verb.Problems
}

// List returns the tasks that fit the filters, in the order asked for; equals by id.
func List(ctx context.Context, w *verb.Workspace, in ListIn) (ListOut, error) {
	s, err := w.Open()
	if err != nil {
		return ListOut{}, err
	}
	in.Sort = cmp.Or(in.Sort, byPriority)
	keep, err := NewFilter(w, s, in)
	if err != nil {
		return ListOut{}, err
	}
	all, problems, err := w.Reads.List(ctx, s)
	if err != nil {
		return ListOut{}, err
	}
	keep.body = s.Body
	view, find := w.View(s).OfMany(), w.FindIn(s, all)
	var rows []verb.Ranked[verb.Row]
	for _, t := range all {
		if !keep.Fits(t) {
			continue
		}
		if row := view.WholeRow(t, find); keep.fitsRow(row) {
			rows = append(rows, verb.Ranked[verb.Row]{At: orders[in.Sort](t), Item: row})
		}
	}
	page, err := verb.Page(rows, problems, w.PageIn(in.Sort, in.Cursor, in.Limit))
	for i, row := range page.Items {
		page.Items[i] = view.CutRow(row)
	}
	return ListOut{Tasks: page.Items, Total: page.Total, NextCursor: page.Next, Problems: page.Problems}, err
}

const byPriority = "priority"

// orders are the ways in which tasks can be sorted.
var orders = map[string]func(task.Task) verb.Position{
	byPriority: func(t task.Task) verb.Position { return verb.Position{Key: fmt.Sprint(t.Priority), ID: string(t.ID)} },
	"created": func(t task.Task) verb.Position {
		return verb.Position{Key: verb.OldestFirst(t.Provenance.First().At), ID: string(t.ID)}
	},
	"updated": func(t task.Task) verb.Position {
		return verb.Position{Key: verb.NewestFirst(t.Provenance.Last().At), ID: string(t.ID)}
	},
	"title": func(t task.Task) verb.Position { return verb.Position{Key: strings.ToLower(t.Title), ID: string(t.ID)} },
	"id":    func(t task.Task) verb.Position { return verb.Position{ID: string(t.ID)} },
}

// MoreUrgent sorts tasks by priority, and equals by id.
func MoreUrgent(a, b task.Task) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

// Filter is a ListIn that was checked.
type Filter struct {
	Assignee task.Actor // that the filter names, with me resolved

	in       ListIn
	priority task.Priority
	words    []string             // of Text, in lower case
	body     func(task.ID) string // reads what a list has a digest of
}

// NewFilter checks the filters of a list.
func NewFilter(w *verb.Workspace, s *store.Store, in ListIn) (Filter, error) {
	if _, ok := orders[in.Sort]; !ok && in.Sort != "" {
		return Filter{}, verb.BadInput("sort", "is %q", in.Sort).WithHint("priority, created, updated, title or id")
	}
	f := Filter{in: in, words: strings.Fields(strings.ToLower(in.Text))}
	if in.Status != "" {
		if err := s.Config.Flow.Known(task.Status(in.Status)); err != nil {
			return f, err
		}
	}
	executions := []string{string(session.Alive), string(session.Stalled), string(session.AwaitingReview)}
	if in.Execution != "" && !slices.Contains(executions, in.Execution) {
		return f, verb.BadInput("execution", "is %q", in.Execution).WithHint("active, stalled or awaiting_review")
	}
	priority, err := task.ParsePriority(in.Priority)
	if err != nil {
		return f, err
	}
	f.priority = priority
	if err := verb.ValidLimit(in.Limit); err != nil {
		return f, err
	}
	if in.Assignee != nil {
		who, err := w.ActorNamed(*in.Assignee)
		if err != nil {
			return f, err
		}
		f.Assignee = who
	}
	return f, nil
}

// Fits reports whether what the file of a task says fits.
func (f Filter) Fits(t task.Task) bool {
	in := f.in
	return (in.Status == "" || string(t.Status) == in.Status) &&
		(in.Assignee == nil || t.Assignee == f.Assignee) &&
		(in.Label == "" || slices.Contains(t.Labels, in.Label)) &&
		(in.Priority == "" || t.Priority == f.priority) &&
		(in.Parent == "" || t.Parent == in.Parent) &&
		f.mentions(t)
}

// fitsRow reports whether what is derived of a task fits. One that was carried further elsewhere is not ready here.
func (f Filter) fitsRow(r verb.Row) bool {
	return (f.in.Ready == nil || (r.Ready && r.Elsewhere == nil) == *f.in.Ready) &&
		(f.in.Execution == "" || r.Execution == f.in.Execution)
}

// mentions reports whether every word occurs in what a task says.
func (f Filter) mentions(t task.Task) bool {
	if len(f.words) == 0 {
		return true
	}
	said := []string{string(t.ID), t.Title, strings.Join(t.Labels, " ")}
	if !record.Digested(t.Body) {
		said = append(said, t.Body)
	}
	for _, e := range t.Provenance {
		said = append(said, e.Text)
	}
	left := absent(f.words, strings.Join(said, "\n"))
	return len(left) == 0 || record.Digested(t.Body) && len(absent(left, f.body(t.ID))) == 0
}

// absent are the words, in lower case, that do not occur in a text.
func absent(words []string, text string) []string {
	text = strings.ToLower(text)
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(text, word) })
}
