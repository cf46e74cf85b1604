package verb

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
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

// EditConfig changes the config of the workspace under the write lock. A call that was made before, by the entries of
// the config, is not made again. If fn fails, nothing is written and its error returns; otherwise the errors are those
// of Update. It returns the workspace with the config as it is then.
func (w *Workspace) EditConfig(ctx context.Context, s *store.Store, fn func(*format.Doc) (*format.Doc, error)) (*store.Store, error) {
	err := w.Update(ctx, s, func(tx *store.Tx) error {
		entries, err := s.ConfigEntries()
		if err == nil {
			err = w.Idempotency.Recorded(entries, session.Key{})
		}
		if err != nil {
			return err
		}
		w.Idempotency.Remember(tx, session.Key{})
		return tx.EditConfig(fn)
	})
	if err != nil {
		return nil, err
	}
	return w.Open()
}

// liveError says that a record with the same fingerprint is there, and is not closed.
type liveError struct{ id string }

func (liveError) Error() string { return "there is one already" }

// CreateUnlessLive is Create, unless a record of the kind that is not closed has the same fingerprint: then that one is
// named, and no record is written. Whether there is one is decided under the lock. Without a fingerprint it is Create.
func CreateUnlessLive[ID ~string, T any](ctx context.Context, w *Workspace, s *store.Store, k kind.Of[ID, T], fingerprint string, build func(tx *store.Tx, token string) (T, error)) (ref record.Ref, reused bool, err error) {
	ref, err = Create(ctx, w, s, k, func(tx *store.Tx, token string) (T, error) {
		made, err := build(tx, token)
		if err == nil && fingerprint != "" {
			err = noneLive(ctx, s, k.Kind, fingerprint)
		}
		return made, err
	})
	var live liveError
	if !errors.As(err, &live) {
		return ref, false, err
	}
	ref = k.Ref(live.id)
	err = w.Update(ctx, s, func(tx *store.Tx) error { // so that the call can be repeated when that one is closed
		w.Idempotency.Remember(tx, session.Key{Record: &ref})
		return nil
	})
	return ref, true, err
}

// noneLive returns a liveError if a record of a kind that is not closed has a fingerprint.
func noneLive(ctx context.Context, s *store.Store, k *kind.Kind, fingerprint string) error {
	all, err := s.Rows(k).Look(ctx)
	if err != nil {
		return err
	}
	for _, r := range all.Rows() {
		if r.Fact(kind.FingerprintFact) == fingerprint && !k.Closed(s.Config.Flow, r.Status) {
			return liveError{r.ID}
		}
	}
	return nil
}
