package verb

import (
	"errors"
	"slices"

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

// IsUnconfirmed reports whether an error goes away once a person has confirmed what they are asked. Verb.Call asks
// them.
func IsUnconfirmed(err error) bool { return asksOf(err) != nil }

// Confirmed returns FORBIDDEN if some of what is asked was not confirmed by the person in this call; see IsUnconfirmed.
func (w *Workspace) Confirmed(asks []task.Ask) error {
	asks = slices.DeleteFunc(asks, func(a task.Ask) bool { return slices.Contains(w.confirmed, a) })
	if len(asks) == 0 {
		return nil
	}
	return unconfirmedError{asks, task.Unconfirmed(asks)}
}
