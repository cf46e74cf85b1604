package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func TestLevelOf(t *testing.T) {
	all := task.Seen{Held: true, Red: true, Witnessed: true, Signed: true}
	for _, row := range []struct {
		closed bool
		seen   task.Seen
		want   string
	}{
		{false, all, "none"},
		{true, task.Seen{}, "recorded"},
		{true, task.Seen{Red: true}, "recorded"},
		{true, task.Seen{Held: true}, "held"},
		{true, task.Seen{Held: true, Red: true}, "red"},
		{true, task.Seen{Witnessed: true}, "witnessed"},
		{true, task.Seen{Signed: true}, "signed"},
		{true, all, "signed"},
	} {
		if got := task.LevelOf(row.closed, row.seen).String(); got != row.want {
			t.Errorf("closed %v, %+v: level %s, want %s", row.closed, row.seen, got, row.want)
		}
	}
}

// What stands for a close changes with whatever the close rests on, and with nothing else.
func TestClosing(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	check := task.Check{Desc: "builds", Cmd: "make", Result: record.Pass}
	of := func(edit func(*task.Task)) string {
		one := task.Task{ID: "A-1", Status: "done", Checks: []task.Check{check}}
		one.Provenance = record.Log{
			{Who: "agent:a", At: now, Did: record.Created},
			{Who: "agent:a", At: now, Did: record.Checked, Tree: "t1", Results: []record.CheckResult{{Check: check.Key("A-1"), Result: record.Pass}}},
			{Who: "agent:a", At: now, Did: record.Transitioned, From: "backlog", To: "done"},
		}
		edit(&one)
		return one.Closing()
	}
	closing := of(func(*task.Task) {})
	if len(closing) != 32 {
		t.Fatalf("closing is %q", closing)
	}
	same := of(func(one *task.Task) {
		one.Title, one.Body = "Other", "text"
		one.Provenance = append(one.Provenance, record.Entry{Who: "agent:b", At: now, Did: record.Noted, Text: "well"})
	})
	if same != closing {
		t.Error("a title, a text and a note make it another close")
	}
	for name, edit := range map[string]func(*task.Task){
		"task":    func(one *task.Task) { one.ID = "A-2" },
		"name":    func(one *task.Task) { one.Checks[0].Desc = "it is audited" },
		"guards":  func(one *task.Task) { one.Checks[0].Guards = []string{"none"} },
		"command": func(one *task.Task) { one.Checks[0].Cmd = "true" },
		"tree":    func(one *task.Task) { one.Provenance[1].Tree = "t2" },
		"closer":  func(one *task.Task) { one.Provenance[2].Who = "human:lee" },
		"move": func(one *task.Task) {
			one.Provenance = append(one.Provenance, record.Entry{Who: "agent:a", At: now, Did: record.Transitioned, From: "done", To: "backlog"})
		},
		"result": func(one *task.Task) { one.Checks[0].Result = record.Fail },
		"no run": func(one *task.Task) { one.Provenance[1].Results = nil },
	} {
		if of(edit) == closing {
			t.Errorf("another %s makes no other close", name)
		}
	}
}
