package task

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"pgregory.net/rapid"
)

// newest is what the index returns, by its meaning: the newest entry that speaks of the check, in which a fail wins.
func newest(one Task, i int) (result record.Result, entry, stray int) {
	c, entry, stray := one.Checks[i], -1, -1
	for n, e := range one.Provenance {
		if (e.Did == record.Attested) != c.Manual() {
			continue
		}
		for _, r := range e.Results {
			about := r.Check == c.Key(one.ID)
			if r.Unhashed {
				about = r.Check == record.UnhashedAll || r.Check == strconv.Itoa(i)
			}
			if about && (entry != n || result != record.Fail) {
				result, entry = r.Result, n
			}
			declared := slices.ContainsFunc(one.Checks, func(c Check) bool { return c.Key(one.ID) == r.Check })
			if !r.Unhashed && r.Result == record.Pass && !declared {
				stray = n
			}
		}
	}
	return result, entry, stray
}

// The index of a task returns for each check the newest evidence for it.
func TestEvidenceIndexAgreesWithEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		var one Task
		for range rapid.IntRange(0, 6).Draw(t, "checks") {
			c := Check{Desc: names.Draw(t, "desc"), Result: record.Pass}
			if rapid.Bool().Draw(t, "command") {
				c.Cmd = names.Draw(t, "cmd")
			}
			one.Checks = append(one.Checks, c)
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := record.Entry{Who: "human:lee", At: time.Unix(int64(i), 0), Did: rapid.SampledFrom([]record.Did{record.Checked, record.Attested, record.Transitioned}).Draw(t, "did")}
			for range rapid.IntRange(0, 3).Draw(t, "results") {
				r := record.CheckResult{Result: rapid.SampledFrom([]record.Result{record.Pass, record.Fail}).Draw(t, "result")}
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					r.Check, r.Unhashed = rapid.SampledFrom([]string{"*", "0", "1", "7"}).Draw(t, "index"), true
				case 1:
					r.Check = names.Draw(t, "manual")
				default:
					r.Check = Check{Cmd: names.Draw(t, "ran")}.Key(one.ID)
				}
				e.Results = append(e.Results, r)
			}
			one.Provenance = append(one.Provenance, e)
		}
		x := one.EvidenceIndex()
		for i := range one.Checks {
			result, entry, stray := newest(one, i)
			got, ok := x.Evidence(i)
			if ok != (entry >= 0) || ok && (got.Result != result || got.Entry != entry) {
				t.Fatalf("check %d of %+v has the evidence %+v, %v, want %s of entry %d", i, one, got, ok, result, entry)
			}
			if got := x.Unclaimed(i); got != stray {
				t.Fatalf("check %d of %+v: entry %d is unclaimed, want %d", i, one, got, stray)
			}
		}
	})
}

// What the record of a closed task vouches for, whatever has become of the tree since.
func TestUnproven(t *testing.T) {
	flow := Flow{Lifecycle: Lifecycle{
		States: []record.Status{"open", "done", "canceled"}, Initial: "open",
		Closed: []record.Status{"done", "canceled"}, Abandoned: []record.Status{"canceled"},
	}, Attesters: Attesters{Settles: ByHuman}}
	tests := Check{Desc: "tests", Cmd: "go test ./...", Result: record.Pass}
	read := Check{Desc: "read", Result: record.Pass}
	ran := record.Entry{Who: "agent:a", Did: record.Checked, Tree: "t", Results: []record.CheckResult{{Check: tests.Key(""), Result: record.Pass}}}
	failed := record.Entry{Who: "agent:a", Did: record.Checked, Results: []record.CheckResult{{Check: tests.Key(""), Result: record.Fail}}}
	attested := func(who record.Actor) record.Entry {
		return record.Entry{Who: who, Did: record.Attested, Results: []record.CheckResult{{Check: "read", Result: record.Pass}}}
	}
	for name, c := range map[string]struct {
		status  record.Status
		checks  []Check
		entries []record.Entry
		want    []string
	}{
		"all passed":                {"done", []Check{tests, read}, []record.Entry{ran, attested("human:x")}, nil},
		"a pass without an entry":   {"done", []Check{tests}, nil, []string{"tests"}},
		"a later failure":           {"done", []Check{tests}, []record.Entry{ran, failed}, []string{"tests"}},
		"pending":                   {"done", []Check{{Desc: "vet", Cmd: "go vet", Result: record.Pending}}, nil, []string{"vet"}},
		"attested by an agent":      {"done", []Check{read}, []record.Entry{attested("agent:a")}, []string{"read"}},
		"open":                      {"open", []Check{tests}, nil, nil},
		"abandoned":                 {"canceled", []Check{tests}, nil, nil},
		"closed without any checks": {"done", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, check := range flow.Unproven(Task{Status: c.status, Checks: c.checks, Provenance: c.entries}) {
				got = append(got, check.Desc)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// What is asked of all checks of a task costs as much as there are checks and results, and not one times the other.
// Steps are counted by what they allocate: each pass over a check makes its key.
func TestChecksCostTheirNumber(t *testing.T) {
	flow := Flow{Lifecycle: Lifecycle{States: []record.Status{"backlog", "done"}, Initial: "backlog", Closed: []record.Status{"done"}}}
	many := func(n int) (Task, *Run) {
		one, run := Task{ID: "T-1", Title: "Roof", Status: "done"}, &Run{Tree: "t"}
		e := record.Entry{Who: "human:lee", At: time.Unix(1, 0), Did: record.Checked, Tree: "t"}
		for i := range n {
			c := Check{Desc: fmt.Sprintf("check number %d", i), Cmd: fmt.Sprintf("test %d", i), Result: record.Pass}
			one.Checks = append(one.Checks, c)
			e.Results = append(e.Results, record.CheckResult{Check: c.Key(one.ID), Result: record.Pass})
		}
		one.Provenance = []record.Entry{e}
		run.Results = e.Results
		return one, run
	}
	for name, work := range map[string]func(one Task, run *Run){
		"what is unproven": func(one Task, _ *Run) { flow.Unproven(one) },
		"the gate": func(one Task, _ *Run) {
			one.Status = "backlog"
			_ = flow.ChecksGate(one, "done", Proof{Tree: "t"}, "human:lee")
		},
		"the gate after a run": func(one Task, run *Run) {
			one.Status = "backlog"
			_ = flow.ChecksGate(one, "done", Proof{Run: run}, "human:lee")
		},
		"what is to be run":    func(one Task, _ *Run) { one.Status = "backlog"; flow.ToRun(one, "done", Proof{Tree: "t"}) },
		"a run recorded":       func(one Task, run *Run) { one.recordRun(run, record.Entry{}) },
		"a run in part":        func(one Task, run *Run) { run.Of(one) },
		"results carried over": func(one Task, _ *Run) { carryResults(one.Checks, one.Checks) },
		"a list declared":      func(one Task, _ *Run) { _ = ValidChecks(one.Checks) },
		"a list changed": func(one Task, _ *Run) {
			c := one.Checks
			_, _, _ = flow.Update(one, Edit{Checks: &c}, Proof{}, nil, record.Stamp{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(n int) float64 {
				one, run := many(n)
				return testing.AllocsPerRun(1, func() { work(one, run) })
			}
			if few, more := steps(100), steps(800); more > 12*few+100 {
				t.Errorf("%v steps for 100 checks, and %v for 800", few, more)
			}
		})
	}
}
