package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Beat writes a heartbeat of a session of the caller, which changes no committed file. What it leaves out stays as it
// was said before.
func (w *Workspace) Beat(ctx context.Context, s *store.Store, beat session.Heartbeat) error {
	return w.Update(ctx, s, func(tx *store.Tx) error {
		ses, err := kind.Sessions.Get(tx, beat.Session)
		if err != nil {
			return err
		}
		if err := w.InScope(ses.Task); err != nil {
			return err
		}
		t, err := kind.Tasks.Get(tx, ses.Task)
		if err != nil {
			t = task.Task{ID: ses.Task} // its file may lie on another branch; live state knows who holds it
		}
		if _, err := w.sessionAtWork(s, tx, t, ses.ID); err != nil {
			return err
		}
		w.Idempotency.Remember(tx, session.Key{Task: ses.Task, Session: ses.ID})
		beat.Actor, beat.At = w.Actor(), w.Now().UTC()
		tx.Beat(beat.After(s.Heartbeat(ses.ID)))
		return nil
	})
}

// ChangeSession makes one write of a session of the caller that is about no task. Change decides under the lock.
func (w *Workspace) ChangeSession(ctx context.Context, s *store.Store, id string, change func(session.Session) session.Session) error {
	_, err := Change{Kind: kind.Sessions.Kind, IDs: []string{id}, Made: &session.Key{Session: id}, Decide: func(wc WriteContext) (any, error) {
		ses := wc.Was.(session.Session)
		return change(ses), ses.Usable(w.Actor())
	}}.Run(ctx, w, s)
	return err
}
