package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// ClaimIn is the input of Claim.
type ClaimIn struct {
	ID       task.ID `json:"id" doc:"task to take" cli:"arg"`
	Takeover bool    `json:"takeover,omitempty" doc:"end an expired claim or a stalled session, or redo work that is further along on another branch"`
	Once
}

// Claim makes the caller the holder of a task. Claiming what one holds changes nothing.
func (w *Workspace) Claim(ctx context.Context, in ClaimIn) (Task, error) {
	return w.change(ctx, in.ID, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		takes, err := w.take(ctx, s, sc, in.Takeover)
		if err != nil {
			return sc.t, nil, err
		}
		t, entry, err := s.Config.Flow.Claim(sc.t, takes, w.stamp(""))
		if err != nil || entry == nil && sc.hold.How == session.Claimed && sc.hold.Worktree == s.Worktree {
			return t, nil, err
		}
		if takes {
			sc.tx.Supersede(t.ID)
		}
		ses := ""
		if sc.hold.Mine(w.Actor, s.Worktree) {
			ses = sc.hold.Session
		}
		sc.tx.Claim(t.ID, w.lease(ctx, s, ses, sc.now)) // also where the file names the caller already: a claim holds in one worktree
		return t, entry, nil
	})
}

// take decides whether the caller may take the task, and reports whether that takes it over from somebody: then the old
// session is ended as abandoned.
func (w *Workspace) take(ctx context.Context, s *store.Store, sc scene, takeover bool) (takes bool, err error) {
	if s.Config.Flow.IsClosed(sc.t.Status) {
		return false, nil // TASK_CLOSED says more than whoever held it last
	}
	if err := w.refusal(ctx, s, sc, takeover); err != nil {
		return false, err
	}
	if sc.hold.Free(w.Actor, s.Worktree) {
		return false, nil
	}
	sc.endLive(session.Abandoned, w.stamp("taken over by "+string(w.Actor)))
	return true, nil
}

// refusal is why the caller may not take the task, or nil. Of work on a branch that is gone it says so: there is nothing to
// switch to.
func (w *Workspace) refusal(ctx context.Context, s *store.Store, sc scene, takeover bool) error {
	err := sc.hold.Refuse(sc.t.ID, w.Actor, s.Worktree, takeover)
	if err != nil && sc.hold.How == session.Behind && !s.HasBranch(ctx, sc.hold.Branch) {
		sc.hold.NoBranch = true
		err = sc.hold.Refuse(sc.t.ID, w.Actor, s.Worktree, takeover)
	}
	return err
}

// ReleaseIn is the input of Release.
type ReleaseIn struct {
	ID     task.ID `json:"id" doc:"task to release" cli:"arg"`
	Reason string  `json:"reason,omitempty" doc:"why, for the record"`
	Once
}

// Release lets a task go without moving it. A person may release what another holds; that ends its session as abandoned.
func (w *Workspace) Release(ctx context.Context, in ReleaseIn) (Task, error) {
	if err := task.ValidText("reason", in.Reason); err != nil {
		return Task{}, err
	}
	return w.change(ctx, in.ID, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		mine := sc.hold.Mine(w.Actor, s.Worktree)
		if sc.hold.Actor != "" && !mine && !w.Actor.Human() {
			return sc.t, nil, task.Errorf(task.NotYours, "held by %s", sc.hold.Actor).
				WithHint("ask %s, or a person, to release it", sc.hold.Actor)
		}
		if err := w.mayEndSession(sc, mine); err != nil {
			return sc.t, nil, err
		}
		t, entry, err := task.Release(sc.t, sc.hold.How == session.Claimed, w.stamp(in.Reason))
		if err == nil && entry != nil {
			sc.tx.Claim(t.ID, nil)
			sc.endLive(session.Abandoned, w.stamp("released by "+string(w.Actor)))
		}
		return t, entry, err
	})
}

// mayEndSession keeps an actor from dropping a task under its own live session: cancel says why, and release would not.
func (w *Workspace) mayEndSession(sc scene, mine bool) error {
	if !mine || sc.hold.Session == "" || sc.hold.Lapsed {
		return nil
	}
	ses, err := sc.tx.Session(sc.hold.Session)
	if err != nil || ses.Status != session.Active {
		return nil //nolint:nilerr // a session that cannot be read is not alive
	}
	return task.Errorf(task.SessionLive, "session %s is at work on it", ses.ID).
		WithHint("%s with a reason ends the session and releases the task", task.CallTo("cancel", "session", ses.ID)).
		WithNext("get_session", map[string]any{"session": ses.ID})
}
