package tasks

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/task"
)

// NextIn is the input of Next. A filter that is left out lets everything through.
type NextIn struct {
	Label  string     `json:"label,omitempty" doc:"with this label" from:"labels"`
	Parent record.ID  `json:"parent,omitempty" doc:"children of this task"`
	Lease  verb.Count `json:"lease_seconds,omitempty" doc:"for how long, 60 to 86400" mcp:"quiet"`
	verb.Once
}

// Work is what Next found: a task that is the caller's from now on, or how many there would be.
type Work struct {
	Task     *verb.Task  `json:"task"`              // null if there is none to be had
	Blocked  int         `json:"blocked"`           // open tasks that wait for others, or for their children
	Claimed  int         `json:"claimed"`           // open tasks that are held, assigned, lapsed or elsewhere
	NotYet   int         `json:"not_yet,omitempty"` // tasks that could be had, but for their after, which lies ahead
	Collide  int         `json:"collide,omitempty"` // tasks that could be had, but for others at work on the same files
	Yours    []record.ID `json:"yours,omitempty"`   // of these, those that the caller has and has not begun
	Replayed bool        `json:"replayed,omitempty"`

	Unreadable *verb.Problems `json:"unreadable,omitempty"` // with no task: the files that cannot be read, which may be why
}

func exitOfNext(out any) int {
	if out.(Work).Task == nil {
		return verb.ExitNothingFound
	}
	return 0
}

// errTaken says that a task was taken, or was no longer there to be taken, when its turn came.
var errTaken = errors.New("taken")

// Next claims the most urgent task that can be worked on now, the oldest among equals: one in the initial state, or
// left behind in the working one, that waits for nothing, has no open children and that nobody holds. One that somebody
// else takes meanwhile is passed over. If there is none, that is an answer and not an error.
func Next(ctx context.Context, w *verb.Workspace, s *store.Store, in NextIn) (Work, error) {
	if err := session.ValidLease(int(in.Lease)); err != nil {
		return Work{}, err
	}
	out, err := nextOf(ctx, w, s, in)
	if err != nil || out.Task != nil || out.Claimed == 0 || !s.Shares() || !remote.Of(s, w.Actor(), w.Now).Refresh(ctx) {
		return out, err
	}
	return nextOf(ctx, w, s, in) // other clones may have let go of something since they were asked
}

// nextOf is Next by what is known of the claims of other clones.
func nextOf(ctx context.Context, w *verb.Workspace, s *store.Store, in NextIn) (Work, error) {
	g, err := w.Graph(ctx, s)
	if err != nil {
		return Work{}, err
	}
	free, n := Survey(ctx, w, s, g, func(r *kind.Row) bool {
		return (in.Label == "" || record.HasLabel(r.Labels, in.Label)) && (in.Parent == "" || r.Parent == in.Parent)
	})
	out := Work{Blocked: n.Blocked, Claimed: n.Taken, NotYet: n.NotYet, Collide: n.Collide, Yours: n.Yours}
	sorted.By(free, MoreUrgent)
	for _, r := range free {
		got, err := takeNext(ctx, w, s, record.ID(r.ID), in.Lease)
		if errors.Is(err, errTaken) || slices.Contains([]record.Code{record.NotFound, record.BadFile, record.AlreadyClaimed, record.Collides, record.Elsewhere}, record.CodeOf(err)) {
			out.Claimed++
			continue
		}
		if err == nil {
			out.Task = &got
		}
		return out, err
	}
	if broken := verb.ProblemsOf(g.Problems(), partSize); len(broken.Problems) > 0 {
		out.Unreadable = &broken
	}
	return out, nil
}

// Counts says of how many tasks some words hold; several may hold of one task.
type Counts struct {
	Blocked, Held, Assigned int
	NotYet                  int         // which would be ready, but for their after
	Collide                 int         // which would be ready, but for what is at work on the same files
	Taken                   int         // which are held, assigned, lapsed or elsewhere
	Yours                   []record.ID // of those, the ones in the initial state that the caller has
}

// Survey finds the tasks that are ready, sorted by id, and counts the others.
func Survey(
	ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, keep func(*kind.Row) bool,
) (free []*kind.Row, out Counts) {
	view := w.View(s).OfMany(ctx)
	for n, r := range g.Rows() {
		if !keep(r) {
			continue
		}
		stand := view.Stand(g, n)
		if stand.Is(task.IsReady) {
			free = append(free, r)
		}
		if stand.Is(task.IsBlocked) {
			out.Blocked++
		}
		switch stand.First() {
		case task.IsEarly:
			out.NotYet++
		case task.IsColliding:
			out.Collide++
		default:
		}
		held, assigned := stand.Is(task.IsHeld), stand.Is(task.IsAssigned)
		if held {
			out.Held++
		}
		if assigned {
			out.Assigned++
		}
		if held || assigned || stand.Is(task.IsLapsed) || stand.Is(task.IsElsewhere) {
			out.Taken++
			if r.Status == s.Config.Flow.Initial && stand.Holder == w.Actor() && !stand.Is(task.IsElsewhere) {
				out.Yours = append(out.Yours, record.ID(r.ID))
			}
		}
	}
	return free, out
}

// takeNext claims a task, if it still is as it was when it was picked.
func takeNext(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, seconds verb.Count) (verb.Task, error) {
	return w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if !wc.Stand(ctx).Is(task.IsReady) {
			return wc.Task, nil, errTaken
		}
		t, entry, err := s.Config.Flow.Claim(wc.Task, false, w.Stamp(""))
		if err == nil {
			lease := wc.Lease(ctx, "")
			lease.Seconds = int(seconds)
			wc.Tx.Claim(id.Ref(), lease)
		}
		return t, entry, err
	})
}

// Replay shows the task that was claimed, as it is now.
func (Work) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	t, err := w.View(s).TaskByID(made.Task)
	return Work{Task: &t, Replayed: true}, verb.NotHere(err, string(made.Task))
}
