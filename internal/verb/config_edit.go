package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
)

// EditConfig changes the config of the workspace under the write lock. A call that was made before, by the entries of
// the config, is not made again. If fn fails, nothing is written and its error returns; otherwise the errors are those
// of Update.
func (w *Workspace) EditConfig(ctx context.Context, s *store.Store, fn func(*format.Doc) (*format.Doc, error)) error {
	return w.Update(ctx, s, func(tx *store.Tx) error {
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
}
