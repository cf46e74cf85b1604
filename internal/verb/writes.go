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
	made := &session.Key{Session: beat.Session}
	_, err := Change{Kind: kind.Sessions.Kind, IDs: []string{beat.Session}, Made: made, Decide: func(wc WriteContext) (any, error) {
		var err error
		made.Task = wc.Was.(session.Session).Task
		if wc.Task, err = kind.Tasks.Get(wc.Tx, made.Task); err != nil {
			wc.Task = task.Task{ID: made.Task} // its file may lie on another branch; live state knows who holds it
		}
		if _, err := wc.SessionAtWork(beat.Session); err != nil {
			return nil, err
		}
		beat.Actor, beat.At = w.Actor(), wc.Now.UTC()
		wc.Tx.Beat(beat.After(s.Heartbeat(beat.Session)))
		return wc.Was, nil
	}}.Run(ctx, w, s)
	return err
}

// EditConfig changes the config of the workspace under the write lock. A call that was made before, by the entries of
// the config, is not made again. If fn fails, nothing is written and its error returns; otherwise the errors are those
// of Update. It returns the workspace with the config as it is then.
func (w *Workspace) EditConfig(
	ctx context.Context, s *store.Store, fn func(*format.Doc) (*format.Doc, error),
) (*store.Store, error) {
	_, err := Change{Made: &session.Key{}, Decide: func(wc WriteContext) (any, error) {
		entries, err := s.ConfigEntries()
		if err == nil {
			err = w.Idempotency.Recorded(entries, session.Key{})
		}
		if err != nil {
			return nil, err
		}
		return nil, wc.Tx.EditConfig(fn)
	}}.Run(ctx, w, s)
	if err != nil {
		return nil, err
	}
	return w.Open()
}

// RememberCall keeps in live state what a call made that has an idempotency key, if it wrote nothing that does. A kill
// before it leaves a call that is made again when it is repeated.
func (w *Workspace) RememberCall(ctx context.Context, s *store.Store, made session.Key) error {
	if !w.Idempotency.Given() {
		return nil
	}
	_, err := Change{Made: &made, Decide: func(WriteContext) (any, error) { return nil, nil }}.Run(ctx, w, s)
	return err
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
	return ref, true, w.RememberCall(ctx, s, session.Key{Record: &ref}) // it can be repeated when that one is closed
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
