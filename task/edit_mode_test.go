package task_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// A command in another repository is another command: neither its key nor its declaration is that of the same words
// here, and a manual check, which runs nowhere, stays the same.
func TestARepositoryIsPartOfWhatACommandAsks(t *testing.T) {
	here := task.Task{ID: "PROJ-1", Checks: []task.Check{{Desc: "tests", Cmd: "make test"}, {Desc: "read"}}}
	there := here.InRepo("web")
	if here.Checks[0].Repo != "" {
		t.Error("InRepo changed the task it was given")
	}
	if a, b := here.Checks[0], there.Checks[0]; a.Key("PROJ-1") == b.Key("PROJ-1") || a.Hash("PROJ-1") == b.Hash("PROJ-1") || a.Same(b) {
		t.Error("a command is the same in another repository")
	}
	if !here.Checks[1].Same(there.Checks[1]) || here.Checks[1].Hash("PROJ-1") != there.Checks[1].Hash("PROJ-1") {
		t.Error("a manual check differs")
	}
	if back := there.InRepo(""); !back.Checks[0].Same(here.Checks[0]) {
		t.Error("the command is not what it was")
	}
	sneaky := task.Task{ID: "PROJ-1", Checks: []task.Check{{Desc: "tests", Cmd: "make test", Cwd: "../web"}}}
	if sneaky.Checks[0].Key("PROJ-1") == there.Checks[0].Key("PROJ-1") {
		t.Error("a folder passes for a repository")
	}
}

// Once work has begun, an agent can move a task to another repository as little as it can change the checks themselves.
func TestMovingToAnotherRepositoryIsWeakening(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"todo", "doing", "done"}, Initial: "todo", Working: "doing", Closed: []record.Status{"done"}}}
	stamp := record.Stamp{Who: "human:ada"}
	find := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	made, err := flow.Create(task.Task{ID: "PROJ-1", Title: "A", Priority: 2, Checks: []task.Check{{Desc: "tests", Cmd: "make"}}}, find, stamp)
	if err != nil {
		t.Fatal(err)
	}
	working, _, err := flow.Move(made, "doing", task.Proof{}, find, stamp)
	if err != nil {
		t.Fatal(err)
	}
	web := "web"
	agent := record.Stamp{Who: "agent:a", Text: "it is easier there"}
	if _, _, err := flow.Update(working, task.Edit{Set: task.Values{"repo": web}}, task.Proof{}, find, agent); record.CodeOf(err) != record.Forbidden {
		t.Errorf("an agent: %v", err)
	}
	moved, e, err := flow.Update(working, task.Edit{Set: task.Values{"repo": web}, MayWeaken: true}, task.Proof{}, find, record.Stamp{Who: "human:ada", Text: "it is about the site"})
	if err != nil || moved.Repo != web || moved.Checks[0].Repo != web || e.Checks == nil {
		t.Errorf("a person: %+v, %+v, %v", moved, e, err)
	}
}

func TestModes(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"todo", "done"}, Initial: "todo", Closed: []record.Status{"done"}}}
	for word, want := range map[string]task.Mode{"AUTO": task.AutoMode, "pair": task.PairMode, "todo": "", "": "", "other": ""} {
		if got := flow.ModeInStatus(word); got != want {
			t.Errorf("%q is taken as %q", word, got)
		}
	}
	flow.States = append(flow.States, "AUTO")
	if flow.ModeInStatus("AUTO") != "" {
		t.Error("a state of the workspace is taken for a mode")
	}
	for _, name := range []string{".", "..", "a/b", "a b", string(make([]byte, 65))} {
		if task.ValidRepo(name) == nil {
			t.Errorf("%q is the name of a repository", name)
		}
	}
}
