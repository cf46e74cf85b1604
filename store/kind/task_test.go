package kind_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// taskWrites is every kind of write that a task file meets, as the rules of package task make it. Where a file gives a
// write nothing to do, the task comes back as it was.
var taskWrites = []struct {
	name string
	keys string // what it sets, beside the record
	make func(t task.Task) (task.Task, error)
}{
	{"status", "status", func(t task.Task) (task.Task, error) { return move(t, "in_review") }},
	{"assignee set", "assignee", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Assignee: ptr(record.Actor("agent:codex"))})
	}},
	{"assignee removed", "assignee", func(t task.Task) (task.Task, error) { return entered(task.Release(t, false, stamp(""))) }},
	{"note", "", func(t task.Task) (task.Task, error) {
		return entered(task.Note(t, stamp("it's done: #1, \"quoted\", {braces} & größer 🦊\nand a second line")))
	}},
	{"labels", "labels", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"labels": append(rest(t.Labels), "new: label")}})
	}},
	{"labels cleared", "labels", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"labels": []string{}}})
	}},
	{"a dep added", "deps", func(t task.Task) (task.Task, error) { return update(t, task.Edit{AddDeps: []record.ID{"PROJ-20"}}) }},
	{"the first dep removed", "deps", func(t task.Task) (task.Task, error) { return update(t, task.Edit{RemoveDeps: first(t.Deps)}) }},
	{"title", "title", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"title": "yes: a #new title"}})
	}},
	{"priority", "priority", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"priority": task.Priority(0)}})
	}},
	{"parent", "parent", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"parent": record.ID("PROJ-30")}})
	}},
	{"the first check replaced", "checks", func(t task.Task) (task.Task, error) {
		checks := append([]task.Check{{Desc: "lint", Cmd: "make lint", Timeout: 60}}, rest(t.Checks)...)
		ed := task.Edit{Checks: &checks, MayWeaken: true}
		return entered(flow.Update(t, ed, task.Proof{}, allClosed, stamp("the old one was flaky")))
	}},
	{"check result", "result", func(t task.Task) (task.Task, error) { return entered(task.RecordRun(t, passing(t), stamp(""))) }},
	{"attest", "result", attestFirst},
	{"body", "", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Set: task.Values{"body": "A new body.\n\n---\n\nWith a rule."}})
	}},
	{"begin", "status assignee", func(t task.Task) (task.Task, error) {
		return entered(flow.Begin(t, false, allClosed, inSession(stamp(""))))
	}},
	{"finish", "status", func(t task.Task) (task.Task, error) {
		return entered(flow.Finish(t, task.Proof{}, allClosed, inSession(stamp("ready for review"))))
	}},
}

// Every kind of write leaves every line of every file alone that it does not mean to change. For each file in
// testdata/tasks the file beside it, ending in .diff, holds the lines that each write takes out and puts in; UPDATE=1
// writes them anew.
func TestWritesTouchOnlyTheirOwnLines(t *testing.T) {
	t.Parallel()
	for _, path := range taskFiles(t) {
		t.Run(testFile(path), func(t *testing.T) {
			src := []byte(storetest.ReadFile(t, path))
			var diffs strings.Builder
			for _, w := range taskWrites {
				fmt.Fprintf(&diffs, "== %s\n%s", w.name, diffOf(t, src, w.make))
			}
			storetest.Golden(t, strings.TrimSuffix(path, ".md")+".diff", diffs.String())
		})
	}
}

// After every kind of write that is not refused every file reads as the task that was meant, in everything that a task
// says.
func TestWritesReadBackAsMeant(t *testing.T) {
	t.Parallel()
	for name, src := range everyTaskFile(t) {
		for _, w := range taskWrites {
			t.Run(name+"/"+w.name, func(t *testing.T) {
				doc, was := parseTask(t, src)
				meant := mustMake(t, was, w.make)
				edited, err := kind.Tasks.Edit(doc, was, meant)
				if refused(t, err) {
					return
				}
				_, got := parseTask(t, edited.Bytes())
				if got, want := said(got), said(meant); !reflect.DeepEqual(got, want) {
					t.Errorf("got\n%+v\nwant\n%+v", got, want)
				}
			})
		}
	}
}

// One write after the other, all of them on one file, each on what the one before it left.
func TestSlowWritesFollowEachOther(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	for _, path := range taskFiles(t) {
		t.Run(testFile(path), func(t *testing.T) {
			src := []byte(storetest.ReadFile(t, path))
			for _, w := range taskWrites {
				doc, was := parseTask(t, src)
				meant := mustMake(t, was, w.make)
				edited, err := kind.Tasks.Edit(doc, was, meant)
				if refused(t, err) {
					continue
				}
				src = edited.Bytes()
				if _, got := parseTask(t, src); !reflect.DeepEqual(said(got), said(meant)) {
					t.Fatalf("after %s the file reads differently from what was meant:\n%s", w.name, src)
				}
			}
		})
	}
}

// A new task file reads back as the task it was made of, and as the format's page shows it.
func TestNewTaskFile(t *testing.T) {
	made, err := flow.Create(task.Task{
		ID: "PROJ-01j8x2k7q7f3az", Title: "Add idempotency keys", Priority: 1, Labels: []string{"payments"},
		Parent: "PROJ-01j8x0000000ab", Deps: []record.ID{"PROJ-01j8x1aaaaaabc"},
		Checks: []task.Check{
			{Desc: "tests pass", Cmd: "go test ./internal/payments", Cwd: ".", Timeout: 300},
			{Desc: "reviewed by a human"},
		},
		Body: "Prose intent.",
	}, allClosed, stamp(""))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := kind.Tasks.Create(made)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Golden(t, "testdata/new-task.md", string(doc.Bytes()))
	if _, got := parseTask(t, doc.Bytes()); !reflect.DeepEqual(said(got), said(made)) {
		t.Errorf("got\n%+v\nwant\n%+v", got, made)
	}
}

// flow is the one that Init writes.
var flow = func() task.Flow {
	flow := kind.DefaultConfig().Flow
	flow.Working, flow.Review, flow.Abandoned = "in_progress", "in_review", []record.Status{"canceled"}
	return flow
}()

func stamp(text string) record.Stamp {
	return record.Stamp{Who: "human:kim", At: storetest.Noon, Text: text}
}

func inSession(s record.Stamp) record.Stamp {
	s.Session = "ses-01j8x2k7q7f3az"
	return s
}

// allClosed is a graph in which every task there might be is closed.
func allClosed(id record.ID) (task.Task, bool) { return task.Task{ID: id, Status: "done"}, true }

func move(t task.Task, to record.Status) (task.Task, error) {
	return entered(flow.Move(t, to, task.Proof{}, allClosed, stamp("")))
}

func update(t task.Task, ed task.Edit) (task.Task, error) {
	return entered(flow.Update(t, ed, task.Proof{}, allClosed, stamp("")))
}

func attestFirst(t task.Task) (task.Task, error) {
	i := slices.IndexFunc(t.Checks, task.Check.Manual)
	if i < 0 {
		return t, nil
	}
	return entered(flow.Attest(t, i, true, stamp("read it")))
}

// passing is a run in which every command of the task passed.
func passing(t task.Task) *task.Run {
	run := &task.Run{Commit: "1f3870be274f6c49b3e31a0c6728957f1f3870be", Tree: "0a1b2c"}
	for _, c := range t.Checks {
		if !c.Manual() {
			run.Results = append(run.Results, record.CheckResult{Check: c.Key(t.ID), Result: record.Pass})
		}
	}
	return run
}

// entered drops the entry that the rules return beside the task, which has it already.
func entered(t task.Task, _ *record.Entry, err error) (task.Task, error) { return t, err }

func ptr[T any](v T) *T { return &v }

// first is the list without anything but its first item.
func first[T any](list []T) []T { return list[:min(1, len(list))] }

// rest is a copy of the list without its first item.
func rest[T any](list []T) []T { return slices.Clone(list[min(1, len(list)):]) }

func taskFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/tasks/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no task files in testdata/tasks (%v)", err)
	}
	return paths
}

// everyTaskFile is what is in testdata/tasks and the good files of the corpus, by name.
func everyTaskFile(t *testing.T) map[string][]byte {
	t.Helper()
	files := goodFiles(t)
	for _, path := range taskFiles(t) {
		files[testFile(path)] = []byte(storetest.ReadFile(t, path))
	}
	return files
}

// testFile is what a task file is called, without its ending.
func testFile(path string) string { return strings.TrimSuffix(filepath.Base(path), ".md") }

func parseTask(t *testing.T, src []byte) (*format.Doc, task.Task) {
	t.Helper()
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	got, err := kind.Tasks.Decode(doc)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return doc, got
}

func mustMake(t *testing.T, was task.Task, write func(task.Task) (task.Task, error)) task.Task {
	t.Helper()
	now, err := write(was)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// refused reports whether an edit was refused as an edit may be: with the line that is in the way, and the reason.
func refused(t *testing.T, err error) bool {
	t.Helper()
	var at *format.Error
	if err != nil && (!errors.As(err, &at) || at.Line == 0) {
		t.Errorf("refused without a line: %v", err)
	}
	return err != nil
}

// said is the task without its revision, which every write changes, and without a difference between an empty list
// and none.
func said(t task.Task) task.Task {
	t.Rev = ""
	if len(t.Labels) == 0 {
		t.Labels = nil
	}
	if len(t.Deps) == 0 {
		t.Deps = nil
	}
	if len(t.Checks) == 0 {
		t.Checks = nil
	}
	return t
}

// diffOf returns the lines that a write takes out of a file and puts into it.
func diffOf(t *testing.T, src []byte, write func(task.Task) (task.Task, error)) string {
	t.Helper()
	doc, was := parseTask(t, src)
	edited, err := kind.Tasks.Edit(doc, was, mustMake(t, was, write))
	if refused(t, err) {
		return fmt.Sprintf("refused: %v\n", err)
	}
	return storetest.DiffLines(string(src), string(edited.Bytes()))
}
