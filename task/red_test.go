package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// redFlow is the usual states.
var redFlow = task.Flow{Lifecycle: task.Lifecycle{
	States: []record.Status{"backlog", "in_progress", "done"}, Initial: "backlog", Working: "in_progress", Closed: []record.Status{"done"},
}}

var (
	moment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	builds = task.Check{Desc: "builds", Cmd: "make", Result: record.Pass}
)

func ranMake(result record.Result, tree string) record.Entry {
	return record.Entry{Who: "agent:bob", At: moment, Did: record.Checked, Tree: tree, Results: []record.CheckResult{{Check: builds.Key("A-1"), Result: result}}}
}

// A failure counts since the work began, or since the task was opened again.
func TestRed(t *testing.T) {
	begin := record.Entry{Who: "agent:bob", At: moment, Did: record.Began}
	closes := record.Entry{Who: "agent:bob", At: moment, Did: record.Transitioned, From: "in_progress", To: "done"}
	claims := closes.Saying(record.Detail{Red: []string{builds.Key("A-1")}})
	opens := record.Entry{Who: "human:lee", At: moment, Did: record.Transitioned, From: "done", To: "in_progress"}
	for name, row := range map[string]struct {
		log  record.Log
		want bool
	}{
		"nothing ran":                   {record.Log{begin}, false},
		"it passed":                     {record.Log{begin, ranMake(record.Pass, "t")}, false},
		"it failed":                     {record.Log{begin, ranMake(record.Fail, "t"), ranMake(record.Pass, "u")}, true},
		"it failed before work began":   {record.Log{ranMake(record.Fail, "t"), begin}, false},
		"the close says so":             {record.Log{begin, ranMake(record.Pass, "u"), claims}, true},
		"it failed and was opened":      {record.Log{begin, ranMake(record.Fail, "t"), closes, opens}, false},
		"it failed after it was opened": {record.Log{begin, closes, opens, ranMake(record.Fail, "t")}, true},
	} {
		one := task.Task{ID: "A-1", Checks: []task.Check{builds}, Provenance: row.log}
		if got := redFlow.Red(one, 0); got != row.want {
			t.Errorf("%s: red is %v", name, got)
		}
	}
	one := task.Task{ID: "A-1", Checks: []task.Check{builds}, Provenance: record.Log{ranMake(record.Pass, "t"), ranMake(record.Fail, "t"), ranMake(record.Pass, "u")}}
	if !one.FailedOn(0, "t") || one.FailedOn(0, "u") || one.FailedOn(0, "") {
		t.Error("the newest result on some files is another one")
	}
}

// That a check passes without the work is believed of a person, and of who planned it and does none of it.
func TestMayPass(t *testing.T) {
	expects := builds
	expects.Expect = task.ExpectPass
	says := func(who record.Actor, checks ...task.Check) record.Entry {
		e := record.Entry{Who: who, At: moment, Did: record.Updated, Checks: []string{}}
		for _, c := range checks {
			e.Checks = append(e.Checks, c.Hash("A-1"))
		}
		return e
	}
	begin := record.Entry{Who: "agent:bob", At: moment, Did: record.Began}
	for name, row := range map[string]struct {
		log  record.Log
		want bool
	}{
		"a planner said it":             {record.Log{says("agent:eve", expects), begin}, true},
		"who works said it":             {record.Log{says("agent:bob", expects), begin}, false},
		"a planner said it too late":    {record.Log{says("agent:eve", builds), begin, says("agent:eve", expects)}, false},
		"a person said it later":        {record.Log{says("agent:bob", builds), begin, says("human:lee", expects)}, true},
		"nobody said it":                {record.Log{says("agent:eve", builds), begin}, false},
		"it went and who works said it": {record.Log{says("agent:eve", expects), begin, says("agent:bob"), says("agent:bob", expects)}, false},
	} {
		one := task.Task{ID: "A-1", Checks: []task.Check{expects}, Provenance: row.log}
		if got := one.MayPass(0, "agent:bob"); got != row.want {
			t.Errorf("%s: it may pass is %v", name, got)
		}
	}
}

// A close is held by the passes that this clone saw with the guarded files as they were, and not by what the record says.
func TestSaw(t *testing.T) {
	was := task.Task{ID: "A-1", Status: "in_progress", Checks: []task.Check{builds}, Provenance: record.Log{ranMake(record.Pass, "t")}}
	now := was
	now.Status = "done"
	now.Provenance = append(record.Log{}, was.Provenance...)
	now.Provenance = append(now.Provenance, record.Entry{Who: "agent:bob", At: moment, Did: record.Transitioned, From: "in_progress", To: "done", Tree: "t"})
	nothing := func(string) task.Seen { return task.Seen{} }
	if got := redFlow.Saw(was, now, task.Proof{}, nothing); len(got) != 0 {
		t.Errorf("of a close that ran nothing here it saw %+v", got)
	}
	key := builds.Key("A-1")
	for name, row := range map[string]struct {
		guards task.Guarded
		tree   string
		held   bool
	}{
		"nothing changed":           {task.Guarded{Base: "c"}, "t", true},
		"a guarded file changed":    {task.Guarded{Base: "c", Changed: map[string][]task.GuardFile{key: {{Path: "test.sh"}}}}, "t", false},
		"where it began is unknown": {task.Guarded{}, "t", false},
		"files changed meanwhile":   {task.Guarded{Base: "c"}, "", false},
	} {
		p := task.Proof{Guards: row.guards, Run: &task.Run{Tree: row.tree, Results: []record.CheckResult{{Check: key, Result: record.Pass}}}}
		known := map[string]task.Seen{}
		for _, fact := range redFlow.Saw(was, now, p, nothing) {
			known[fact.About] = fact.Seen
		}
		if known[now.Closing()].Held != row.held {
			t.Errorf("%s: held is %v", name, known[now.Closing()].Held)
		}
	}
}
