package task

import (
	"slices"
	"strings"
	"time"
)

// Status is the name of a state. Which names there are is configured, so a Status means something only beside a Flow.
type Status string

// Flow is the configured states and what each means to the gates.
type Flow struct {
	States     []Status
	Initial    Status   // where a task is created; leaving it needs the deps
	Working    Status   // where begin moves a task; "" leaves it where it is
	Review     Status   // where finish moves a task; "" leaves it where it is
	Closed     []Status // entering one needs the checks
	Abandoned  []Status // closed without claiming that it works; entering one needs nothing
	GateReview bool     // entering Review needs the command checks
	Defaults   []Check  // that every new task has: the definition of done
	Settles    string   // who settles manual checks that name nobody: BySigned, ByHuman or ByAnyone; "" is ByHuman
	Prefix     string   // of the workspace's ids, which signed approvals name
	Signers    Signers  // whose signatures count; nil for nobody's
}

// Known returns UNKNOWN_STATE, naming the states there are, if s is none of them.
func (f Flow) Known(s Status) error {
	if slices.Contains(f.States, s) {
		return nil
	}
	names := make([]string, len(f.States))
	for i, state := range f.States {
		names[i] = string(state)
	}
	return Errorf(UnknownState, "there is no state %q", clip(string(s), 60)).
		WithHint("the states are %s", strings.Join(names, ", "))
}

// IsClosed reports whether tasks in s count as closed, abandoned ones included.
func (f Flow) IsClosed(s Status) bool { return slices.Contains(f.Closed, s) }

// IsAbandoned reports whether s closes a task without claiming that it works.
func (f Flow) IsAbandoned(s Status) bool { return slices.Contains(f.Abandoned, s) }

// HasLeft reports whether the task is, or ever was, out of the initial state. Going back to it takes no check away.
func (f Flow) HasLeft(t Task) bool {
	return t.Status != f.Initial || slices.ContainsFunc(t.Provenance, func(e Entry) bool {
		return e.To != "" && e.To != f.Initial
	})
}

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
