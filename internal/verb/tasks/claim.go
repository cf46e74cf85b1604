package tasks

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// ClaimIn is the input of Claim.
type ClaimIn struct {
	ID       verb.RecordID `json:"id" doc:"task or handoff to take" cli:"arg,several"`
	Takeover bool          `json:"takeover,omitempty" doc:"end what lapsed, or redo what is further elsewhere"`
	Lease    verb.Count    `json:"lease_seconds,omitempty" doc:"for how long, 60 to 86400; repeating extends it" mcp:"quiet"`
	verb.Once
}

// Claim makes the caller the holder of a task, or of a handoff that is addressed to it. Claiming what one holds changes
// no file, and extends a claim that expires. It returns a verb.Task, or a handoffs.Handoff.
func Claim(ctx context.Context, w *verb.Workspace, s *store.Store, in ClaimIn) (any, error) {
	if err := session.ValidLease(int(in.Lease)); err != nil {
		return nil, err
	}
	if isHandoff(s, in.ID) {
		if in.Lease != 0 {
			return nil, verb.BadInput("lease_seconds", "is for tasks, and %s is a handoff", in.ID).WithHint("leave it out")
		}
		return handoffs.Claim(ctx, w, s, handoffs.ClaimIn{ID: ledger.HandoffID(in.ID), Once: in.Once})
	}
	return w.ChangeIn(ctx, s, record.ID(in.ID), func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		takesOver, err := wc.Take(ctx, in.Takeover)
		if err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := wc.Store.Config.Flow.Claim(wc.Task, takesOver, w.Stamp(""))
		holds := entry == nil && wc.Hold.Live() && wc.Hold.Worktree == wc.Store.Worktree
		if err != nil || holds && !wc.Hold.Unsynced && !extends(wc, in.Lease) {
			return t, nil, err
		}
		if takesOver {
			wc.Tx.Supersede(t.ID.Ref())
		}
		ses := ""
		if wc.Mine() {
			ses = wc.Hold.Session
		}
		lease := wc.Lease(ctx, ses) // also where the file names the caller already: a claim holds in one worktree
		lease.Seconds = int(in.Lease)
		if holds {
			lease.Since = wc.Hold.Since
		}
		wc.Tx.Claim(t.ID.Ref(), lease)
		return t, entry, nil
	})
}

// extends reports whether claiming a task that the caller holds here has a claim go on for longer: one that expires.
// One under a session goes on by heartbeats.
func extends(wc verb.WriteContext, lease verb.Count) bool {
	return wc.Hold.Session == "" && (lease != 0 || !wc.Hold.Until.IsZero())
}

// isHandoff reports whether an id is that of a handoff. Where there is a task with it, it is that of the task.
func isHandoff(s *store.Store, id verb.RecordID) bool {
	if kind.Handoffs.ParseID(string(id)) != nil {
		return false
	}
	k, _, _ := kind.Find(s, string(id))
	return k == kind.Handoffs.Kind
}

// ReleaseIn is the input of Release.
type ReleaseIn struct {
	ID     verb.RecordID `json:"id" doc:"task or handoff to release" cli:"arg,several"`
	Reason string        `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// Release lets a task go without moving it, or a handoff, which is open again. A person may release what another holds;
// that ends the session on a task as abandoned. It returns a verb.Task, or a handoffs.Handoff.
func Release(ctx context.Context, w *verb.Workspace, s *store.Store, in ReleaseIn) (any, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return nil, err
	}
	if isHandoff(s, in.ID) {
		return handoffs.Release(ctx, w, s, handoffs.ReleaseIn{ID: ledger.HandoffID(in.ID), Reason: in.Reason})
	}
	return w.ChangeIn(ctx, s, record.ID(in.ID), func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if err := cmp.Or(wc.Hold.RefuseEnd(), wc.MayEndSession()); err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := task.Release(wc.Task, wc.Hold.Live(), w.Stamp(in.Reason))
		if err == nil && entry != nil {
			wc.Tx.Claim(t.ID.Ref(), nil)
			wc.EndSession(session.Abandoned, w.Stamp("released by "+string(w.Actor())))
		}
		return t, entry, err
	})
}
