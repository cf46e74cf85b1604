package tasks

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Status    []string   `json:"status,omitempty" doc:"tasks in these states" from:"states"`
	Assignee  *string    `json:"assignee" doc:"an actor, me, or unassigned" from:"actors"`
	Ready     *bool      `json:"ready" doc:"whether all deps are closed"`
	Execution string     `json:"execution,omitempty" doc:"session active, stalled or awaiting_review" values:"active,stalled,awaiting_review"`
	Label     string     `json:"label,omitempty" doc:"tasks with this label" from:"labels"`
	Priority  string     `json:"priority,omitempty" doc:"0 (drop everything) to 4 (someday)" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Mode      string     `json:"mode,omitempty" doc:"auto, pair, or any: neither" values:"auto,pair,any"`
	Repo      string     `json:"repo,omitempty" doc:"tasks of this repository" cli:"flag=in-repo"`
	DueBefore string     `json:"due_before,omitempty" doc:"due before this date or time"`
	Parent    task.ID    `json:"parent,omitempty" doc:"children of this task"`
	Text      string     `json:"text,omitempty" doc:"words in id, title, body, labels or notes"`
	Sort      string     `json:"sort,omitempty" doc:"priority (default), created, updated (newest first), due, title or id" values:"priority,created,updated,due,title,id"`
	Limit     verb.Count `json:"limit,omitempty" doc:"50 by default, 500 at most"`
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
	g, err := w.Graph(ctx, s)
	if err != nil {
		return ListOut{}, err
	}
	view := w.View(s).OfMany(ctx)
	fit, err := keep.among(ctx, g, view)
	if err != nil {
		return ListOut{}, err
	}
	at := orders[in.Sort]
	ranked := make([]verb.Ranked[*record.Row], len(fit))
	for i, r := range fit {
		ranked[i] = verb.Ranked[*record.Row]{At: at(r), Item: r}
	}
	show := func(r *record.Row) verb.Row { return view.Row(g, r) }
	page, err := verb.PageOf(ranked, show, g.Problems(), w.PageIn(in.Sort, in.Cursor, in.Limit))
	return ListOut{Tasks: page.Items, Total: page.Total, NextCursor: page.NextCursor, Problems: page.Problems}, err
}

const byPriority = "priority"

// anyMode is the filter for tasks that say no mode.
const anyMode = "any"

// orders are the ways in which tasks can be sorted.
var orders = map[string]func(*record.Row) verb.Position{
	byPriority: ByPriority,
	"created": func(r *record.Row) verb.Position {
		return verb.Position{Key: verb.OldestFirst(time.Unix(r.Created, 0)), ID: r.ID}
	},
	"updated": func(r *record.Row) verb.Position {
		return verb.Position{Key: verb.NewestFirst(time.Unix(r.Updated, 0)), ID: r.ID}
	},
	"due": func(r *record.Row) verb.Position {
		by, ok := task.Due(r.Fact(record.DueFact)).By()
		if !ok {
			return verb.Position{Key: "~", ID: r.ID} // behind all times
		}
		return verb.Position{Key: verb.OldestFirst(by), ID: r.ID}
	},
	"title": func(r *record.Row) verb.Position { return verb.Position{Key: strings.ToLower(r.Title), ID: r.ID} },
	"id":    func(r *record.Row) verb.Position { return verb.Position{ID: r.ID} },
}

// ByPriority is where a task stands among others: the most urgent first, and equals by id.
func ByPriority(r *record.Row) verb.Position {
	return verb.Position{Key: strconv.Itoa(int(r.Priority)), ID: r.ID}
}

// MoreUrgent sorts tasks by priority, and equals by id.
func MoreUrgent(a, b *record.Row) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

// Filter is a ListIn that was checked.
type Filter struct {
	Assignee task.Actor // that the filter names, with me resolved

	in       ListIn
	states   []string
	before   time.Time // zero for any
	priority task.Priority
	mode     string   // "" for neither
	words    []string // of Text
}

// NewFilter checks the filters of a list.
func NewFilter(w *verb.Workspace, s *store.Store, in ListIn) (Filter, error) {
	if _, ok := orders[in.Sort]; !ok && in.Sort != "" {
		return Filter{}, verb.BadInput("sort", "is %q", in.Sort).WithHint("priority, created, updated, due, title or id")
	}
	f := Filter{in: in, words: strings.Fields(in.Text)}
	for _, some := range in.Status {
		for state := range strings.SplitSeq(some, ",") {
			if err := s.Config.Flow.Known(task.Status(strings.TrimSpace(state))); err != nil {
				return f, err
			}
			f.states = append(f.states, strings.TrimSpace(state))
		}
	}
	if in.DueBefore != "" {
		due, err := task.ParseDue(in.DueBefore)
		if err != nil {
			return f, verb.BadInput("due_before", "is %q", in.DueBefore).WithHint("a date such as 2026-06-21, or a time such as 2026-06-21T10:00:00Z")
		}
		f.before, _ = due.From()
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
	if in.Mode != anyMode {
		m, err := task.ParseMode(in.Mode)
		if err != nil {
			return f, verb.BadInput("mode", "is %q", in.Mode).WithHint("auto, pair, or any for the tasks that say neither")
		}
		f.mode = string(m)
	}
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

// among returns the tasks of a graph that fit.
func (f Filter) among(ctx context.Context, g *verb.Graph, view verb.View) ([]*record.Row, error) {
	var found []bool // of each row; nil if no words are looked for
	if len(f.words) > 0 {
		var err error
		if found, err = g.Search(ctx, f.words); err != nil {
			return nil, err
		}
	}
	var fit []*record.Row
	for i, r := range g.Rows() {
		if f.Fits(r) && (found == nil || found[i]) && f.fitsNow(g, view, i) {
			fit = append(fit, r)
		}
	}
	return fit, nil
}

// Fits reports whether what the file of a task says fits, but for its words.
func (f Filter) Fits(r *record.Row) bool {
	in := f.in
	return (f.states == nil || slices.Contains(f.states, string(r.Status))) && f.dueFits(r) &&
		(in.Assignee == nil || r.Assignee == f.Assignee) &&
		(in.Label == "" || slices.Contains(r.Labels, in.Label)) &&
		(in.Mode == "" || r.Fact(record.ModeFact) == f.mode) &&
		(in.Repo == "" || r.Fact(record.RepoFact) == in.Repo) &&
		(in.Priority == "" || r.Priority == f.priority) &&
		(in.Parent == "" || r.Parent == in.Parent)
}

// dueFits reports whether the time of a task is up before that of the filter begins.
func (f Filter) dueFits(r *record.Row) bool {
	if f.before.IsZero() {
		return true
	}
	by, ok := task.Due(r.Fact(record.DueFact)).By()
	return ok && !by.After(f.before)
}

// fitsNow reports whether what is derived of the task of the nth row fits. One that was carried further elsewhere is not ready here.
func (f Filter) fitsNow(g *verb.Graph, view verb.View, n int) bool {
	r := g.Rows()[n]
	if f.in.Ready != nil && (!g.Blocked(n) && !view.Behind(g, r)) != *f.in.Ready {
		return false
	}
	return f.in.Execution == "" || view.Execution(g, r) == f.in.Execution
}
