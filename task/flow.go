package task

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Flow is the configuration that the rules go by: the states and what each means to the gates, the definition of done,
// and who settles manual checks and accepts decisions.
type Flow struct {
	States     []record.Status
	Initial    record.Status   // where a task is created; leaving it needs the deps
	Working    record.Status   // where begin moves a task; "" leaves it where it is
	Review     record.Status   // where finish moves a task; "" leaves it where it is
	Closed     []record.Status // entering one needs the checks
	Abandoned  []record.Status // closed without claiming that the work is done; entering one needs nothing
	GateReview bool            // entering Review needs the command checks
	Defaults   []Check         // that every new task has: the definition of done
	Fields     []Field         // keys of the user's own

	Attesters
}

// Known returns UNKNOWN_STATE, naming the states that exist, if s is none of them.
func (f Flow) Known(s record.Status) error {
	if slices.Contains(f.States, s) {
		return nil
	}
	return record.Errorf(record.UnknownState, "there is no state %q", record.Clip(string(s), 60)).
		WithHint("the states are %s", f.StatesText())
}

// StatesText lists the states for a message.
func (f Flow) StatesText() string { return strings.Join(record.Texts(f.States), ", ") }

// IsClosed reports whether tasks in s count as closed. Abandoned ones do.
func (f Flow) IsClosed(s record.Status) bool { return slices.Contains(f.Closed, s) }

// Over reports whether nobody works any more on tasks in s: they are in review, or closed.
func (f Flow) Over(s record.Status) bool { return f.IsClosed(s) || f.Review != "" && s == f.Review }

// DepClosed reports whether nothing waits any more for what a task depends on. For a record of another kind, the kind
// says which states are closed.
func (f Flow) DepClosed(dep Task) bool { return f.closes(dep, dep.Status) }

// closes reports whether a state closes a task, or the record that it stands for.
func (f Flow) closes(t Task, s record.Status) bool {
	if t.Other != nil {
		return t.Other.Closed(s)
	}
	return f.IsClosed(s)
}

// IsAbandoned reports whether s closes a task without claiming that the work is done.
func (f Flow) IsAbandoned(s record.Status) bool { return slices.Contains(f.Abandoned, s) }

// Done returns the first closed state that says the work is done; "" if there is none.
func (f Flow) Done() record.Status {
	for _, s := range f.Closed {
		if !f.IsAbandoned(s) {
			return s
		}
	}
	return ""
}

// HasLeft reports whether the task is, or ever was, out of the initial state. Moving it back does not make this false.
func (f Flow) HasLeft(t Task) bool {
	return t.Status != f.Initial || slices.ContainsFunc(t.Provenance, func(e record.Entry) bool {
		return e.To != "" && e.To != f.Initial
	})
}

// ClosedAt reports whether a task, or the record that it stands for, was closed at a time, by its provenance. Times are
// whole seconds, so if it moved in that very second, it counts as closed if it was closed before or after. A task
// without moves has always been in its status.
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
		if e.At.Equal(at) && (f.closes(t, status) || f.closes(t, e.To)) {
			return true
		}
		status = e.To
	}
	return f.closes(t, status)
}
