package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// flow is what the tests go by: the states that init writes.
var flow = task.Flow{Lifecycle: task.Lifecycle{
	States:    []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
	Initial:   "backlog",
	Working:   "in_progress",
	Review:    "in_review",
	Closed:    []record.Status{"done", "canceled"},
	Abandoned: []record.Status{"canceled"},
}}

const (
	claude = record.Actor("agent:claude-1")
	gemini = record.Actor("agent:gemini")
	shah   = record.Actor("human:shah")
)

var now = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// by is a write of an actor, now.
func by(who record.Actor) record.Stamp { return record.Stamp{Who: who, At: now} }

// saying is a write with a text.
func saying(who record.Actor, text string) record.Stamp {
	return record.Stamp{Who: who, At: now, Text: text}
}

// graph is a set of tasks that can be found.
func graph(tasks ...task.Task) task.Find {
	return func(id record.ID) (task.Task, bool) {
		for _, t := range tasks {
			if t.ID == id {
				return t, true
			}
		}
		return task.Task{}, false
	}
}

var alone = graph()

// node is a task in a state, with dependencies.
func node(id record.ID, status record.Status, deps ...record.ID) task.Task {
	return task.Task{ID: id, Title: "Task " + string(id), Status: status, Priority: task.DefaultPriority, Deps: deps}
}

func wantCode(t *testing.T, err error, want record.Code) {
	t.Helper()
	if record.CodeOf(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestParsePriority(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       task.Priority
		ok         bool
	}{
		{"nothing is the default", "", 2, true},
		{"the most urgent", "0", 0, true},
		{"the least", "4", 4, true},
		{"critical", "critical", 0, true},
		{"urgent", "urgent", 0, true},
		{"high", "high", 1, true},
		{"medium", "medium", 2, true},
		{"normal", "normal", 2, true},
		{"low", "low", 3, true},
		{"backlog", "backlog", 4, true},
		{"beyond the least", "5", 0, false},
		{"below zero", "-1", 0, false},
		{"a fraction", "1.5", 0, false},
		{"an unknown word", "whenever", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := task.ParsePriority(tt.text)
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("ParsePriority(%q) = %d, %v", tt.text, got, err)
			}
		})
	}
}
