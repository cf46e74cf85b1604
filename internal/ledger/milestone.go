package ledger

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// MilestoneKind is the kind of a milestone, in a record.Ref, and MilestonePrefix what stands before the dash of its id.
const (
	MilestoneKind   = "milestone"
	MilestonePrefix = "MS"
)

// MilestoneID names a milestone: MS-, and the token of a task's id.
type MilestoneID string

// Milestone is something that is to be reached by a date. Which tasks it takes, these say, and how far it is follows from
// them.
type Milestone struct {
	record.Header          // what all kinds have in common
	Due           task.Due // by when; "" for none
	Body          string
}

// The states of a milestone. The last two are closed.
const (
	MilestoneOpen    record.Status = "open"
	MilestoneReached record.Status = "reached"
	MilestoneDropped record.Status = "dropped"
)

// MilestoneStates lists every state.
var MilestoneStates = []record.Status{MilestoneOpen, MilestoneReached, MilestoneDropped}

// MilestoneChange is what somebody writes of a milestone. What is nil stays as it is.
type MilestoneChange struct {
	Title, Body *string
	Due         *task.Due
	Labels      *[]string
	Status      *record.Status
}

// Change returns the milestone with what somebody wrote, and with an entry that says what changed. It is the same
// milestone if nothing would change, and INVALID_INPUT is returned for what no milestone may be.
func (m Milestone) Change(c MilestoneChange, s record.Stamp) (Milestone, error) {
	now, to := m, m.Status
	change(nil, "status", &to, c.Status)
	keys := change(nil, "title", &now.Title, c.Title)
	keys = change(keys, "labels", &now.Labels, c.Labels, record.Unique)
	keys = change(keys, "due", &now.Due, c.Due)
	keys = change(keys, "body", &now.Body, c.Body, record.CleanBody)
	if len(keys) == 0 && to == m.Status {
		return m, nil
	}
	var err error
	now.Header, err = updated(now.Header, keys, to, MilestoneStates, s)
	return now, cmp.Or(err, now.Valid())
}

// Valid returns INVALID_INPUT for what no milestone may be. The message begins with the key.
func (m Milestone) Valid() error { return cmp.Or(m.Due.Valid(), m.Header.Valid(m.Body)) }
