package task_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The deps gate: a task may not leave the initial state while a dependency is open. Nothing else is gated by deps.
func TestDepsGate(t *testing.T) {
	find := graph(node("A-2", "in_progress"), node("A-3", "done"), node("A-4", "canceled"))
	for _, tt := range []struct {
		name     string
		from, to record.Status
		deps     []record.ID
		says     string // "" if it is let through
	}{
		{"no deps", "backlog", "in_progress", nil, ""},
		{"a closed dep", "backlog", "in_progress", []record.ID{"A-3"}, ""},
		{"an abandoned dep", "backlog", "in_progress", []record.ID{"A-4"}, ""},
		{"an open dep", "backlog", "in_progress", []record.ID{"A-2"}, "waits for A-2 (in_progress)"},
		{"a dep that is not there", "backlog", "in_progress", []record.ID{"A-9"}, "waits for A-9 (missing)"},
		{"all open deps are named", "backlog", "in_progress", []record.ID{"A-2", "A-3", "A-9"},
			"waits for A-2 (in_progress), A-9 (missing)"},
		{"straight to a closed state", "backlog", "done", []record.ID{"A-2"}, "waits for A-2"},
		{"staying where it is", "backlog", "backlog", []record.ID{"A-2"}, ""},
		{"giving it up", "backlog", "canceled", []record.ID{"A-2"}, ""},
		{"between other states", "in_progress", "in_review", []record.ID{"A-2"}, ""},
		{"back to the initial state", "in_progress", "backlog", []record.ID{"A-2"}, ""},
		{"reopening", "done", "in_progress", []record.ID{"A-2"}, ""},
		{"closing what has left the initial state", "in_review", "done", []record.ID{"A-2"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := flow.DepsGate(node("A-1", tt.from, tt.deps...), tt.to, find)
			wantRefusal(t, err, record.DepsOpen, tt.says)
		})
	}
}

// wantRefusal checks that err is of a code and says something, or that there is none where says is "".
func wantRefusal(t *testing.T, err error, code record.Code, says string) {
	t.Helper()
	if says == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	wantCode(t, err, code)
	if err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("says %q, not %q", err, says)
	}
}

// The checks that the gate tests declare.
var (
	suite = task.Check{Desc: "tests pass", Cmd: "go test ./..."}
	lint  = task.Check{Desc: "lint", Cmd: "make lint"}
	read  = task.Check{Desc: "read by a person"}

	anyones = task.Check{Desc: "tried out", By: task.ByAnyone}
	geminis = task.Check{Desc: "read by gemini", By: string(gemini)}
)

// standing is a check whose file says a result.
func standing(c task.Check, r record.Result) task.Check {
	c.Result = r
	return c
}

// ran is the entry of a run of one check, on the tree "t1".
func ran(c task.Check, r record.Result) record.Entry {
	return record.Entry{Who: claude, At: now, Did: record.Checked, Tree: "t1", Results: results(c, r)}
}

func attested(c task.Check, r record.Result) record.Entry {
	return record.Entry{Who: shah, At: now, Did: record.Attested, Results: results(c, r)}
}

func attestedBy(who record.Actor, c task.Check) record.Entry {
	return record.Entry{Who: who, At: now, Did: record.Attested, Results: results(c, record.Pass)}
}

func results(c task.Check, r record.Result) []record.CheckResult {
	return []record.CheckResult{{Check: c.Key("A-1"), Result: r}}
}

// onTree is a proof without a run: the working tree as it is now.
func onTree(tree string) task.Proof { return task.Proof{Tree: tree} }

// fresh is a proof by a run of one check, made for this very move.
func fresh(c task.Check, r record.Result) task.Proof {
	return task.Proof{Run: &task.Run{Results: results(c, r), Commit: "abc"}}
}

// legacy is an entry from before results named their checks.
func legacy(text string) record.Entry { return legacyBy(shah, text) }

func legacyBy(who record.Actor, text string) record.Entry {
	e := record.Entry{Who: who, At: now}
	e.ReadDid(text)
	return e
}

// legacyAttested is such an entry that settles the manual check with an index.
func legacyAttested(index string) record.Entry {
	return record.Entry{Who: shah, At: now, Did: record.Attested, Results: unhashed(index, record.Pass)}
}

// What a result is worth when a gate asks: the file's word counts only as far as an entry accounts for it.
func TestStanding(t *testing.T) {
	other := task.Check{Desc: "tests pass", Cmd: "true"}
	alias := task.Check{Desc: suite.Key("A-1")}
	passed := standing(suite, record.Pass)
	for _, tt := range []struct {
		name    string
		check   task.Check
		entries []record.Entry
		proof   task.Proof
		want    record.Result
	}{
		{"never run", standing(suite, record.Pending), nil, onTree("t1"), record.Pending},
		{"failed", standing(suite, record.Fail), []record.Entry{ran(suite, record.Fail)}, onTree("t1"), record.Fail},
		{"passed on this tree", passed, []record.Entry{ran(suite, record.Pass)}, onTree("t1"), record.Pass},
		{"passed on another tree", passed, []record.Entry{ran(suite, record.Pass)}, onTree("t2"), record.Pending},
		{"passed, and the tree is unknown now", passed, []record.Entry{ran(suite, record.Pass)}, onTree(""), record.Pending},
		{"passed while the tree was unknown", passed,
			[]record.Entry{{Did: record.Checked, Results: results(suite, record.Pass)}}, onTree(""), record.Pending},
		{"a pass that somebody typed in", passed, nil, onTree("t1"), record.Pending},
		{"a pass typed in after a failed run", passed, []record.Entry{ran(suite, record.Fail)}, onTree("t1"), record.Pending},
		{"the newest run counts", passed, []record.Entry{ran(suite, record.Pass), ran(suite, record.Fail)}, onTree("t1"), record.Pending},
		{"a run of another command proves nothing", passed, []record.Entry{ran(other, record.Pass)}, onTree("t1"), record.Pending},
		{"a run that came with a move counts", passed,
			[]record.Entry{{Did: record.Transitioned, Tree: "t1", Results: results(suite, record.Pass)}}, onTree("t1"), record.Pass},

		{"a run for this very move", standing(suite, record.Pending), nil, fresh(suite, record.Pass), record.Pass},
		{"a run for this very move that failed", passed, []record.Entry{ran(suite, record.Pass)}, fresh(suite, record.Fail), record.Fail},
		{"a run of another command for this move", standing(suite, record.Pending), nil, fresh(other, record.Pass), record.Pending},

		{"attested, whatever the tree", standing(read, record.Pass), []record.Entry{attested(read, record.Pass)}, onTree("t2"), record.Pass},
		{"attested, outside git", standing(read, record.Pass), []record.Entry{attested(read, record.Pass)}, onTree(""), record.Pass},
		{"attested as failed", standing(read, record.Fail), []record.Entry{attested(read, record.Fail)}, onTree("t1"), record.Fail},
		{"a manual pass that somebody typed in", standing(read, record.Pass), nil, onTree("t1"), record.Pending},
		{"attested and taken back", standing(read, record.Pass),
			[]record.Entry{attested(read, record.Pass), attested(read, record.Fail)}, onTree("t1"), record.Pending},

		{"attested by an agent, where a person must", standing(read, record.Pass), []record.Entry{attestedBy(claude, read)}, onTree("t1"), record.Pending},
		{"attested by an agent, where anyone may", standing(anyones, record.Pass), []record.Entry{attestedBy(claude, anyones)}, onTree("t1"), record.Pass},
		{"attested by the actor that the check names", standing(geminis, record.Pass), []record.Entry{attestedBy(gemini, geminis)}, onTree("t1"), record.Pass},
		{"attested by a person, where the check names somebody else", standing(geminis, record.Pass), []record.Entry{attestedBy(shah, geminis)},
			onTree("t1"), record.Pending},

		{"a run does not settle a manual check called like the command", standing(alias, record.Pass),
			[]record.Entry{ran(suite, record.Pass)}, onTree("t1"), record.Pending},
		{"an attestation does not settle a command called like the check", passed,
			[]record.Entry{attested(alias, record.Pass)}, onTree("t1"), record.Pending},
		{"a run for this move does not settle a manual check", standing(alias, record.Pending), nil,
			fresh(suite, record.Pass), record.Pending},

		{"evidence of the original cairn is run again", passed, []record.Entry{legacy("ran checks")}, onTree("t1"), record.Pending},
		{"evidence of the original cairn by index", standing(read, record.Pass), []record.Entry{legacyAttested("0")}, onTree("t1"), record.Pass},
		{"evidence of the original cairn by another index", standing(read, record.Pass), []record.Entry{legacyAttested("1")}, onTree("t1"), record.Pending},
		{"a check that is called like that evidence settles no other", standing(read, record.Pass),
			[]record.Entry{attested(task.Check{Desc: "*"}, record.Pass), attested(task.Check{Desc: "0"}, record.Pass)}, onTree("t1"), record.Pending},
		{"an attestation of the original cairn stands", standing(read, record.Pass), []record.Entry{legacy("attested")}, onTree("t1"), record.Pass},
		{"an agent's attestation in the words of the original cairn, where a person must", standing(read, record.Pass),
			[]record.Entry{legacyBy(claude, "attested")}, onTree("t1"), record.Pending},
		{"words of the original cairn behind an entry of this one", standing(read, record.Pass),
			[]record.Entry{{Who: shah, At: now, Did: record.Created, Checks: []string{}}, legacy("attested")}, onTree("t1"), record.Pending},
		{"one entry that says pass and fail", passed,
			[]record.Entry{{Did: record.Checked, Tree: "t1", Results: append(results(suite, record.Pass), results(suite, record.Fail)...)}},
			onTree("t1"), record.Pending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := task.Task{ID: "A-1", Checks: []task.Check{tt.check}, Provenance: tt.entries}
			if got := flow.Standing(of, 0, tt.proof); got != tt.want {
				t.Errorf("stands at %q, want %q", got, tt.want)
			}
		})
	}
}

// Of two checks with the same command neither has passed if one run of it failed.
func TestStandingOfACommandThatRanTwice(t *testing.T) {
	twice := task.Check{Desc: "again", Cmd: suite.Cmd}
	of := task.Task{ID: "A-1", Checks: []task.Check{suite, twice}}
	flaky := task.Proof{Run: &task.Run{Results: append(results(suite, record.Fail), results(twice, record.Pass)...)}}
	for i := range of.Checks {
		if got := flow.Standing(of, i, flaky); got != record.Fail {
			t.Errorf("check %d stands at %q", i, got)
		}
	}
}

// The checks gate: a task may not enter a closed state until every check has passed.
func TestChecksGate(t *testing.T) {
	reviewed := flow
	reviewed.GateReview = true
	strict := flow
	strict.Abandoned = nil
	passed := []record.Entry{ran(suite, record.Pass), attested(read, record.Pass)}
	for _, tt := range []struct {
		name     string
		flow     task.Flow
		from, to record.Status
		checks   []task.Check
		entries  []record.Entry
		want     record.Code
		says     string
	}{
		{"no checks pass vacuously", flow, "in_review", "done", nil, nil, "", ""},
		{"all passed", flow, "in_review", "done",
			[]task.Check{standing(suite, record.Pass), standing(read, record.Pass)}, passed, "", ""},
		{"one pending", flow, "in_review", "done",
			[]task.Check{standing(suite, record.Pass), standing(lint, record.Pending)}, passed, record.ChecksPending, "not yet passed: lint"},
		{"a manual one pending", flow, "in_review", "done",
			[]task.Check{standing(suite, record.Pass), standing(read, record.Pending)}, passed, record.ChecksPending, "not yet passed: read by a person"},
		{"one failed", flow, "in_review", "done",
			[]task.Check{standing(suite, record.Fail)}, nil, record.ChecksFailed, "failed: tests pass"},
		{"one failed and one pending: both are named", flow, "in_review", "done",
			[]task.Check{standing(suite, record.Fail), standing(read, record.Pending)}, nil, record.ChecksFailed,
			"failed: tests pass; not yet passed: read by a person"},
		{"a manual one failed", flow, "in_review", "done",
			[]task.Check{standing(read, record.Fail)}, nil, record.ChecksFailed, "failed: read by a person"},

		{"an abandoned state needs nothing", flow, "in_progress", "canceled", []task.Check{standing(suite, record.Fail)}, nil, "", ""},
		{"without abandoned states every closed one is gated", strict, "in_progress", "canceled",
			[]task.Check{standing(suite, record.Fail)}, nil, record.ChecksFailed, "failed: tests pass"},
		{"from one closed state to another", flow, "canceled", "done",
			[]task.Check{standing(suite, record.Pending)}, nil, record.ChecksPending, "tests pass"},
		{"staying closed", flow, "done", "done", []task.Check{standing(suite, record.Fail)}, nil, "", ""},
		{"reopening needs nothing", flow, "done", "in_progress", []task.Check{standing(suite, record.Fail)}, nil, "", ""},
		{"an open state needs nothing", flow, "backlog", "in_review", []task.Check{standing(suite, record.Fail)}, nil, "", ""},

		{"a gated review needs the commands", reviewed, "in_progress", "in_review",
			[]task.Check{standing(suite, record.Pending)}, nil, record.ChecksPending, "tests pass"},
		{"a gated review leaves manual checks to the reviewer", reviewed, "in_progress", "in_review",
			[]task.Check{standing(read, record.Pending)}, nil, "", ""},
		{"a gated review gates no other open state", reviewed, "backlog", "in_progress",
			[]task.Check{standing(suite, record.Fail)}, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := task.Task{ID: "A-1", Status: tt.from, Checks: tt.checks, Provenance: tt.entries}
			wantRefusal(t, tt.flow.ChecksGate(of, tt.to, onTree("t1"), "agent:a"), tt.want, tt.says)
		})
	}
}

// A refusal names a call that helps and settles nothing: running for commands, reading for what somebody has to look
// at.
func TestChecksGateSaysWhatHelps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		who   record.Actor
		check task.Check
		next  string
		hint  string
	}{
		{"a failed command", "agent:a", standing(suite, record.Fail), "run_checks", "fix what the output shows, then run_checks with id A-1"},
		{"a pending command", "agent:a", standing(suite, record.Pending), "run_checks", "fix what the output shows, then run_checks with id A-1"},
		{"a manual check that the caller settles", "human:shah", standing(read, record.Pending), "get", "look at whether it is as check 0 demands"},
		{"a manual check that the caller failed", "human:shah", standing(read, record.Fail), "get", "look at whether it is as check 0 demands"},
		{"a manual check that anyone settles", "agent:a", standing(task.Check{Desc: "it reads well", By: task.ByAnyone}, record.Pending), "get", "look at whether it is as check 0 demands"},
		{"a manual check that others settle", "agent:a", standing(read, record.Pending), "get", "a person looks at it and settles it: attest with id A-1, check 0, pass true or false; in a session, finish"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := task.Task{ID: "A-1", Status: "in_review", Checks: []task.Check{tt.check}}
			var refusal *record.Error
			if !errors.As(flow.ChecksGate(of, "done", onTree("t1"), tt.who), &refusal) {
				t.Fatal("let through")
			}
			if next := refusal.NextCalls(); len(next) == 0 || next[0].Verb != tt.next || next[0].Arguments()["id"] != "A-1" {
				t.Errorf("next is %+v, want %s of A-1", next, tt.next)
			}
			if !strings.Contains(refusal.Hint.String(), tt.hint) {
				t.Errorf("hint %q does not say %q", refusal.Hint, tt.hint)
			}
		})
	}
}

// Which commands a move runs first: those that the gate asks for, and that have no fresh pass.
func TestToRun(t *testing.T) {
	reviewed := flow
	reviewed.GateReview = true
	of := task.Task{
		ID: "A-1", Status: "in_progress",
		Checks:     []task.Check{standing(suite, record.Pass), standing(read, record.Pending), standing(lint, record.Fail)},
		Provenance: []record.Entry{ran(suite, record.Pass)},
	}
	for _, tt := range []struct {
		name string
		flow task.Flow
		to   record.Status
		tree string
		want []int
	}{
		{"a fresh pass is not run again", flow, "done", "t1", []int{2}},
		{"a stale pass is", flow, "done", "t2", []int{0, 2}},
		{"outside git every pass is stale", flow, "done", "", []int{0, 2}},
		{"an abandoned state runs nothing", flow, "canceled", "t2", nil},
		{"an open state runs nothing", flow, "in_review", "t2", nil},
		{"a gated review runs the commands", reviewed, "in_review", "t1", []int{2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.flow.ToRun(of, tt.to, onTree(tt.tree)); !slices.Equal(got, tt.want) {
				t.Errorf("runs %v, want %v", got, tt.want)
			}
		})
	}
}

// Of a run only what is about the given checks may be recorded: a command that changed while it ran is left out.
func TestPartOfARun(t *testing.T) {
	run := &task.Run{Results: append(results(suite, record.Pass), results(lint, record.Fail)...), Commit: "abc", Tree: "t1"}
	if got := run.Of(task.Task{ID: "A-1", Checks: []task.Check{suite, read}}); got == nil || !slices.Equal(got.Results, results(suite, record.Pass)) || got.Tree != "t1" {
		t.Errorf("the part about the suite is %+v", got)
	}
	if got := run.Of(task.Task{ID: "A-1", Checks: []task.Check{read, {Desc: "tests pass", Cmd: "true"}}}); got != nil {
		t.Errorf("the part about other checks is %+v", got)
	}
	if len(run.Results) != 2 {
		t.Errorf("taking a part changed the run to %+v", run)
	}
}

func TestKnown(t *testing.T) {
	if err := flow.Known("in_review"); err != nil {
		t.Error(err)
	}
	for _, state := range []record.Status{"", "Done", "finished"} {
		err := flow.Known(state)
		wantCode(t, err, record.UnknownState)
		var refusal *record.Error
		if errors.As(err, &refusal) && !strings.Contains(refusal.Hint.String(), "backlog, in_progress, in_review, done, canceled") {
			t.Errorf("the hint does not name the states: %q", refusal.Hint)
		}
	}
}
