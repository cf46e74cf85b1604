package task

import (
	"slices"
	"time"
)

// ClosedAt reports whether, by its record, the task was closed at a time. Within one second nobody knows the order, and what
// speaks for closed counts. A task that never moved, by its record, always was what it is.
func (f Flow) ClosedAt(t Task, at time.Time) bool {
	status, moved := t.Status, false
	for _, e := range t.Provenance {
		if e.To == "" {
			continue
		}
		if !moved {
			status, moved = e.From, true
		}
		if e.At.After(at) {
			break
		}
		if e.At.Equal(at) && (f.IsClosed(status) || f.IsClosed(e.To)) {
			return true
		}
		status = e.To
	}
	return f.IsClosed(status)
}

// Holder is whom an entry makes the holder of the task, if it changed the holder. Of entries from before they said so it is
// whom their kind tells of.
func (e Entry) Holder() (Actor, bool) {
	switch {
	case e.Assignee != nil:
		return *e.Assignee, true
	case e.Did == Claimed, e.Did == Began, e.Did == TakenOver:
		return e.Who, true
	case e.Did == Released:
		return "", true
	}
	return "", false
}

// HasHolder reports whether the record speaks of a holder at all.
func (t Task) HasHolder() bool {
	return slices.ContainsFunc(t.Provenance, func(e Entry) bool {
		_, ok := e.Holder()
		return ok
	})
}
