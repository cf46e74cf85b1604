package task

import (
	"fmt"
	"testing"
	"time"
)

// What is asked of all checks of a task costs as much as there are checks and results, and not one times the other. Steps are
// counted by what they allocate: each look at a check makes its key.
func TestChecksCostTheirNumber(t *testing.T) {
	flow := Flow{States: []Status{"backlog", "done"}, Initial: "backlog", Closed: []Status{"done"}}
	many := func(n int) (Task, *Run) {
		one, run := Task{ID: "T-1", Title: "Roof", Status: "done"}, &Run{Tree: "t"}
		e := Entry{Who: "human:lee", At: time.Unix(1, 0), Did: Checked, Tree: "t"}
		for i := range n {
			c := Check{Desc: fmt.Sprintf("check number %d", i), Cmd: fmt.Sprintf("test %d", i), Result: Pass}
			one.Checks = append(one.Checks, c)
			e.Results = append(e.Results, CheckResult{Check: c.Key(one.ID), Result: Pass})
		}
		one.Provenance = []Entry{e}
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
		"a run recorded":       func(one Task, run *Run) { one.record(run) },
		"a run in part":        func(one Task, run *Run) { run.Of(one) },
		"results carried over": func(one Task, _ *Run) { carryResults(one.Checks, one.Checks) },
		"a list declared":      func(one Task, _ *Run) { _ = ValidChecks(one.Checks) },
		"a list changed": func(one Task, _ *Run) {
			c := one.Checks
			_, _, _ = flow.Update(one, Edit{Checks: &c}, Proof{}, nil, Stamp{})
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
