package sessions

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// GetIn is the input of Get.
type GetIn struct {
	Session  verb.SessionID `json:"session" doc:"session to read" cli:"arg"`
	Children bool           `json:"children,omitempty" doc:"with the sessions that began under it, and under those" mcp:"quiet"`
}

const childrenShown = 200

// Get returns a session, with its health as of now.
func Get(ctx context.Context, w *verb.Workspace, s *store.Store, in GetIn) (verb.Session, error) {
	out, err := w.View(s).SessionByID(string(in.Session))
	if err != nil || !in.Children {
		return out, err
	}
	out.Children, out.ChildrenTotal, err = children(ctx, w, s, out.ID)
	return out, err
}

// children lists the sessions below one, each behind the one under which it began, the oldest first among those of one
// parent. It lists so many, and returns how many there are if these are not all.
func children(ctx context.Context, w *verb.Workspace, s *store.Store, root string) ([]verb.Child, int, error) {
	all, err := w.Reads.Look(ctx, s, kind.Sessions.Kind)
	if err != nil {
		return nil, 0, err
	}
	view, below := w.View(s).OfMany(ctx), under(all.Rows())
	out, total, seen := []verb.Child{}, 0, map[string]bool{root: true}
	var visit func(id string, depth int)
	visit = func(id string, depth int) {
		for _, r := range below[id] {
			if seen[r.ID] {
				continue // a circle, which only a file that was written by hand can close
			}
			seen[r.ID] = true
			if total++; total <= childrenShown {
				out = append(out, child(view.SessionOf(r), depth))
			}
			visit(r.ID, depth+1)
		}
	}
	visit(root, 1)
	if total == len(out) {
		total = 0
	}
	return out, total, nil
}

// under is the rows of sessions by the session under which they began, the oldest first.
func under(rows []*kind.Row) map[string][]*kind.Row {
	out := map[string][]*kind.Row{}
	for _, r := range rows {
		if parent := r.Fact(kind.SessionParent); parent != "" {
			out[parent] = append(out[parent], r)
		}
	}
	for _, list := range out {
		sorted.By(list, func(a, b *kind.Row) int { return int(a.Created - b.Created) })
	}
	return out
}

func child(ses verb.Session, depth int) verb.Child {
	return verb.Child{
		ID: ses.ID, Parent: ses.Parent, Depth: depth, Task: ses.Task, Label: ses.Label, Role: ses.Role, Actor: ses.Actor, Status: ses.Status,
		Health: ses.Health, StartedAt: ses.StartedAt, EndedAt: ses.EndedAt,
		Told: verb.Head(record.CleanBody(ses.Told()), toldOfChild),
	}
}

const toldOfChild = 200 // bytes
