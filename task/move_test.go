package task_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// wantEntry checks the newest entry but for its time, which is always now.
func wantEntry(t *testing.T, got *record.Entry, want record.Entry) {
	t.Helper()
	want.At = now
	if got == nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("the entry is %+v, want %+v", got, want)
	}
}

func TestCreate(t *testing.T) {
	find := graph(node("A-2", "backlog"))
	for _, tt := range []struct {
		name string
		task task.Task
		want record.Code
	}{
		{"a title alone", task.Task{ID: "A-1", Title: "Pay twice"}, ""},
		{"with deps and a parent", task.Task{ID: "A-1", Title: "Pay twice", Deps: []record.ID{"A-2"}, Parent: "A-2"}, ""},
		{"no title", task.Task{ID: "A-1"}, record.InvalidInput},
		{"a title of two lines", task.Task{ID: "A-1", Title: "a\nb"}, record.InvalidInput},
		{"a priority below zero", task.Task{ID: "A-1", Title: "Pay", Priority: -1}, record.InvalidInput},
		{"a label of two lines", task.Task{ID: "A-1", Title: "Pay", Labels: []string{"a\nb"}}, record.InvalidInput},
		{"a check without a description", task.Task{ID: "A-1", Title: "Pay", Checks: []task.Check{{Cmd: "true"}}}, record.InvalidInput},
		{"a dep that does not exist", task.Task{ID: "A-1", Title: "Pay", Deps: []record.ID{"A-9"}}, record.DanglingDep},
		{"a parent that does not exist", task.Task{ID: "A-1", Title: "Pay", Parent: "A-9"}, record.DanglingDep},
		{"a dep on itself", task.Task{ID: "A-1", Title: "Pay", Deps: []record.ID{"A-1"}}, record.DepCycle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := flow.Create(tt.task, find, by(shah))
			wantCode(t, err, tt.want)
		})
	}
}

// A new task is in the initial state, its checks are pending, and its one entry accounts for them, whatever the caller
// says.
func TestCreateStartsClean(t *testing.T) {
	claimed := task.Task{
		ID: "A-1", Title: "Pay twice", Status: "done", Checks: []task.Check{standing(suite, record.Pass)},
		Provenance: []record.Entry{ran(suite, record.Pass)},
	}
	got, err := flow.Create(claimed, alone, by(shah))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "backlog" || got.Checks[0].Result != record.Pending || len(got.Provenance) != 1 {
		t.Errorf("created as %+v", got)
	}
	wantEntry(t, ptr(got.Provenance.Last()), record.Entry{Who: shah, Did: record.Created, Checks: got.CheckHashes(), Deps: task.DepsHash(got.ID, nil)})
}

func TestWithDefaults(t *testing.T) {
	with := flow
	with.Defaults = []task.Check{suite, lint}
	patient := suite
	patient.Timeout = 900
	got, err := with.WithDefaults([]task.Check{read, patient})
	if want := []task.Check{read, patient, lint}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a task with a check of its own gets %+v, want %+v (%v)", got, want, err)
	}
	_, err = with.WithDefaults([]task.Check{{Desc: suite.Desc, Cmd: "true"}})
	wantCode(t, err, record.InvalidInput)
}

func TestMove(t *testing.T) {
	run := &task.Run{Results: results(suite, record.Pass), Commit: "abc", Tree: "t1"}
	for _, tt := range []struct {
		name  string
		task  task.Task
		to    record.Status
		proof task.Proof
		text  string
		want  *record.Entry // nil if nothing changes
	}{
		{"a move", created(), "in_progress", task.Proof{}, "",
			&record.Entry{Who: claude, Did: record.Transitioned, From: "backlog", To: "in_progress"}},
		{"a move with a reason", created(), "canceled", task.Proof{}, "not worth it",
			&record.Entry{Who: claude, Did: record.Transitioned, From: "backlog", To: "canceled", Text: "not worth it"}},
		{"a close with the run that earned it", created(suite), "done", task.Proof{Tree: "t1", Run: run}, "",
			&record.Entry{Who: claude, Did: record.Transitioned, From: "backlog", To: "done",
				Results: results(suite, record.Pass), Commit: "abc", Tree: "t1"}},
		{"to where it is", created(), "backlog", task.Proof{}, "", nil},
		{"to where it is, with a reason", created(), "backlog", task.Proof{}, "still waiting",
			&record.Entry{Who: claude, Did: record.Transitioned, Text: "still waiting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, entry, err := flow.Move(tt.task, tt.to, tt.proof, alone, saying(claude, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if after.Status != tt.to {
				t.Errorf("moved to %s", after.Status)
			}
			if tt.want == nil {
				if entry != nil {
					t.Errorf("appended %+v", entry)
				}
				return
			}
			wantEntry(t, entry, *tt.want)
		})
	}
}

func TestClaim(t *testing.T) {
	held, _, _ := flow.Claim(created(), false, by(claude))
	named, _, _ := flow.Update(created(), task.Edit{Assignee: ptr(claude)}, task.Proof{}, nil, by(gemini))
	closed := created()
	closed.Status = "done"
	for _, tt := range []struct {
		name     string
		task     task.Task
		takeover bool
		want     *record.Entry
		code     record.Code
	}{
		{"a task that nobody holds", created(), false, &record.Entry{Who: claude, Did: record.Claimed, Assignee: ptr(claude)}, ""},
		{"what one was only assigned", named, false, &record.Entry{Who: claude, Did: record.Claimed}, ""},
		{"one's own changes nothing", held, false, nil, ""},
		{"a takeover says so", created(), true, &record.Entry{Who: claude, Did: record.TakenOver, Assignee: ptr(claude)}, ""},
		{"a takeover of what the file says one holds", held, true, &record.Entry{Who: claude, Did: record.TakenOver}, ""},
		{"a closed task", closed, false, nil, record.TaskClosed},
		{"a closed task, with takeover", closed, true, nil, record.TaskClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, entry, err := flow.Claim(tt.task, tt.takeover, by(claude))
			wantCode(t, err, tt.code)
			if tt.want == nil {
				if entry != nil {
					t.Errorf("appended %+v", entry)
				}
				return
			}
			wantEntry(t, entry, *tt.want)
			if after.Assignee != claude || after.Status != tt.task.Status {
				t.Errorf("claimed as %+v", after)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	held, _, _ := flow.Claim(created(), false, by(claude))
	letGo := func(who record.Actor) *record.Entry {
		return &record.Entry{Who: who, Did: record.Released, Assignee: ptr(record.Actor("")), Text: "no access"}
	}
	for _, tt := range []struct {
		name string
		task task.Task
		live bool // there is a claim beside the file
		who  record.Actor
		want *record.Entry
		code record.Code
	}{
		{"by its holder", held, true, claude, letGo(claude), ""},
		{"by its holder, from another clone", held, false, claude, letGo(claude), ""},
		{"by a person", held, true, shah, letGo(shah), ""},
		{"by another agent", held, true, gemini, nil, record.NotYours},
		{"by a pipeline", held, false, "ci:main", nil, record.NotYours},
		{"what nobody holds", created(), false, gemini, nil, ""},
		{"a claim that this file does not show", created(), true, claude,
			&record.Entry{Who: claude, Did: record.Released, Text: "no access"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after, entry, err := task.Release(tt.task, tt.live, saying(tt.who, "no access"))
			wantCode(t, err, tt.code)
			if tt.want == nil {
				if entry != nil {
					t.Errorf("appended %+v", entry)
				}
				return
			}
			wantEntry(t, entry, *tt.want)
			if after.Assignee != "" {
				t.Errorf("still held by %s", after.Assignee)
			}
		})
	}
}

func TestBegin(t *testing.T) {
	waiting := created()
	waiting.Deps = []record.ID{"A-2"}
	held, _, _ := flow.Claim(created(), false, by(claude))
	inReview := created()
	inReview.Status = "in_review"
	closed := created()
	closed.Status = "canceled"
	nowhere := flow
	nowhere.Working = ""
	closing := flow
	closing.Working = "done"
	reviewing := flow
	reviewing.Working, reviewing.GateReview = flow.Review, true

	for _, tt := range []struct {
		name     string
		flow     task.Flow
		task     task.Task
		takeover bool
		want     record.Entry
		code     record.Code
	}{
		{"a task in the initial state", flow, created(), false,
			record.Entry{Did: record.Began, From: "backlog", To: "in_progress", Assignee: ptr(claude)}, ""},
		{"one's own", flow, held, false, record.Entry{Did: record.Began, From: "backlog", To: "in_progress"}, ""},
		{"one that has left the initial state stays where it is", flow, inReview, false,
			record.Entry{Did: record.Began, Assignee: ptr(claude)}, ""},
		{"a takeover says so", flow, inReview, true, record.Entry{Did: record.TakenOver, Assignee: ptr(claude)}, ""},
		{"without a working state it stays where it is", nowhere, created(), false,
			record.Entry{Did: record.Began, Assignee: ptr(claude)}, ""},
		{"one that waits", flow, waiting, false, record.Entry{}, record.DepsOpen},
		{"a closed one", flow, closed, false, record.Entry{}, record.TaskClosed},
		{"a working state that is closed", closing, created(suite), false, record.Entry{}, record.ChecksPending},
		{"a working state that is a gated review", reviewing, created(suite), false, record.Entry{}, record.ChecksPending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stamp := record.Stamp{Who: claude, At: now, Session: "ses-1", Key: "k1"}
			after, entry, err := tt.flow.Begin(tt.task, tt.takeover, alone, stamp)
			wantCode(t, err, tt.code)
			if tt.code != "" {
				return
			}
			tt.want.Who, tt.want.Session, tt.want.Key = claude, "ses-1", "k1"
			wantEntry(t, entry, tt.want)
			if after.Assignee != claude {
				t.Errorf("held by %q", after.Assignee)
			}
		})
	}
}

func TestFinish(t *testing.T) {
	gated := flow
	gated.GateReview = true
	nowhere := flow
	nowhere.Review = ""
	closed := created(suite)
	closed.Status = "done"
	working := created(suite)
	working.Status, working.Assignee = "in_progress", claude

	for _, tt := range []struct {
		name  string
		flow  task.Flow
		task  task.Task
		proof task.Proof
		want  record.Entry
		code  record.Code
	}{
		{"a task at work goes to review", flow, working, task.Proof{}, record.Entry{From: "in_progress", To: "in_review"}, ""},
		{"a closed task stays closed", flow, closed, task.Proof{}, record.Entry{}, ""},
		{"without a review state it stays where it is", nowhere, working, task.Proof{}, record.Entry{}, ""},
		{"a gated review with a passing run", gated, working, fresh(suite, record.Pass),
			record.Entry{From: "in_progress", To: "in_review", Results: results(suite, record.Pass), Commit: "abc"}, ""},
		{"a gated review with a failing run", gated, working, fresh(suite, record.Fail), record.Entry{}, record.ChecksFailed},
		{"a gated review without a run", gated, working, task.Proof{}, record.Entry{}, record.ChecksPending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stamp := record.Stamp{Who: claude, At: now, Session: "ses-1", Text: "keys are stored"}
			after, entry, err := tt.flow.Finish(tt.task, tt.proof, alone, stamp)
			wantCode(t, err, tt.code)
			if tt.code != "" {
				return
			}
			tt.want.Who, tt.want.Did, tt.want.Session, tt.want.Text = claude, record.Finished, "ses-1", "keys are stored"
			wantEntry(t, entry, tt.want)
			if after.Assignee != tt.task.Assignee {
				t.Errorf("finishing changed the holder to %q", after.Assignee)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	held, _, _ := flow.Begin(created(), false, alone, by(claude))
	stamp := record.Stamp{Who: claude, At: now, Session: "ses-1", Text: "no access"}

	own, entry, err := task.EndAttempt(held, record.Canceled, claude, stamp)
	if err != nil || own.Assignee != "" || own.Status != "in_progress" {
		t.Errorf("canceled as %+v, %v", own, err)
	}
	wantEntry(t, entry, record.Entry{Who: claude, Did: record.Canceled, Assignee: ptr(record.Actor("")), Session: "ses-1", Text: "no access"})

	moved := held
	moved.Assignee = gemini
	others, entry, err := task.EndAttempt(moved, record.Canceled, claude, stamp)
	if err != nil || others.Assignee != gemini || entry.Assignee != nil {
		t.Errorf("canceling took the task from %s: %+v, %v", gemini, others, err)
	}
}

// Who may settle a manual check.
func TestWhoMayAttest(t *testing.T) {
	for _, tt := range []struct {
		name      string
		by        string // of the check
		byDefault string // of the workspace
		who       record.Actor
		want      record.Code
	}{
		{"a person, where nothing is said", "", "", shah, ""},
		{"an agent, where nothing is said", "", "", claude, record.Forbidden},
		{"a pipeline, where the workspace wants a person", "", task.ByHuman, "ci:main", record.Forbidden},
		{"an agent, where the workspace lets anyone", "", task.ByAnyone, claude, ""},
		{"an agent, where the check lets anyone", task.ByAnyone, task.ByHuman, claude, ""},
		{"an agent, where the check wants a person", task.ByHuman, task.ByAnyone, claude, record.Forbidden},
		{"the actor that the check names", string(claude), task.ByHuman, claude, ""},
		{"another agent", string(claude), task.ByAnyone, gemini, record.Forbidden},
		{"a person, where the check names somebody else", string(claude), task.ByHuman, shah, record.Forbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := created(task.Check{Desc: "read", By: tt.by})
			workspace := flow
			workspace.Settles = tt.byDefault
			_, entry, err := workspace.Attest(of, 0, true, by(tt.who))
			wantCode(t, err, tt.want)
			if (entry == nil) != (tt.want != "") {
				t.Errorf("appended %+v", entry)
			}
		})
	}
}

func TestAttest(t *testing.T) {
	passed, entry, err := flow.Attest(created(read), 0, true, saying(shah, "read twice"))
	if err != nil || passed.Checks[0].Result != record.Pass {
		t.Fatalf("attested as %+v, %v", passed.Checks, err)
	}
	wantEntry(t, entry, record.Entry{Who: shah, Did: record.Attested, Results: results(read, record.Pass), Text: "read twice"})

	if _, again, err := flow.Attest(passed, 0, true, by(shah)); again != nil || err != nil {
		t.Errorf("saying it again appended %+v, %v", again, err)
	}
	if _, again, _ := flow.Attest(passed, 0, true, saying(shah, "and again")); again == nil {
		t.Error("saying it again with a text appended nothing")
	}
	failed, _, err := flow.Attest(passed, 0, false, by(shah))
	if err != nil || failed.Checks[0].Result != record.Fail {
		t.Errorf("taken back as %+v, %v", failed.Checks, err)
	}

	typedIn := created(read)
	typedIn.Checks[0].Result = record.Pass
	if _, entry, _ := flow.Attest(typedIn, 0, true, by(shah)); entry == nil {
		t.Error("a pass that somebody typed in keeps a person from attesting it")
	}
	_, _, err = flow.Attest(created(suite), 0, true, by(shah))
	wantCode(t, err, record.InvalidInput)
}

func TestNote(t *testing.T) {
	_, entry, err := task.Note(created(), saying(claude, "blocked on the API"))
	if err != nil {
		t.Fatal(err)
	}
	wantEntry(t, entry, record.Entry{Who: claude, Did: record.Noted, Text: "blocked on the API"})
	_, _, err = task.Note(created(), by(claude))
	wantCode(t, err, record.InvalidInput)
}

func TestRecordRun(t *testing.T) {
	run := &task.Run{Results: append(results(suite, record.Pass), results(lint, record.Fail)...), Commit: "abc", Tree: "t1"}
	after, entry, err := task.RecordRun(created(suite, read, lint), run, by(claude))
	if err != nil {
		t.Fatal(err)
	}
	wantEntry(t, entry, record.Entry{Who: claude, Did: record.Checked, Results: run.Results, Commit: "abc", Tree: "t1"})
	for i, want := range []record.Result{record.Pass, record.Pending, record.Fail} {
		if got := after.Checks[i].Result; got != want {
			t.Errorf("%s is %s, want %s", after.Checks[i].Desc, got, want)
		}
	}
	if _, entry, err := task.RecordRun(created(), nil, by(claude)); entry != nil || err != nil {
		t.Errorf("a run of nothing appended %+v, %v", entry, err)
	}
}

// Slices of a value that was handed in are never written to, by whatever rule.
func TestRulesLeaveTheirInputAlone(t *testing.T) {
	input := underway()
	input.Labels, input.Deps = []string{"payments"}, []record.ID{"A-2", "A-3"}
	picture := func() string { return strings.TrimSpace(strings.Join(describe(input), "\n")) }
	before := picture()

	_, _, _ = flow.Move(input, "done", onTree("t1"), alone, by(shah))
	_, _, _ = flow.Move(input, "done", fresh(suite, record.Fail), alone, by(shah))
	_, _, _ = task.RecordRun(input, fresh(suite, record.Fail).Run, by(claude))
	_, _, _ = flow.Attest(input, 1, false, by(shah))
	_, _, _ = flow.Claim(input, true, by(gemini))
	_, _, _ = flow.Update(input, task.Edit{Set: task.Values{"labels": []string{"x"}}, RemoveDeps: []record.ID{"A-2"}, Checks: &[]task.Check{lint}, Acceptance: &[]string{"x"}, MayWeaken: true}, task.Proof{}, alone, saying(shah, "try"))

	if after := picture(); after != before {
		t.Errorf("the input was\n%s\nand is\n%s", before, after)
	}
}

// describe writes out the slices of a task.
func describe(of task.Task) []string {
	var out []string
	for _, c := range of.Checks {
		out = append(out, c.Desc+" "+string(c.Result))
	}
	for _, e := range of.Provenance {
		out = append(out, e.Hash())
	}
	for _, id := range of.Deps {
		out = append(out, string(id))
	}
	return append(out, of.Labels...)
}
