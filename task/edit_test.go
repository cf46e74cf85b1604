package task_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func ptr[T any](v T) *T { return &v }

// underway is a task that has left the initial state, with its suite passed and a manual check settled.
func underway() task.Task {
	started := created(suite, read)
	started, _, err := flow.Move(started, "in_progress", task.Proof{}, alone, by(claude))
	if err != nil {
		panic(err)
	}
	started, _, _ = task.RecordRun(started, &task.Run{Results: results(suite, record.Pass), Tree: "t1"}, by(claude))
	started, _, _ = flow.Attest(started, 1, true, by(shah))
	return started
}

// created is a new task with checks.
func created(checks ...task.Check) task.Task {
	t, err := flow.Create(task.Task{ID: "A-1", Title: "Pay twice", Priority: 2, Checks: checks}, alone, by(shah))
	if err != nil {
		panic(err)
	}
	return t
}

// Who may take checks away, and when. Adding them is always free.
func TestChangingChecks(t *testing.T) {
	own, err := flow.Create(task.Task{ID: "A-1", Title: "Pay twice", Checks: []task.Check{suite, read}}, alone, by(claude))
	if err != nil {
		t.Fatal(err)
	}
	extended, _, err := flow.Update(created(suite, read), task.Edit{Checks: &[]task.Check{suite, read, lint}}, task.Proof{}, alone, by(claude))
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := flow.Move(underway(), "backlog", task.Proof{}, alone, by(claude))
	if err != nil {
		t.Fatal(err)
	}
	closed, _, err := flow.Move(underway(), "done", onTree("t1"), alone, by(shah))
	if err != nil {
		t.Fatal(err)
	}
	const reason = "the suite moved to CI"
	easier := task.Check{Desc: suite.Desc, Cmd: "true"}
	elsewhere := task.Check{Desc: suite.Desc, Cmd: suite.Cmd, Cwd: "docs"}
	byAnyone := task.Check{Desc: read.Desc, By: task.ByAnyone}
	patient := task.Check{Desc: suite.Desc, Cmd: suite.Cmd, Timeout: 600}

	for _, tt := range []struct {
		name   string
		task   task.Task
		may    bool // the caller may weaken
		reason string
		checks []task.Check
		want   record.Code
	}{
		{"before work began the actor who declared them may take one away", own, false, "", []task.Check{read}, ""},
		{"before work began the actor who declared them may change one", own, false, "", []task.Check{easier, read}, ""},
		{"before work began another agent may not", created(suite, read), false, reason, []task.Check{read}, record.Forbidden},
		{"an agent does not make the list its own by adding to it", extended, false, reason, []task.Check{lint}, record.Forbidden},
		{"before work began a person needs no reason", created(suite, read), true, "", []task.Check{read}, ""},

		{"an agent may add one", underway(), false, "", []task.Check{suite, read, lint}, ""},
		{"an agent may put them in another order", underway(), false, "", []task.Check{read, suite}, ""},
		{"an agent may change a time limit", underway(), false, "", []task.Check{patient, read}, ""},
		{"an agent may not take one away", underway(), false, reason, []task.Check{suite}, record.Forbidden},
		{"an agent may not take all away", underway(), false, reason, nil, record.Forbidden},
		{"an agent may not change the command", underway(), false, reason, []task.Check{easier, read}, record.Forbidden},
		{"an agent may not change the folder", underway(), false, reason, []task.Check{elsewhere, read}, record.Forbidden},
		{"an agent may not change who attests", underway(), false, reason, []task.Check{suite, byAnyone}, record.Forbidden},
		{"an agent may not turn a command into a question", underway(), false, reason,
			[]task.Check{{Desc: suite.Desc}, read}, record.Forbidden},
		{"an agent may not do it behind one that it adds", underway(), false, reason, []task.Check{lint, read}, record.Forbidden},
		{"an agent cannot take a check away by moving the task back to the start first", back, false, reason,
			[]task.Check{read}, record.Forbidden},

		{"a person may, with a reason", underway(), true, reason, []task.Check{suite}, ""},
		{"a person needs a reason", underway(), true, "", []task.Check{suite}, record.InvalidInput},
		{"a person may not on a closed task", closed, true, reason, []task.Check{suite}, record.TaskClosed},
		{"nobody adds one to a closed task", closed, true, reason, []task.Check{suite, read, lint}, record.TaskClosed},
		{"the same list on a closed task changes nothing", closed, false, "", []task.Check{suite, read}, ""},
		{"a list that may not be declared", underway(), true, reason, []task.Check{suite, suite}, record.InvalidInput},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit, who := task.Edit{Checks: &tt.checks, MayWeaken: tt.may}, claude
			if tt.may {
				who = shah
			}
			after, entry, err := flow.Update(tt.task, edit, task.Proof{}, alone, saying(who, tt.reason))
			wantCode(t, err, tt.want)
			if err != nil {
				if entry != nil || !reflect.DeepEqual(after, tt.task) {
					t.Error("a refusal changed the task")
				}
				return
			}
			if !slices.EqualFunc(after.Checks, tt.checks, task.Check.Same) {
				t.Errorf("the checks are %+v", after.Checks)
			}
			changed := !after.SameChecks(tt.task)
			if changed && !slices.Equal(entry.Checks, after.CheckHashes()) {
				t.Errorf("the entry accounts for %q", entry.Checks)
			}
		})
	}
}

// A list that was changed without an entry is stated anew by an actor who may take checks away, and the entry then
// explains it.
func TestDeclaringAnewWhatTheRecordDoesNotExplain(t *testing.T) {
	tampered := underway()
	tampered.Checks = tampered.Checks[:1]
	planned := created(suite, read)
	planned.Checks = planned.Checks[:1]
	const reason = "the other one is read in the pull request"
	for _, tt := range []struct {
		name   string
		task   task.Task
		may    bool // the caller may weaken
		reason string
		checks []task.Check
		want   record.Code
	}{
		{"a person may, with a reason", tampered, true, reason, []task.Check{suite}, ""},
		{"a person needs a reason", tampered, true, "", []task.Check{suite}, record.InvalidInput},
		{"an agent may not", tampered, false, reason, []task.Check{suite}, record.Forbidden},
		{"an agent may not behind one that it adds", tampered, false, reason, []task.Check{suite, lint}, record.Forbidden},
		{"before work began a maintainer may", planned, true, reason, []task.Check{suite}, ""},
		{"before work began an agent may not take out what a person declared", planned, false, reason, []task.Check{suite}, record.Forbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit := task.Edit{Checks: &tt.checks, MayWeaken: tt.may}
			after, entry, err := flow.Update(tt.task, edit, task.Proof{}, alone, saying(claude, tt.reason))
			wantCode(t, err, tt.want)
			if err == nil && (entry == nil || !slices.Equal(entry.Checks, after.CheckHashes()) || !after.ChecksExplained()) {
				t.Errorf("the entry is %+v", entry)
			}
		})
	}
}

// An edit that does not speak of checks leaves a list that nobody explains as it is.
func TestEditsBesideAnUnexplainedList(t *testing.T) {
	tampered := underway()
	tampered.Checks = tampered.Checks[:1]
	title := "Pay once"
	after, entry, err := flow.Update(tampered, task.Edit{Set: task.Values{"title": title}}, task.Proof{}, alone, by(claude))
	wantCode(t, err, "")
	if entry.Checks != nil || after.ChecksExplained() {
		t.Errorf("the entry is %+v", entry)
	}
}

// A check that asks for the same keeps its result; every other one is pending.
func TestResultsThroughAChangeOfChecks(t *testing.T) {
	renamed := task.Check{Desc: "the suite", Cmd: suite.Cmd}
	retyped := task.Check{Desc: read.Desc, Cmd: "true"}
	moved := task.Check{Desc: suite.Desc, Cmd: suite.Cmd, Cwd: "api"}
	for _, tt := range []struct {
		name   string
		checks []task.Check
		want   []record.Result
	}{
		{"the same, in another order", []task.Check{read, suite}, []record.Result{record.Pass, record.Pass}},
		{"one added", []task.Check{suite, lint, read}, []record.Result{record.Pass, record.Pending, record.Pass}},
		{"another name", []task.Check{renamed, read}, []record.Result{record.Pending, record.Pass}},
		{"another folder", []task.Check{moved, read}, []record.Result{record.Pending, record.Pass}},
		{"another who may attest", []task.Check{suite, {Desc: read.Desc, By: task.ByAnyone}}, []record.Result{record.Pass, record.Pending}},
		{"a question that became a command", []task.Check{suite, retyped}, []record.Result{record.Pass, record.Pending}},
		{"a result that the caller claims", []task.Check{suite, standing(lint, record.Pass), read},
			[]record.Result{record.Pass, record.Pending, record.Pass}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit := task.Edit{Checks: &tt.checks, MayWeaken: true}
			after, _, err := flow.Update(underway(), edit, task.Proof{}, alone, saying(shah, "better so"))
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range after.Checks {
				if c.Result != tt.want[i] {
					t.Errorf("%s is %s, want %s", c.Desc, c.Result, tt.want[i])
				}
			}
		})
	}
}

// Acceptance criteria are the manual checks that anyone may attest, and replacing them leaves the others alone.
func TestChangingAcceptance(t *testing.T) {
	first := created(append([]task.Check{suite, read}, task.Acceptance([]string{"it is fast", "it is small"})...)...)
	after, _, err := flow.Update(first, task.Edit{Acceptance: &[]string{"it is small", "it is right"}}, task.Proof{}, alone, by(shah))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range after.Checks {
		names = append(names, c.Desc)
	}
	if want := []string{"tests pass", "read by a person", "it is small", "it is right"}; !slices.Equal(names, want) {
		t.Errorf("checks are %v, want %v", names, want)
	}
}

// An entry is called after what changed.
func TestKindOfEdit(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit task.Edit
		text string
		want record.Did
	}{
		{"a title", task.Edit{Set: task.Values{"title": "Pay once"}}, "", record.Updated},
		{"a body", task.Edit{Set: task.Values{"body": "Dedupe.\n"}}, "", record.Updated},
		{"labels", task.Edit{Set: task.Values{"labels": []string{"payments"}}}, "", record.Updated},
		{"a priority", task.Edit{Set: task.Values{"priority": task.Priority(0)}}, "", record.Updated},
		{"a parent", task.Edit{Set: task.Values{"parent": record.ID("A-2")}}, "", record.Updated},
		{"a dep", task.Edit{AddDeps: []record.ID{"A-2"}}, "", record.Updated},
		{"checks", task.Edit{Checks: &[]task.Check{suite, read, lint}}, "", record.Updated},
		{"a state", task.Edit{To: ptr(record.Status("in_review"))}, "", record.Transitioned},
		{"a holder", task.Edit{Assignee: ptr(gemini)}, "", record.Assigned},
		{"a state and a holder", task.Edit{To: ptr(record.Status("in_review")), Assignee: ptr(gemini)}, "", record.Updated},
		{"a state and a title", task.Edit{Set: task.Values{"title": "Pay once"}, To: ptr(record.Status("in_review"))}, "", record.Updated},
		{"a text alone", task.Edit{}, "found the cause", record.Noted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, entry, err := flow.Update(underway(), tt.edit, task.Proof{}, graph(node("A-2", "done")), saying(claude, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if entry == nil || entry.Did != tt.want {
				t.Fatalf("the entry is %+v, want %s", entry, tt.want)
			}
			if !reflect.DeepEqual(after.Provenance.Last(), *entry) || len(after.Provenance) != len(underway().Provenance)+1 {
				t.Error("the entry is not the one that was appended")
			}
		})
	}
}

// An edit that says what is so already changes nothing and appends nothing.
func TestEditsThatChangeNothing(t *testing.T) {
	same := underway()
	same.Labels, same.Deps, same.Assignee, same.Body = []string{"payments"}, []record.ID{"A-2"}, claude, "One.\nTwo."
	for _, tt := range []struct {
		name string
		edit task.Edit
	}{
		{"nothing at all", task.Edit{}},
		{"the same body with other line ends", task.Edit{Set: task.Values{"body": "One.\r\nTwo.\r\n"}}},
		{"the same title", task.Edit{Set: task.Values{"title": same.Title}}},
		{"the same labels, one twice", task.Edit{Set: task.Values{"labels": []string{"payments", "payments"}}}},
		{"the same checks", task.Edit{Checks: &[]task.Check{suite, read}}},
		{"no acceptance where there is none", task.Edit{Acceptance: &[]string{}}},
		{"the state it is in", task.Edit{To: &same.Status}},
		{"the holder it has", task.Edit{Assignee: ptr(claude)}},
		{"a dep that it has", task.Edit{AddDeps: []record.ID{"A-2"}}},
		{"no parent where there is none", task.Edit{Set: task.Values{"parent": record.ID("")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, entry, err := flow.Update(same, tt.edit, task.Proof{}, graph(node("A-2", "done")), by(claude))
			if err != nil || entry != nil || !reflect.DeepEqual(after, same) {
				t.Errorf("appended %+v, %v", entry, err)
			}
		})
	}
}

// What is no dep cannot be taken out: the call is refused, and nothing changes.
func TestRemovingWhatIsNoDep(t *testing.T) {
	waits := underway()
	waits.Deps = []record.ID{"A-2", "A-3"}
	find := graph(node("A-2", "done"), node("A-3", "done"))
	for _, tt := range []struct {
		name   string
		remove []record.ID
		ok     bool
	}{
		{"one of them", []record.ID{"A-2"}, true},
		{"one of them, named twice", []record.ID{"A-2", "A-2"}, true},
		{"another", []record.ID{"A-9"}, false},
		{"one of them and another", []record.ID{"A-2", "A-9"}, false},
		{"what could be no id", []record.ID{"#0"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, _, err := flow.Update(waits, task.Edit{RemoveDeps: tt.remove}, task.Proof{}, find, by(claude))
			if ok := err == nil; ok != tt.ok || !ok && record.CodeOf(err) != record.InvalidInput {
				t.Fatal(err)
			}
			if !tt.ok && !reflect.DeepEqual(after, waits) {
				t.Errorf("the task is now %+v", after)
			}
			if e := (*record.Error)(nil); errors.As(err, &e) && e.Hint.String() != "its deps are A-2, A-3" {
				t.Errorf("the hint is %q", e.Hint)
			}
		})
	}
	again, _, err := flow.Update(waits, task.Edit{RemoveDeps: []record.ID{"A-2"}}, task.Proof{}, find, by(claude))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := flow.Update(again, task.Edit{RemoveDeps: []record.ID{"A-2"}}, task.Proof{}, find, by(claude)); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("taking it out twice gives %v", err)
	}
}

// What a file says twice stays so, unless the edit is about it.
func TestEditsLeaveRepetitions(t *testing.T) {
	twice := underway()
	twice.Deps, twice.Labels = []record.ID{"A-2", "A-2"}, []string{"x", "x"}
	after, _, err := flow.Update(twice, task.Edit{AddDeps: []record.ID{"A-3"}}, task.Proof{}, graph(node("A-3", "done")), by(shah))
	if err != nil || !slices.Equal(after.Deps, []record.ID{"A-2", "A-2", "A-3"}) || !slices.Equal(after.Labels, twice.Labels) {
		t.Errorf("left deps %v and labels %v (%v)", after.Deps, after.Labels, err)
	}
}

// An empty value clears a field.
func TestEditsThatClear(t *testing.T) {
	full := underway()
	full.Labels, full.Parent, full.Assignee, full.Body = []string{"payments"}, "A-2", claude, "Prose."
	full.Deps = []record.ID{"A-2", "A-3"}
	edit := task.Edit{Set: task.Values{"labels": []string{}, "parent": record.ID(""), "body": ""}, Assignee: ptr(record.Actor("")), RemoveDeps: []record.ID{"A-2"}}
	after, entry, err := flow.Update(full, edit, task.Proof{}, alone, by(shah))
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Labels) != 0 || after.Parent != "" || after.Assignee != "" || after.Body != "" || !slices.Equal(after.Deps, []record.ID{"A-3"}) {
		t.Errorf("left %+v", after)
	}
	if entry.Assignee == nil || *entry.Assignee != "" {
		t.Errorf("the entry does not say that the task was let go: %+v", entry)
	}
}

// What an edit may not say. Nothing of a refused edit is done.
func TestEditsThatAreRefused(t *testing.T) {
	find := graph(underway(), node("A-2", "backlog", "A-1"), node("A-3", "backlog"))
	for _, tt := range []struct {
		name string
		edit task.Edit
		want record.Code
	}{
		{"an empty title", task.Edit{Set: task.Values{"title": " "}}, record.InvalidInput},
		{"a title of two lines", task.Edit{Set: task.Values{"title": "a\nb"}}, record.InvalidInput},
		{"an empty label", task.Edit{Set: task.Values{"labels": []string{""}}}, record.InvalidInput},
		{"a priority beyond the least", task.Edit{Set: task.Values{"priority": task.Priority(5)}}, record.InvalidInput},
		{"a body that is not text", task.Edit{Set: task.Values{"body": "\xff"}}, record.InvalidInput},
		{"a body with a NUL", task.Edit{Set: task.Values{"body": "a\x00b"}}, record.InvalidInput},
		{"a body that no file would hold", task.Edit{Set: task.Values{"body": strings.Repeat("x", 3<<20+1)}}, record.InvalidInput},
		{"a dep that does not exist", task.Edit{AddDeps: []record.ID{"A-9"}}, record.DanglingDep},
		{"a dep on a task that waits for it", task.Edit{AddDeps: []record.ID{"A-2"}}, record.DepCycle},
		{"a parent that does not exist", task.Edit{Set: task.Values{"parent": record.ID("A-9")}}, record.DanglingDep},
		{"a state that nobody configured", task.Edit{To: ptr(record.Status("finished"))}, record.UnknownState},
		{"a close that the gate refuses", task.Edit{Set: task.Values{"title": "Pay once"}, To: ptr(record.Status("done"))}, record.ChecksPending},
		{"a close, with a check added in the same breath",
			task.Edit{Checks: &[]task.Check{suite, read, lint}, To: ptr(record.Status("done"))}, record.ChecksPending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := underway()
			after, entry, err := flow.Update(before, tt.edit, task.Proof{}, find, by(shah))
			wantCode(t, err, tt.want)
			if entry != nil || !reflect.DeepEqual(after, before) {
				t.Errorf("a refused edit changed %+v", after)
			}
		})
	}
}

// A dep added in the same edit as the move counts for the gate.
func TestEditJudgesTheMoveByTheNewDeps(t *testing.T) {
	find := graph(node("A-3", "backlog"))
	start := task.Edit{AddDeps: []record.ID{"A-3"}, To: ptr(record.Status("in_progress"))}
	_, _, err := flow.Update(created(), start, task.Proof{}, find, by(claude))
	wantCode(t, err, record.DepsOpen)

	waiting := created()
	waiting.Deps = []record.ID{"A-3"}
	freed := task.Edit{RemoveDeps: []record.ID{"A-3"}, To: ptr(record.Status("in_progress"))}
	if _, _, err := flow.Update(waiting, freed, task.Proof{}, find, saying(claude, "not needed after all")); err != nil {
		t.Error(err)
	}
}

// Who may take away what a task waits for: it takes a reason while that is open, and once work began a person or a
// maintainer too.
func TestTakingDepsAway(t *testing.T) {
	const reason = "it waits for the other one"
	find := graph(node("A-2", "backlog"), node("A-3", "done"))
	waiting := func(status record.Status) task.Task {
		one := created()
		one.Deps = []record.ID{"A-2", "A-3", "A-4"}
		if status != one.Status {
			one = one.With(record.Entry{Who: claude, At: now, Did: record.Transitioned, From: one.Status, To: status})
			one.Status = status
		}
		return one
	}
	for _, tt := range []struct {
		name   string
		status record.Status
		may    bool // the caller is a person, or a maintainer
		reason string
		remove []record.ID
		want   record.Code
	}{
		{"an open one, while planning, with a reason", "backlog", false, reason, []record.ID{"A-2"}, ""},
		{"an open one, while planning, without", "backlog", false, "", []record.ID{"A-2"}, record.InvalidInput},
		{"a blank is no reason", "backlog", true, " \n", []record.ID{"A-2"}, record.InvalidInput},
		{"an open one once work began", "in_progress", false, reason, []record.ID{"A-2"}, record.Forbidden},
		{"an open one once work began, by who may", "in_progress", true, reason, []record.ID{"A-2"}, ""},
		{"an open one once work began, by who may, without a reason", "in_progress", true, "", []record.ID{"A-2"}, record.InvalidInput},
		{"one that is closed", "in_progress", false, "", []record.ID{"A-3"}, ""},
		{"one that does not exist", "in_progress", false, "", []record.ID{"A-4"}, ""},
		{"a closed one and an open one", "in_progress", false, "", []record.ID{"A-3", "A-2"}, record.Forbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := waiting(tt.status)
			after, entry, err := flow.Update(before, task.Edit{RemoveDeps: tt.remove, MayWeaken: tt.may}, task.Proof{}, find, saying(claude, tt.reason))
			wantCode(t, err, tt.want)
			if err != nil {
				return
			}
			if !slices.Equal(entry.RemoveDeps, tt.remove) || entry.Deps != task.DepsHash(after.ID, after.Deps) {
				t.Errorf("the entry tells of %v, and %s", entry.RemoveDeps, entry.Deps)
			}
			if got := entry.WithDeps(before.Deps); !slices.Equal(got, after.Deps) {
				t.Errorf("by the entry the deps become %v, and they are %v", got, after.Deps)
			}
		})
	}
}

// The hash of deps is that of one task's, in whatever order and however often they stand there.
func TestDepsHash(t *testing.T) {
	base := task.DepsHash("A-1", []record.ID{"A-2", "A-3"})
	if got := task.DepsHash("A-1", []record.ID{"A-3", "A-2", "A-3"}); got != base {
		t.Error("order or repetition counts")
	}
	for name, other := range map[string]string{
		"another task": task.DepsHash("A-9", []record.ID{"A-2", "A-3"}),
		"one fewer":    task.DepsHash("A-1", []record.ID{"A-2"}),
		"none":         task.DepsHash("A-1", nil),
	} {
		if other == base {
			t.Errorf("%s has the same hash", name)
		}
	}
}
