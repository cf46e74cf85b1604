package verb

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/task"
)

// WriteContext is a task as a write finds it: under the lock, with everything that decides about it.
type WriteContext struct {
	Store *store.Store
	Tx    *store.Tx
	Task  task.Task
	Hold  session.Hold
	Now   time.Time

	w *Workspace
}

// WriteContext reads a task for a write. It returns OUT_OF_SCOPE for one that the caller may not change. If the call was made
// before, it returns an error that Verb.Call turns into the answer of a replay; see IsDone.
func (w *Workspace) WriteContext(s *store.Store, tx *store.Tx, id record.ID) (WriteContext, error) {
	return w.writeContext(s, tx, id, session.Key{Task: id})
}

// writeContext is WriteContext for a call that makes more than the task.
func (w *Workspace) writeContext(s *store.Store, tx *store.Tx, id record.ID, made session.Key) (WriteContext, error) {
	t, err := kind.Tasks.Get(tx, id)
	now := w.Now()
	if err == nil {
		err = w.InScope(id)
	}
	if err == nil {
		err = w.Idempotency.Recorded(t.Provenance, made)
	}
	if err != nil {
		return WriteContext{}, err
	}
	return WriteContext{Store: s, Tx: tx, Task: t, Hold: session.Holder(t.Header(), tx.Known(id.Ref()), now), Now: now, w: w}, nil
}

// Decision decides about a task under the lock. An entry of nil means that nothing changes and nothing is written.
type Decision func(WriteContext) (task.Task, *record.Entry, error)

// Update makes a write of this call, unless the call was made before. Where claims hold among clones, a write that takes a record, or brings one
// further that this clone holds, asks the git remote first. It returns the errors of store.Store.Update and of session.Leases.
func (w *Workspace) Update(ctx context.Context, s *store.Store, write func(*store.Tx) error) error {
	return settling{w: w, s: s, leases: remote.Leases(s, w.Actor(), w.Now), write: func(tx *store.Tx) error {
		if err := w.Idempotency.known(tx.Key); err != nil {
			return err
		}
		return write(tx)
	}}.run(ctx)
}

// ReadForWrite reads a task before the lock is taken, for a write that does something expensive first. Its errors are those
// of WriteContext.
func (w *Workspace) ReadForWrite(s *store.Store, id record.ID) (task.Task, error) {
	if err := w.InScope(id); err != nil {
		return task.Task{}, err
	}
	t, err := kind.Tasks.Get(s, id)
	if err == nil {
		err = w.Idempotency.Recorded(t.Provenance, session.Key{Task: id})
	}
	return t, err
}

// Change makes one write of one task, and returns the task as get does.
func (w *Workspace) Change(ctx context.Context, id record.ID, decide Decision) (Task, error) {
	s, err := w.Open()
	if err != nil {
		return Task{}, err
	}
	return w.ChangeIn(ctx, s, id, decide)
}

// ChangeIn is Change in a store that is open.
func (w *Workspace) ChangeIn(ctx context.Context, s *store.Store, id record.ID, decide Decision) (Task, error) {
	err := w.Update(ctx, s, func(tx *store.Tx) error {
		wc, err := w.WriteContext(s, tx, id)
		if err != nil {
			return err
		}
		t, entry, err := decide(wc)
		if err == nil && entry != nil {
			err = w.Confirmed(s.Config.Flow.Asks(wc.Task, t, *entry, kind.Deps(tx, s.Config.Flow)))
		}
		if err != nil {
			return err
		}
		switch {
		case entry == nil:
			w.Idempotency.Remember(tx, session.Key{Task: id})
		case entry.Key != "": // the results of a refused call carry none, so that it can be made again
			w.Idempotency.Remember(tx, session.Key{Task: id, Session: entry.Session})
		}
		if entry != nil {
			kind.Tasks.Put(tx, t)
		}
		return nil
	})
	if err != nil {
		return Task{}, WithID(err, id)
	}
	return w.View(s).TaskByID(id)
}

// Several is what a write made of several tasks, in the order in which they were named.
type Several struct {
	Tasks    []Row `json:"tasks" result:"rows"`
	Replayed bool  `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// ChangeSeveral makes one write of several tasks: of all, or, if one of them may not be changed as decided, of none.
func (w *Workspace) ChangeSeveral(ctx context.Context, s *store.Store, ids []record.ID, decide Decision) (Several, error) {
	made := session.Key{Tasks: ids}
	at := record.ID("")
	err := w.Update(ctx, s, func(tx *store.Tx) error {
		for _, at = range ids {
			wc, err := w.writeContext(s, tx, at, made)
			if err != nil {
				return err
			}
			t, entry, err := decide(wc)
			if err == nil && entry != nil {
				err = w.Confirmed(s.Config.Flow.Asks(wc.Task, t, *entry, kind.Deps(tx, s.Config.Flow)))
			}
			if err != nil {
				return err
			}
			if entry != nil {
				kind.Tasks.Put(tx, t)
			}
		}
		w.Idempotency.Remember(tx, made)
		return nil
	})
	if err != nil {
		return Several{}, WithID(err, at)
	}
	return w.View(s).several(ids)
}

func (v View) several(ids []record.ID) (Several, error) {
	out := Several{Tasks: []Row{}}
	for _, id := range ids {
		t, err := kind.Tasks.Get(v.Store, id)
		if err != nil {
			return Several{}, err
		}
		out.Tasks = append(out.Tasks, v.RowOf(t))
	}
	return out, nil
}

// Lease is a live claim of the caller from this worktree, under a session or none.
func (wc WriteContext) Lease(ctx context.Context, ses string) *session.Lease {
	return wc.w.Lease(ctx, wc.Store, ses)
}

// Lease is a live claim of the caller from the worktree of a store, under a session or none.
func (w *Workspace) Lease(ctx context.Context, s *store.Store, ses string) *session.Lease {
	now := w.Now().UTC()
	return &session.Lease{
		Actor: w.Actor(), Session: ses, Worktree: s.Worktree, GitDir: s.GitDir(), Branch: s.Head(ctx).Branch, Since: now, Seen: now,
	}
}

// Take decides whether the caller may take the task, and reports whether that takes it over from somebody: then the old
// session is ended as abandoned. Of a closed task it decides nothing: the refusal of the rules, TASK_CLOSED, says more.
func (wc WriteContext) Take(ctx context.Context, takeover bool) (takesOver bool, err error) {
	if wc.Store.Config.Flow.IsClosed(wc.Task.Status) {
		return false, nil
	}
	if err := wc.Refusal(ctx, takeover); err != nil {
		return false, err
	}
	if wc.Hold.Free(wc.w.Actor(), wc.Store.Worktree) {
		return false, nil
	}
	wc.EndSession(session.Abandoned, wc.w.Stamp("taken over by "+string(wc.w.Actor())))
	return true, nil
}

// Refusal is why the caller may not take the task, or nil. If the task was carried further on a branch that is gone, it says
// so, since there is nothing to switch to.
func (wc WriteContext) Refusal(ctx context.Context, takeover bool) error {
	hold, s := wc.Hold, wc.Store
	err := hold.Refuse(wc.Task.ID, wc.w.Actor(), s.Worktree, takeover)
	if err != nil && hold.How == session.Behind && hold.Local() && !s.Git().HasBranch(ctx, hold.Branch) {
		hold.NoBranch = true
		err = hold.Refuse(wc.Task.ID, wc.w.Actor(), s.Worktree, takeover)
	}
	return err
}

// Mine reports whether the caller holds the task, in this worktree.
func (wc WriteContext) Mine() bool { return wc.Hold.Mine(wc.w.Actor(), wc.Store.Worktree) }

// ActiveSession is the session under which the task is held, if it is active. One that cannot be read is not.
func (wc WriteContext) ActiveSession() (session.Session, bool) {
	if wc.Hold.Session == "" {
		return session.Session{}, false
	}
	ses, err := kind.Sessions.Get(wc.Tx, wc.Hold.Session)
	return ses, err == nil && ses.Status == session.Active
}

// MayEndSession returns SESSION_LIVE if the caller is at work on the task in a live session. That session is ended with cancel,
// which asks for a reason. One whose claim was lost to another clone may end with whatever lets go of the task.
func (wc WriteContext) MayEndSession() error {
	if !wc.Mine() || wc.Hold.Lapsed || wc.Hold.LostTo != nil {
		return nil
	}
	ses, active := wc.ActiveSession()
	if !active {
		return nil
	}
	return record.Errorf(record.SessionLive, "session %s is at work on it", ses.ID).
		WithHint("%s with a reason ends the session and releases the task", record.CallTo("cancel", "session", ses.ID)).
		WithNext(record.CallTo("get_session", "session", ses.ID))
}

// EndSession ends the session under which the task is held or was last worked on, if it is still active. One whose record
// lies on another branch, or is broken, must not keep a task from being closed.
func (wc WriteContext) EndSession(to session.Status, by record.Stamp) {
	id := wc.Hold.Session
	if id == "" {
		id = wc.Task.Provenance.LastSession()
	}
	if id == "" {
		return
	}
	ses, err := kind.Sessions.Get(wc.Tx, id)
	if err == nil && ses.Status == session.Active {
		kind.Sessions.Put(wc.Tx, ses.End(to, by))
	}
}

// OwnSession reads a session for a write of its actor that ends it, in the worktree that it is at work in.
func (wc WriteContext) OwnSession(id string) (session.Session, error) {
	return wc.w.ownSession(wc.Store, wc.Tx, wc.Task, id)
}

// SessionAtWork is OwnSession for a write by which the session goes on: it returns CLAIM_LOST if the git remote gave the task to another clone.
func (wc WriteContext) SessionAtWork(id string) (session.Session, error) {
	return wc.w.sessionAtWork(wc.Store, wc.Tx, wc.Task, id)
}

func (w *Workspace) sessionAtWork(s *store.Store, tx *store.Tx, t task.Task, id string) (session.Session, error) {
	ses, err := w.ownSession(s, tx, t, id)
	if err == nil {
		err = WithSession(ses.Lost(tx.Known(t.ID.Ref()), w.Now()), id)
	}
	return ses, err
}

func (w *Workspace) ownSession(s *store.Store, tx *store.Tx, t task.Task, id string) (session.Session, error) {
	ses, err := kind.Sessions.Get(tx, id)
	if err != nil {
		return ses, err
	}
	if err := ses.Usable(w.Actor()); err != nil {
		return ses, WithSession(err, id)
	}
	if ses.Task == "" {
		return ses, nil // nothing is held under it
	}
	return ses, WithSession(ses.Held(t.Header(), tx.Known(t.ID.Ref()), s.Worktree), id)
}
