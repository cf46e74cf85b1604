package verb

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

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
