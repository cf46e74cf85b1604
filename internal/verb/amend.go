package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Amendment is a write that appends one entry to a record of any kind, and changes nothing but what all kinds have in common.
type Amendment struct {
	Kind        *kind.Kind
	ID          string
	ExpectedRev string // that the record must still have, else CONFLICT; "" for any

	// Decide returns the record after the change, without the entry, and the entry. An entry of nil means that nothing changes and nothing is
	// written. It runs under the lock, and may run more than once.
	Decide func(tx *store.Tx, v any) (after any, entry *record.Entry, err error)
}

// Amend makes the write, and returns the record as get does: a Task, a Session, or else a Record.
func (w *Workspace) Amend(ctx context.Context, s *store.Store, a Amendment) (any, error) {
	err := w.Update(ctx, s, func(tx *store.Tx) error {
		v, err := tx.Read(a.Kind, a.ID)
		if err != nil {
			return err
		}
		if err := w.InScope(scopeOf(a.ID, v)); err != nil {
			return err
		}
		h := a.Kind.Header(v)
		if err := w.Idempotency.Recorded(h.Log, keyOf(h.Ref)); err != nil {
			return err
		}
		if err := Expect(a.ExpectedRev, h); err != nil {
			return err
		}
		after, entry, err := a.Decide(tx, v)
		if err == nil && entry != nil {
			after, err = a.Kind.With(after, *entry)
		}
		if err != nil {
			return err
		}
		if entry != nil {
			tx.Put(a.Kind, after)
		}
		w.Idempotency.Remember(tx, keyOf(h.Ref))
		return nil
	})
	if err != nil {
		return nil, WithID(err, record.ID(a.ID))
	}
	return w.View(s).AnyByID(a.Kind, a.ID)
}

// scopeOf is the task that a record belongs to for who may change one task only: that of a session, and of a task itself.
func scopeOf(id string, v any) record.ID {
	if ses, ok := v.(session.Session); ok {
		return ses.Task
	}
	return record.ID(id)
}

// Expect returns CONFLICT if a record has another revision than the caller says; "" is any.
func Expect(rev string, h record.Header) error {
	if rev == "" || record.Rev(rev) == h.Rev {
		return nil
	}
	return Moved(h, "has revision %s, not %s", h.Rev, Head(rev, 40))
}

// Moved is the CONFLICT of a record that is not as the caller expects.
func Moved(h record.Header, format string, args ...any) error {
	return record.Errorf(record.Conflict, format, args...).
		WithHint("read it again and decide anew").WithNext(record.CallTo("get", "id", h.Ref.ID)).ForGood()
}

// AnyByID reads a record of any kind and shows it as get does: as a Task, a Session, or else a Record.
func (v View) AnyByID(k *kind.Kind, id string) (any, error) {
	switch k {
	case kind.Tasks.Kind:
		return v.TaskByID(record.ID(id))
	case kind.Sessions.Kind:
		return v.SessionByID(id)
	default:
		return v.RecordByID(k, id, Usual)
	}
}
