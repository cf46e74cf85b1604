package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// risk stands for a record of another kind, whose closed states are its own and no states of tasks.
func risk(id record.ID, status record.Status, log ...record.Entry) task.Task {
	h := record.Header{Ref: record.Ref{Kind: "risk", ID: string(id)}, Title: "Risk " + string(id), Status: status, Log: log}
	return task.DepOf(h, func(s record.Status) bool { return s == "mitigated" || s == "accepted" })
}

// A task can wait for a record of another kind, which says itself which of its states are closed.
func TestDepsOfAnotherKind(t *testing.T) {
	find := graph(node("A-2", "done"), risk("R-1", "open"), risk("R-2", "mitigated"), risk("R-3", "done"))
	for _, tt := range []struct {
		name string
		deps []record.ID
		says string // "" if the task may be started
	}{
		{"closed by its own states", []record.ID{"R-2"}, ""},
		{"open", []record.ID{"R-1"}, "waits for R-1 (open)"},
		{"in a state that closes tasks and not risks", []record.ID{"R-3"}, "waits for R-3 (done)"},
		{"beside a task", []record.ID{"A-2", "R-1"}, "waits for R-1 (open)"},
		{"missing", []record.ID{"R-9"}, "waits for R-9 (missing)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			waiting := node("A-1", "backlog", tt.deps...)
			wantRefusal(t, flow.DepsGate(waiting, "in_progress", find), record.DepsOpen, tt.says)
			if got := len(flow.BlockedBy(waiting, find)) == 0; got != (tt.says == "") {
				t.Errorf("ready is %v", got)
			}
		})
	}
	if err := task.ValidDeps("A-1", []record.ID{"R-1", "R-2"}, find); err != nil {
		t.Errorf("deps on records of another kind: %v", err)
	}
	wantRefusal(t, task.ValidDeps("A-1", []record.ID{"R-9"}, find), record.DanglingDep, "R-9")
	wantRefusal(t, task.ValidParent("A-1", "R-1", find), record.DanglingDep, "parent R-1")
}

// When a record of another kind was closed follows from its entries and its own states.
func TestClosedAtOfAnotherKind(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 6, 21, 10, minute, 0, 0, time.UTC) }
	r := risk("R-1", "open",
		record.Entry{At: at(0), Did: record.Created},
		record.Entry{At: at(10), From: "open", To: "accepted"},
		record.Entry{At: at(20), From: "accepted", To: "open"})
	for minute, want := range map[int]bool{5: false, 10: true, 15: true, 25: false} {
		if got := flow.ClosedAt(r, at(minute)); got != want {
			t.Errorf("closed at minute %d: got %v, want %v", minute, got, want)
		}
	}
}
