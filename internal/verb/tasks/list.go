package tasks

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Status    []string   `json:"status,omitempty" doc:"states, open (default) or closed" from:"open-states"`
	All       bool       `json:"all,omitempty" doc:"closed too" mcp:"quiet"`
	Closed    bool       `json:"closed,omitempty" doc:"closed only" mcp:"quiet"`
	Where     string     `json:"where,omitempty" doc:"a filter: ready and label=api" from:"filters"`
	View      string     `json:"view,omitempty" doc:"a view of the config" from:"views" mcp:"quiet"`
	Explain   bool       `json:"explain,omitempty" doc:"why each is ready or not" mcp:"quiet"`
	Assignee  *string    `json:"assignee" doc:"an actor, me, or unassigned" from:"actors"`
	Ready     *bool      `json:"ready" doc:"true: what can be started"`
	Execution string     `json:"execution,omitempty" doc:"active, stalled or awaiting_review" oneof:"active,stalled,awaiting_review" mcp:"quiet"`
	Label     string     `json:"label,omitempty" doc:"with this label" from:"labels"`
	Priority  string     `json:"priority,omitempty" doc:"0 (urgent) to 4" values:"0=drop everything,1=high,2=normal,3=low,4=someday" mcp:"quiet"`
	Mode      string     `json:"mode,omitempty" doc:"auto, pair, or any: neither" enum:"auto,pair,any" mcp:"quiet"`
	Repo      string     `json:"repo,omitempty" doc:"of this repository" cli:"flag=in-repo" from:"repos" mcp:"quiet"`
	DueBefore string     `json:"due_before,omitempty" doc:"due before this date or time" mcp:"quiet"`
	Parent    record.ID  `json:"parent,omitempty" doc:"its children"`
	Text      string     `json:"text,omitempty" doc:"words anywhere in it"`
	Sort      string     `json:"sort,omitempty" doc:"priority, created, updated, due, {optional}, title, id" from:"orders" mcp:"quiet"`
	Limit     verb.Limit `json:"limit,omitempty" doc:"50; 500 at most"`
	Cursor    string     `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// ListOut is a page of the graph.
type ListOut struct {
	Tasks      []verb.Row `json:"tasks" result:"rows"`
	Total      int        `json:"total"`                   // that fit the filters, on all pages
	OnBranches int        `json:"on_branches,omitempty"`   // how many of them only other branches have
	Hidden     int        `json:"hidden_closed,omitempty"` // closed tasks that fit too, and were left out since nothing asked for them
	Columns    []string   `json:"columns,omitempty"`       // keys of rows that the view shows
	Unblocks   *Unblocker `json:"unblocks_most,omitempty"` // with explain: the open task for which the most others wait
	NextCursor string     `json:"next_cursor,omitempty"`   // of the next page, of tasks or of problems

	Remote *verb.RemoteKnown `json:"remote,omitempty"` // how old what is said of other clones is
	verb.Problems
}

// Unblocker is an open task that others wait for.
type Unblocker struct {
	ID     record.ID     `json:"id"`
	Title  string        `json:"title"`
	Status record.Status `json:"status"`
	Tasks  int           `json:"tasks"` // how many open tasks wait for it, directly or through others
}

// List returns the tasks that fit the filters, in the order asked for; equals by id. Closed tasks are left out, and
// counted, unless the filters ask for them: by all, closed, a state, or a filter or a text that names a state or an id.
// Tasks that only other branches have are among them, each with its branch.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (ListOut, error) {
	saved, err := in.saved(s)
	if err != nil {
		return ListOut{}, err
	}
	in.Sort = cmp.Or(in.Sort, saved.Sort, byPriority)
	keep, err := NewFilter(w, s, in)
	if err != nil {
		return ListOut{}, err
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return ListOut{}, err
	}
	others := g.Others()
	all := cmp.Or(others.Graph, g)
	if keep.where, err = Where(w, s, all, in.Where); err != nil {
		return ListOut{}, err
	}
	of, err := Where(w, s, all, saved.Where)
	if err != nil {
		return ListOut{}, record.Errorf(record.CodeOf(err), "the view %s of the config: %w", saved.Name, err)
	}
	keep.where = keep.where.And(of)
	view := w.View(s).OfMany(ctx)
	view.Dated = in.Sort == byUpdated
	keep.openOnly = keep.onlyOpen(all)
	fit, hidden, err := keep.among(ctx, g, view)
	if err != nil {
		return ListOut{}, err
	}
	there, hiddenThere := keep.amongOthers(others, view)
	ranked := rankedBy(orders(s.Config.Flow)[in.Sort], slices.Concat(fit, there))
	show := func(r *kind.Row) verb.Row {
		of, row := g, verb.Row{}
		if others.Has(r) {
			of, row = others.Graph, others.Row(view, r)
		} else {
			row = view.Row(g, r)
		}
		if in.Explain {
			row.Why = view.Why(of, of.Set().Number(r.ID))
		}
		return row
	}
	page, err := verb.PageOf(ranked, show, g.Problems(), w.PageIn(in.Sort, verb.Paging{Limit: in.Limit, Cursor: in.Cursor}))
	out := ListOut{
		Tasks: page.Items, Total: page.Total, OnBranches: len(there), Hidden: hidden + hiddenThere,
		NextCursor: page.NextCursor, Problems: page.Problems, Remote: view.RemoteKnown(), Columns: saved.Columns,
	}
	if in.Explain {
		out.Unblocks = unblocker(g)
	}
	return out, err
}

// unblocker is the open task of a graph for which the most others wait; nil if none waits.
func unblocker(g *verb.Graph) *Unblocker {
	id, n := g.UnblocksMost()
	if n == 0 {
		return nil
	}
	r := g.Row(id)
	return &Unblocker{id, r.Title, r.Status, n}
}

// saved is the view that is asked for; zero for none.
func (in ListIn) saved(s *store.Store) (kind.View, error) {
	if in.View == "" {
		return kind.View{}, nil
	}
	return s.Config.View(in.View)
}

// The orders of which more than the name is said.
const (
	byPriority = "priority"
	byUpdated  = "updated"
)

// The words for states that are not closed, and for those that are. A state that is called so has precedence.
const (
	openWord   = "open"
	closedWord = "closed"
)

const anyMode = "any"

// OrderNames are the ways in which the tasks of any workspace can be sorted.
func OrderNames() []string {
	out := []string{byPriority, "created", byUpdated, "due"}
	for _, one := range task.OptionalFields() {
		out = append(out, one.Name)
	}
	return append(out, "title", "id")
}

// orders are the keys by which tasks sort in each of them, and by each field that the config declares.
func orders(flow task.Flow) map[string]func(*kind.Row) string {
	due := task.Field{Name: "due", Type: task.FieldDate}
	out := map[string]func(*kind.Row) string{
		byPriority: func(r *kind.Row) string {
			if flow.IsClosed(r.Status) {
				return "c" + urgency(r) // behind all that are open
			}
			return urgency(r)
		},
		"created": func(r *kind.Row) string { return verb.OldestFirst(time.Unix(r.Created, 0)) },
		byUpdated: func(r *kind.Row) string { return verb.NewestFirst(time.Unix(r.Updated, 0)) },
		"due":     func(r *kind.Row) string { return due.SortKey(r.Fact(kind.DueFact)) },
		"title":   func(r *kind.Row) string { return strings.ToLower(r.Title) },
		"id":      func(*kind.Row) string { return "" },
	}
	for _, one := range flow.Fields.All() {
		out[one.Name] = func(r *kind.Row) string { return one.SortKey(r.OwnValue(one.Name)) }
	}
	return out
}

// rankedBy says where each of some tasks stands among them: by a key, and equals by id.
func rankedBy(key func(*kind.Row) string, rows []*kind.Row) []verb.Ranked[*kind.Row] {
	out := make([]verb.Ranked[*kind.Row], len(rows))
	for i, r := range rows {
		out[i] = verb.Ranked[*kind.Row]{At: verb.Position{Key: key(r), ID: r.ID}, Item: r}
	}
	return out
}

func urgency(r *kind.Row) string { return strconv.Itoa(int(r.Priority)) }

// Foremost are the most urgent of some tasks, so many at most.
func Foremost(rows []*kind.Row, n int) []*kind.Row {
	var out []*kind.Row
	for _, r := range verb.Foremost(rankedBy(urgency, rows), n) {
		out = append(out, r.Item)
	}
	return out
}

// MoreUrgent sorts tasks by priority, and equals by id.
func MoreUrgent(a, b *kind.Row) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

// WorkOf are the open tasks that an actor holds or was given.
func WorkOf(view verb.View, g *verb.Graph, who record.Actor) []*kind.Row {
	var out []*kind.Row
	for _, r := range g.Rows() {
		if !view.Store.Config.Flow.IsClosed(r.Status) && view.Holder(g, r).WorkOf(who, r.Assignee) {
			out = append(out, r)
		}
	}
	return out
}
