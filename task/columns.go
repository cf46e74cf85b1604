package task

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Column is the states whose tasks stand in one column of a board.
type Column struct {
	Name   string
	States []record.Status // the first is where a task goes that is moved into the column
	Closed bool            // its tasks are done with
}

// ClosedColumn is the name of the column of the closed states.
const ClosedColumn = "closed"

// Columns are the columns of a board of the flow: each open state, and all closed ones together.
func (l Lifecycle) Columns() []Column {
	var out []Column
	for _, state := range l.States {
		if !l.IsClosed(state) {
			out = append(out, Column{Name: string(state), States: []record.Status{state}})
		}
	}
	closed := slices.Clone(l.Closed)
	if done := l.Done(); done != "" { // where a task goes that is moved into the column
		closed = append([]record.Status{done}, slices.DeleteFunc(closed, func(s record.Status) bool { return s == done })...)
	}
	if len(closed) > 0 {
		out = append(out, Column{Name: ClosedColumn, States: closed, Closed: true})
	}
	return out
}

// Starts reports whether to move a task from one state to another is to start it, so that whoever moves it takes it.
func (l Lifecycle) Starts(from, to record.Status) bool {
	return to != "" && to == l.Working && !l.IsClosed(from) && from != l.Review
}
