package task

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Flow is the configuration that the rules go by: the states and what each means to the gates, the definition of done,
// fields of the user's own, and who settles manual checks and accepts decisions.
type Flow struct {
	Lifecycle
	Attesters
	WantsRed string  // RedNote, RedRequire or RedOff
	Defaults []Check // that every new task has: the definition of done
	Fields   OwnFields
}

// Lifecycle is the states, and what each means to the gates.
type Lifecycle struct {
	States     []record.Status
	Initial    record.Status   // where a task is created; leaving it needs the deps
	Working    record.Status   // where begin moves a task; "" leaves it where it is
	Review     record.Status   // where finish moves a task; "" leaves it where it is
	Closed     []record.Status // entering one needs the checks
	Abandoned  []record.Status // closed without claiming that the work is done; entering one needs nothing
	GateReview bool            // entering Review needs the command checks
}

// Known returns UNKNOWN_STATE, naming the states that exist, if s is none of them.
func (l Lifecycle) Known(s record.Status) error {
	if slices.Contains(l.States, s) {
		return nil
	}
	return record.Errorf(record.UnknownState, "there is no state %q", record.Clip(string(s), 60)).
		WithHint("the states are %s", l.StatesText())
}

// StatesText lists the states for a message.
func (l Lifecycle) StatesText() string { return strings.Join(record.Texts(l.States), ", ") }

// IsClosed reports whether tasks in s count as closed. Abandoned ones do.
func (l Lifecycle) IsClosed(s record.Status) bool { return slices.Contains(l.Closed, s) }

// Over reports whether nobody works any more on tasks in s: they are in review, or closed.
func (l Lifecycle) Over(s record.Status) bool {
	return l.IsClosed(s) || l.Review != "" && s == l.Review
}

// DepClosed reports whether nothing waits any more for what a task depends on. For a record of another kind, the kind
// says which states are closed.
func (l Lifecycle) DepClosed(dep Task) bool { return l.closes(dep, dep.Status) }

// closes reports whether a state closes a task, or the record that it stands for.
func (l Lifecycle) closes(t Task, s record.Status) bool {
	if t.Other != nil {
		return t.Other.Closed(s)
	}
	return l.IsClosed(s)
}

// IsAbandoned reports whether s closes a task without claiming that the work is done.
func (l Lifecycle) IsAbandoned(s record.Status) bool { return slices.Contains(l.Abandoned, s) }

// ClaimsDone reports whether s closes a task and says that the work is done.
func (l Lifecycle) ClaimsDone(s record.Status) bool { return l.IsClosed(s) && !l.IsAbandoned(s) }

// Done returns the first closed state that says the work is done; "" if there is none.
func (l Lifecycle) Done() record.Status {
	i := slices.IndexFunc(l.Closed, l.ClaimsDone)
	if i < 0 {
		return ""
	}
	return l.Closed[i]
}

// HasLeft reports whether the task is, or ever was, out of the initial state. Moving it back does not make this false.
func (l Lifecycle) HasLeft(t Task) bool {
	return t.Status != l.Initial || slices.ContainsFunc(t.Provenance, func(e record.Entry) bool {
		return e.To != "" && e.To != l.Initial
	})
}

// ClosedAt reports whether a task, or the record that it stands for, was closed at a time, by its provenance. Times are
// whole seconds, so if it moved in that very second, it counts as closed if it was closed before or after. A task
// without moves has always been in its status.
func (l Lifecycle) ClosedAt(t Task, at time.Time) bool {
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
		if e.At.Equal(at) && (l.closes(t, status) || l.closes(t, e.To)) {
			return true
		}
		status = e.To
	}
	return l.closes(t, status)
}

// HandedOver reports whether nobody is at work on a task any more, whoever holds it: it is in review or closed, or its
// last attempt was finished.
func (l Lifecycle) HandedOver(t Task) bool {
	last, found := t.Provenance.Newest(func(e record.Entry) bool {
		_, gives := e.Holder()
		return gives || e.OfAttempt()
	})
	return l.Over(t.Status) || found && last.Did == record.Finished
}

// cairnStates are the states that cairn's own words speak of.
var cairnStates = []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"}

// ValidState returns INVALID_INPUT for a state that people would take for another: one that looks like one of others,
// or like one that cairn's own words speak of, and one that has what nobody sees.
func ValidState(s record.Status, others []record.Status) error {
	if err := record.ValidLine("a state", string(s)); err != nil {
		return err
	}
	if strings.TrimSpace(string(s)) != string(s) || strings.ContainsFunc(string(s), unseen) {
		return record.Errorf(record.InvalidInput, "the state %q has a blank at an end, or a character that nobody sees", record.Clip(string(s), 60))
	}
	look := looksLike(s)
	isASCII := !strings.ContainsFunc(string(s), func(r rune) bool { return r > unicode.MaxASCII })
	twin := func(o record.Status) bool { return o != s && looksLike(o) == look }
	if i := slices.IndexFunc(others, twin); i >= 0 {
		return record.Errorf(record.InvalidInput, "the state %q looks like %q", record.Clip(string(s), 60), record.Clip(string(others[i]), 60))
	}
	if i := slices.IndexFunc(cairnStates, twin); i >= 0 && !isASCII {
		return record.Errorf(record.InvalidInput, "the state %q looks like %s, and has other letters", record.Clip(string(s), 60), cairnStates[i])
	}
	return nil
}

// unseen reports whether a character of a line shows as nothing, or changes others.
func unseen(r rune) bool {
	return record.Hidden(r) || unicode.In(r, unicode.Cc, unicode.Co, unicode.Me, unicode.Zl, unicode.Zp) || r != ' ' && unicode.Is(unicode.Zs, r)
}

// looksLike is a text that is equal for states that look alike: record.Looks of it without accents, blanks, dashes and
// underscores.
func looksLike(s record.Status) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == ' ' || unicode.In(r, unicode.Pd, unicode.Pc) {
			return -1
		}
		return r
	}, record.Looks(string(s)))
}
