package proof_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// closedTree is a tree with tasks in several states.
func closedTree() proof.Tree {
	flow := kind.DefaultConfig().Flow
	flow.Abandoned = []record.Status{"canceled"}
	tests := task.Check{Desc: "tests pass", Cmd: "make test"}
	tree := proof.Tree{Config: proof.ConfigFile{Flow: flow}}
	for _, t := range []task.Task{
		{ID: "A-1", Status: "done", Checks: []task.Check{tests, {Desc: "read"}, {Desc: "vet", Cmd: "make vet", Cwd: "a/../b"}}},
		{ID: "A-2", Status: "done", Checks: []task.Check{{Desc: "vet", Cmd: "make vet", Cwd: "b", Timeout: 9}, {Desc: "vet all", Cmd: "make vet"}}},
		{ID: "A-3", Status: "in_review", Checks: []task.Check{tests}},
		{ID: "A-4", Status: "canceled", Checks: []task.Check{{Desc: "gone", Cmd: "false"}}},
		{ID: "A-5", Status: "done", Checks: []task.Check{tests}},
	} {
		src := "---\nid: " + string(t.ID) + "\nchecks:\n"
		for _, c := range t.Checks {
			src += fmt.Sprintf("  - desc: %s\n    cmd: %s\n", c.Desc, c.Cmd)
		}
		tree.Tasks = append(tree.Tasks, &proof.TaskFile{
			File: proof.File{Path: ".cairn/tasks/" + string(t.ID) + ".md", Src: []byte(src + "---\n"), Parse: snapshot.ParseMarkdown, Ref: t.ID.Ref(), Head: t.Header()},
			Task: t,
		})
	}
	return tree
}

// Open and abandoned tasks do not claim to work, so their checks are not run.
func TestDone(t *testing.T) {
	if got, want := closedTree().Done(nil), []record.ID{"A-1", "A-2", "A-5"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Checks with the same command in the same folder share one run.
func TestCommands(t *testing.T) {
	var got []string
	for _, c := range closedTree().Commands([]record.ID{"A-1", "A-2"}) {
		for _, d := range c.Checks {
			got = append(got, fmt.Sprintf("%s in %s: %s %d", c.Cmd, c.Folder, d.Task, d.Index))
		}
	}
	want := []string{
		"make test in .: A-1 0",
		"make vet in b: A-1 2",
		"make vet in b: A-2 0",
		"make vet in .: A-2 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A failure is a finding of every check that runs the command, at its line, with the severity of the config.
func TestFailed(t *testing.T) {
	tree := closedTree()
	vet := tree.Commands(tree.Done(nil))[1]
	want := []string{
		`.cairn/tasks/A-1.md:9 error the check "vet" fails in this tree: exit 1`,
		`.cairn/tasks/A-2.md:5 error the check "vet" fails in this tree: exit 1`,
	}
	var got []string
	for _, f := range tree.Failed(nil, vet, "exit 1") {
		got = append(got, fmt.Sprintf("%s:%d %s %s", f.Path, f.Line, f.Severity, f.Message))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tree.Config.Severities = map[proof.RuleID]proof.Severity{proof.CheckFailed.ID: proof.Off}
	if got := tree.Failed(nil, vet, "exit 1"); len(got) > 0 {
		t.Errorf("found %v, and the rule is off", got)
	}
}

// A change cannot avoid its run by a config that abandons what it closes or switches the rule off.
func TestChangeCannotSilenceItsRun(t *testing.T) {
	base, tree := closedTree(), closedTree()
	tree.Config.Flow.Abandoned = []record.Status{"canceled", "done"}
	tree.Config.Severities = map[proof.RuleID]proof.Severity{proof.CheckFailed.ID: proof.Off}
	change := proof.Compare(tree, base)
	done := tree.Done(change)
	if len(done) != 3 || len(tree.Done(nil)) != 0 {
		t.Fatalf("%v are done, and without a base %v", done, tree.Done(nil))
	}
	found := tree.Failed(change, tree.Commands(done)[0], "exit 1")
	if len(found) != 2 || found[0].Severity != proof.Error {
		t.Errorf("found %v", found)
	}
}
