package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// ClaimIn is the input of Claim.
type ClaimIn struct {
	ID       task.ID `json:"id" doc:"task to take" cli:"arg"`
	Takeover bool    `json:"takeover,omitempty" doc:"end an expired claim or a stalled session, or redo work that is further along on another branch"`
	verb.Once
}

// Claim makes the caller the holder of a task. Claiming a task that one holds already changes nothing.
func Claim(ctx context.Context, w *verb.Workspace, in ClaimIn) (verb.Task, error) {
	return w.Change(ctx, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		takesOver, err := wc.Take(ctx, in.Takeover)
		if err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := wc.Store.Config.Flow.Claim(wc.Task, takesOver, w.Stamp(""))
		if err != nil || entry == nil && wc.Hold.How == session.Claimed && wc.Hold.Worktree == wc.Store.Worktree {
			return t, nil, err
		}
		if takesOver {
			wc.Tx.Supersede(t.ID.Ref())
		}
		ses := ""
		if wc.Mine() {
			ses = wc.Hold.Session
		}
		wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ses)) // also where the file names the caller already: a claim holds in one worktree
		return t, entry, nil
	})
}

// ReleaseIn is the input of Release.
type ReleaseIn struct {
	ID     task.ID `json:"id" doc:"task to release" cli:"arg"`
	Reason string  `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// Release lets a task go without moving it. A person may release what another holds; that ends its session as abandoned.
func Release(ctx context.Context, w *verb.Workspace, in ReleaseIn) (verb.Task, error) {
	if err := task.ValidText("reason", in.Reason); err != nil {
		return verb.Task{}, err
	}
	return w.Change(ctx, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		if wc.Hold.Actor != "" && !wc.Mine() && !w.Actor().Human() {
			return wc.Task, nil, task.Errorf(task.NotYours, "held by %s", wc.Hold.Actor).
				WithHint("ask %s, or a person, to release it", wc.Hold.Actor)
		}
		if err := wc.MayEndSession(); err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := task.Release(wc.Task, wc.Hold.How == session.Claimed, w.Stamp(in.Reason))
		if err == nil && entry != nil {
			wc.Tx.Claim(t.ID.Ref(), nil)
			wc.EndSession(session.Abandoned, w.Stamp("released by "+string(w.Actor())))
		}
		return t, entry, err
	})
}
