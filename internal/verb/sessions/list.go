package sessions

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Task   record.ID      `json:"task,omitempty" doc:"sessions on this task"`
	Actor  string         `json:"actor,omitempty" doc:"sessions of this actor; me for yours" from:"actors"`
	Status session.Status `json:"status,omitempty" doc:"active, finished, failed, canceled or abandoned" oneof:"active,finished,failed,canceled,abandoned"`
	Health session.Health `json:"health,omitempty" doc:"active, stalled, awaiting_review or ended" oneof:"active,stalled,awaiting_review,ended"`
	Parent verb.SessionID `json:"parent,omitempty" doc:"those that began under this session" mcp:"quiet"`
	Root   verb.SessionID `json:"root,omitempty" doc:"this session and those below it" mcp:"quiet"`
	Series string         `json:"series,omitempty" doc:"those of this series" from:"series" mcp:"quiet"`
	Limit  verb.Limit     `json:"limit,omitempty" doc:"50 by default, 500 at most" mcp:"quiet"`
	Cursor string         `json:"cursor,omitempty" doc:"next_cursor of the page before" mcp:"quiet"`
}

// ListOut is a page of sessions.
type ListOut struct {
	Sessions   []verb.Session `json:"sessions" result:"rows"`
	Total      int            `json:"total"`                 // that fit the filters, on all pages
	NextCursor string         `json:"next_cursor,omitempty"` // of the next page, of sessions or of problems
	verb.Problems
}

// List returns the sessions that fit the filters, the newest first, those included that the work tree of a task has.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (ListOut, error) {
	who, err := w.ActorNamed(in.Actor)
	if err != nil {
		return ListOut{}, err
	}
	all, err := w.Reads.Look(ctx, s, kind.Sessions.Kind)
	if err != nil {
		return ListOut{}, err
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return ListOut{}, err
	}
	there, err := g.InWorkTrees(ctx, kind.Sessions.Kind)
	if err != nil {
		return ListOut{}, err
	}
	show := shownIn(there, w, w.View(s).OfMany(ctx))
	var fit []verb.Ranked[*kind.Row]
	rows := slices.Concat(all.Rows(), there.Rows())
	below := in.below(rows)
	for _, r := range rows {
		if in.Actor != "" && r.Assignee != who || !in.fits(r) || !below(r.ID) {
			continue
		}
		if in.Health == "" || show(r).Health == in.Health {
			fit = append(fit, verb.Ranked[*kind.Row]{At: verb.Position{Key: verb.NewestFirst(time.Unix(r.Created, 0)), ID: verb.Descending(r.ID)}, Item: r})
		}
	}
	page, err := verb.PageOf(fit, show, all.Problems(), w.PageIn("sessions", verb.Paging{Limit: in.Limit, Cursor: in.Cursor}))
	return ListOut{Sessions: page.Items, Total: page.Total, NextCursor: page.NextCursor, Problems: page.Problems}, err
}

// shownIn shows sessions, each as the worktree does that has it.
func shownIn(there verb.Others, w *verb.Workspace, here verb.View) func(*kind.Row) verb.Session {
	views := map[string]verb.View{"": here} // by the root of the workspace there
	return func(r *kind.Row) verb.Session {
		root := ""
		if f := there.InWorkTree(r.ID); f != nil {
			root = f.Root
		}
		v, known := views[root]
		if !known {
			v = here
			at := w.At(root)
			if s, err := at.Open(); err == nil { // else it went meanwhile
				v = at.View(s)
			}
			views[root] = v
		}
		return v.SessionOf(r)
	}
}

// fits reports whether a row is let through by the filters that it alone can answer.
func (in ListIn) fits(r *kind.Row) bool {
	for _, filter := range []struct{ want, is string }{
		{string(in.Task), string(r.Parent)}, {string(in.Status), string(r.Status)},
		{string(in.Parent), r.Fact(kind.SessionParent)}, {in.Series, r.Fact(kind.SessionSeries)},
	} {
		if filter.want != "" && filter.want != filter.is {
			return false
		}
	}
	return true
}

// below returns a function that reports whether a session is the root that is asked for, or below it.
func (in ListIn) below(rows []*kind.Row) func(id string) bool {
	if in.Root == "" {
		return func(string) bool { return true }
	}
	tree, children := map[string]bool{}, under(rows)
	var visit func(id string)
	visit = func(id string) {
		if tree[id] {
			return
		}
		tree[id] = true
		for _, r := range children[id] {
			visit(r.ID)
		}
	}
	visit(string(in.Root))
	return func(id string) bool { return tree[id] }
}
