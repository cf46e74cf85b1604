package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// A person must confirm what counts because a person did it, and nothing else. Other actors are asked nothing.
func TestAsks(t *testing.T) {
	find := func(id record.ID) (task.Task, bool) {
		return task.Task{ID: id, Status: map[record.ID]record.Status{"A-2": "done"}[id]}, id != "A-4"
	}
	created := record.Entry{Who: "human:shah", Did: record.Created, Checks: task.Task{ID: "A-1", Checks: []task.Check{suite, read}}.CheckHashes()}
	started := task.Task{ID: "A-1", Title: "Walls", Status: "in_progress", Deps: []record.ID{"A-2", "A-3", "A-4"}, Checks: []task.Check{suite, read},
		Provenance: []record.Entry{created}}
	waiting := started
	waiting.Status = "backlog"
	byAnother := waiting
	byAnother.Provenance = []record.Entry{{Who: "human:lee", Did: record.Created, Checks: created.Checks}}
	with := func(t task.Task, change func(*task.Task)) task.Task { change(&t); return t }
	fewer := func(t *task.Task) { t.Checks = []task.Check{suite} }
	me := func() *record.Actor { a := record.Actor("human:shah"); return &a }()
	pass := []record.CheckResult{{Check: read.Key("A-1"), Result: record.Pass}}
	fail := []record.CheckResult{{Check: read.Key("A-1"), Result: record.Fail}}
	changed := func(e record.Entry) record.Entry {
		e.Did, e.Checks = record.Updated, []string{"0123456789abcdef"}
		return e
	}

	for _, tt := range []struct {
		name   string
		before task.Task
		change func(*task.Task)
		entry  record.Entry
		asks   []string // word: part of what it says
	}{
		{"a pass", started, nil, record.Entry{Did: record.Attested, Results: pass}, []string{"pass: attesting check 1 (read by a person) as passed"}},
		{"a fail", started, nil, record.Entry{Did: record.Attested, Results: fail}, []string{"fail: attesting check 1 (read by a person) as failed"}},
		{"a run of commands", started, nil, record.Entry{Did: record.Checked, Results: pass}, nil},
		{"a note", started, nil, record.Entry{Did: record.Noted, Text: "x"}, nil},
		{"a move", started, func(t *task.Task) { t.Status = "done" }, record.Entry{Did: record.Transitioned, From: "in_progress", To: "done"}, nil},

		{"a check taken away once work began", started, fewer, changed(record.Entry{Text: "why"}), []string{"change: taking away or changing checks that were asked for (read by a person)"}},
		{"a check of one's own taken away before", waiting, fewer, changed(record.Entry{}), nil},
		{"a check of another's taken away before", byAnother, fewer, changed(record.Entry{}), nil},
		{"a check added with a reason", started, func(t *task.Task) { t.Checks = []task.Check{suite, read, {Desc: "new"}} }, changed(record.Entry{Text: "why"}),
			[]string{"change: answering for the list of checks"}},
		{"a check added without one", started, func(t *task.Task) { t.Checks = []task.Check{suite, read, {Desc: "new"}} }, changed(record.Entry{}), nil},
		{"the list as it is, with a reason", started, nil, changed(record.Entry{Text: "it is right"}), []string{"change: answering"}},

		{"open deps taken away once work began", started, func(t *task.Task) { t.Deps = []record.ID{"A-2"} }, record.Entry{Did: record.Updated},
			[]string{"remove: taking away dependencies that are open (A-3)"}},
		{"a closed dep taken away", started, func(t *task.Task) { t.Deps = []record.ID{"A-3", "A-4"} }, record.Entry{Did: record.Updated}, nil},
		{"deps taken away before work began", waiting, func(t *task.Task) { t.Deps = nil }, record.Entry{Did: record.Updated}, nil},

		{"a release", started, nil, record.Entry{Did: record.Released}, nil},
		{"an assignment", started, nil, record.Entry{Did: record.Assigned, Assignee: me}, nil},

		{"all at once", started, func(t *task.Task) { t.Checks, t.Deps = nil, nil }, changed(record.Entry{Text: "why", Assignee: me}),
			[]string{"change: ", "remove: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := tt.before
			if tt.change != nil {
				after = with(tt.before, tt.change)
			}
			tt.entry.Who = "human:shah"
			got := flow.Asks(tt.before, after, tt.entry, find)
			if len(got) != len(tt.asks) {
				t.Fatalf("asks %+v", got)
			}
			for i, a := range got {
				if !strings.HasPrefix(a.Word+": "+a.Does, tt.asks[i]) || a.Who != "human:shah" || a.ID != "A-1" || a.Title != "Walls" || a.Text != tt.entry.Text {
					t.Errorf("asks %+v, want %q", a, tt.asks[i])
				}
			}
			for _, who := range []record.Actor{"agent:a", "service:a", "ci:a"} {
				tt.entry.Who = who
				if got := flow.Asks(tt.before, after, tt.entry, find); got != nil {
					t.Errorf("%s is asked %+v", who, got)
				}
			}
			if len(got) > 0 && record.CodeOf(task.Unconfirmed(got)) != record.Forbidden {
				t.Error("it is not refused")
			}
			if again := flow.Asks(tt.before, after, func() record.Entry { e := tt.entry; e.Who = "human:shah"; return e }(), find); !slices.Equal(got, again) {
				t.Errorf("the same is asked as %+v", again)
			}
		})
	}
}
