package verb

import (
	"errors"
	"slices"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// unconfirmedError is a refusal that goes away once a person has confirmed what they are asked.
type unconfirmedError struct {
	asks []task.Ask
	err  error
}

func (u unconfirmedError) Error() string { return u.err.Error() }
func (u unconfirmedError) Unwrap() error { return u.err }

// asksOf is what a person would have to confirm for the call to be let through; nil if that would not help.
func asksOf(err error) []task.Ask {
	var u unconfirmedError
	if !errors.As(err, &u) {
		return nil
	}
	return u.asks
}

// unconfirmed returns FORBIDDEN, naming them, if some of what is asked was not confirmed in this call.
func (w *Workspace) unconfirmed(asks []task.Ask) error {
	asks = slices.DeleteFunc(asks, func(a task.Ask) bool { return slices.Contains(w.confirmed, a) })
	if len(asks) == 0 {
		return nil
	}
	return unconfirmedError{asks, task.Unconfirmed(asks)}
}

// having is the workspace for the same call, of which a person has confirmed more.
func (w *Workspace) having(asks []task.Ask) *Workspace {
	call := *w
	call.confirmed = slices.Concat(w.confirmed, asks)
	return &call
}

// inPerson returns FORBIDDEN if an entry says of a person what only a person may do, and they have not confirmed it.
func (w *Workspace) inPerson(s *store.Store, sc scene, after task.Task, entry *task.Entry) error {
	if entry == nil {
		return nil
	}
	return w.unconfirmed(s.Config.Flow.Asks(sc.t, after, *entry, sc.tx.Find))
}
