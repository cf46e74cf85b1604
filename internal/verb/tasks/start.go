package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// StartIn is the input of Start.
type StartIn struct {
	ID       record.ID `json:"id" doc:"task to start" cli:"arg,several"`
	Takeover bool      `json:"takeover,omitempty" doc:"end what lapsed, or redo work carried further elsewhere"`
	verb.Once
}

// Start makes the caller the holder of a task and moves it to the working state, through the deps gate, in one entry. It opens no session. Of
// a task that the caller holds and that is at work already it changes nothing. Where the flow has no working state it only claims.
func Start(ctx context.Context, w *verb.Workspace, in StartIn) (verb.Task, error) {
	return w.Change(ctx, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		flow := wc.Store.Config.Flow
		takesOver, err := wc.Take(ctx, in.Takeover)
		if err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := flow.Start(wc.Task, takesOver, kind.Deps(wc.Tx, flow), w.Stamp(""))
		holds := wc.Hold.How == session.Claimed && wc.Hold.Worktree == wc.Store.Worktree
		if err != nil || entry == nil && holds {
			return t, nil, err
		}
		if takesOver {
			wc.Tx.Supersede(t.ID.Ref())
		}
		if !wc.Mine() || !holds { // a claim that is there goes on, with its session and its end
			wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ""))
		}
		return t, entry, nil
	})
}
