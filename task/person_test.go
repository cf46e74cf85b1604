package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// A person is asked for what counts because a person did it, and for nothing else; whoever is no person is asked nothing.
func TestAsks(t *testing.T) {
	nobody, other := task.Actor(""), task.Actor("agent:other")
	find := func(id task.ID) (task.Task, bool) {
		return task.Task{ID: id, Status: map[task.ID]task.Status{"A-2": "done"}[id]}, id != "A-4"
	}
	created := task.Entry{Who: "human:shah", Did: task.Created, Checks: task.ChecksHash([]task.Check{suite, read})}
	started := task.Task{ID: "A-1", Title: "Walls", Status: "in_progress", Deps: []task.ID{"A-2", "A-3", "A-4"}, Checks: []task.Check{suite, read},
		Provenance: []task.Entry{created}}
	waiting := started
	waiting.Status = "backlog"
	byAnother := waiting
	byAnother.Provenance = []task.Entry{{Who: "human:lee", Did: task.Created, Checks: created.Checks}}
	with := func(t task.Task, change func(*task.Task)) task.Task { change(&t); return t }
	fewer := func(t *task.Task) { t.Checks = []task.Check{suite} }
	me := func() *task.Actor { a := task.Actor("human:shah"); return &a }()
	pass := []task.CheckResult{{Check: read.Key(), Result: task.Pass}}
	fail := []task.CheckResult{{Check: read.Key(), Result: task.Fail}}
	changed := func(e task.Entry) task.Entry { e.Did, e.Checks = task.Updated, "0123456789abcdef"; return e }

	for _, tt := range []struct {
		name   string
		before task.Task
		change func(*task.Task)
		entry  task.Entry
		holder task.Actor
		asks   []string // word: part of what it says
	}{
		{"a pass", started, nil, task.Entry{Did: task.Attested, Results: pass}, nobody, []string{"pass: attesting check 1 (read by a person) as passed"}},
		{"a fail", started, nil, task.Entry{Did: task.Attested, Results: fail}, nobody, []string{"fail: attesting check 1 (read by a person) as failed"}},
		{"a run of commands", started, nil, task.Entry{Did: task.Checked, Results: pass}, nobody, nil},
		{"a note", started, nil, task.Entry{Did: task.Noted, Text: "x"}, other, nil},
		{"a move", started, func(t *task.Task) { t.Status = "done" }, task.Entry{Did: task.Transitioned, From: "in_progress", To: "done"}, other, nil},

		{"a check taken away once work began", started, fewer, changed(task.Entry{Text: "why"}), nobody, []string{"change: taking away or changing checks that were asked for (read by a person)"}},
		{"a check of one's own taken away before", waiting, fewer, changed(task.Entry{}), nobody, nil},
		{"a check of another's taken away before", byAnother, fewer, changed(task.Entry{}), nobody, []string{"change: taking away"}},
		{"a check added with a reason", started, func(t *task.Task) { t.Checks = []task.Check{suite, read, {Desc: "new"}} }, changed(task.Entry{Text: "why"}), nobody,
			[]string{"change: answering for the list of checks"}},
		{"a check added without one", started, func(t *task.Task) { t.Checks = []task.Check{suite, read, {Desc: "new"}} }, changed(task.Entry{}), nobody, nil},
		{"the list as it is, with a reason", started, nil, changed(task.Entry{Text: "it is right"}), nobody, []string{"change: answering"}},

		{"open deps taken away once work began", started, func(t *task.Task) { t.Deps = []task.ID{"A-2"} }, task.Entry{Did: task.Updated}, nobody,
			[]string{"remove: taking away dependencies that are open (A-3, A-4)"}},
		{"a closed dep taken away", started, func(t *task.Task) { t.Deps = []task.ID{"A-3", "A-4"} }, task.Entry{Did: task.Updated}, nobody, nil},
		{"deps taken away before work began", waiting, func(t *task.Task) { t.Deps = nil }, task.Entry{Did: task.Updated}, nobody, nil},

		{"another's task released", started, nil, task.Entry{Did: task.Released}, other, []string{"take: taking it from agent:other"}},
		{"one's own released", started, nil, task.Entry{Did: task.Released}, "human:shah", nil},
		{"nobody's released", started, nil, task.Entry{Did: task.Released}, nobody, nil},
		{"another's task given away", started, nil, task.Entry{Did: task.Assigned, Assignee: me}, other, []string{"take: "}},
		{"another's task deleted", started, nil, task.Entry{Did: task.Deleted}, other, []string{"take: "}},
		{"a lapsed one taken over", started, nil, task.Entry{Did: task.TakenOver, Assignee: me}, other, nil},

		{"all at once", started, func(t *task.Task) { t.Checks, t.Deps = nil, nil }, changed(task.Entry{Text: "why", Assignee: me}), other,
			[]string{"change: ", "remove: ", "take: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := tt.before
			if tt.change != nil {
				after = with(tt.before, tt.change)
			}
			tt.entry.Who = "human:shah"
			got := flow.Asks(tt.before, after, tt.entry, tt.holder, find)
			if len(got) != len(tt.asks) {
				t.Fatalf("asks %+v", got)
			}
			for i, a := range got {
				if !strings.HasPrefix(a.Word+": "+a.Does, tt.asks[i]) || a.Who != "human:shah" || a.ID != "A-1" || a.Title != "Walls" || a.Text != tt.entry.Text {
					t.Errorf("asks %+v, want %q", a, tt.asks[i])
				}
			}
			for _, who := range []task.Actor{"agent:a", "service:a", "ci:a"} {
				tt.entry.Who = who
				if got := flow.Asks(tt.before, after, tt.entry, tt.holder, find); got != nil {
					t.Errorf("%s is asked %+v", who, got)
				}
			}
			if len(got) > 0 && task.CodeOf(task.Unconfirmed(got)) != task.Forbidden {
				t.Error("it is not refused")
			}
			if again := flow.Asks(tt.before, after, func() task.Entry { e := tt.entry; e.Who = "human:shah"; return e }(), tt.holder, find); !slices.Equal(got, again) {
				t.Errorf("the same is asked as %+v", again)
			}
		})
	}
}
