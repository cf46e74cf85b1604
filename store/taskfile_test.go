package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
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
		return update(t, task.Edit{Assignee: ptr(task.Actor("agent:codex"))})
	}},
	{"assignee removed", "assignee", func(t task.Task) (task.Task, error) { return entered(task.Release(t, false, stamp(""))) }},
	{"note", "", func(t task.Task) (task.Task, error) {
		return entered(task.Note(t, stamp("it's done: #1, \"quoted\", {braces} & größer 🦊\nand a second line")))
	}},
	{"labels", "labels", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Labels: ptr(append(rest(t.Labels), "new: label"))})
	}},
	{"labels cleared", "labels", func(t task.Task) (task.Task, error) { return update(t, task.Edit{Labels: ptr([]string{})}) }},
	{"a dep added", "deps", func(t task.Task) (task.Task, error) { return update(t, task.Edit{AddDeps: []task.ID{"PROJ-20"}}) }},
	{"the first dep removed", "deps", func(t task.Task) (task.Task, error) { return update(t, task.Edit{RemoveDeps: first(t.Deps)}) }},
	{"title", "title", func(t task.Task) (task.Task, error) { return update(t, task.Edit{Title: ptr("yes: a #new title")}) }},
	{"priority", "priority", func(t task.Task) (task.Task, error) { return update(t, task.Edit{Priority: ptr(task.Priority(0))}) }},
	{"parent", "parent", func(t task.Task) (task.Task, error) { return update(t, task.Edit{Parent: ptr(task.ID("PROJ-30"))}) }},
	{"the first check replaced", "checks", func(t task.Task) (task.Task, error) {
		checks := append([]task.Check{{Desc: "lint", Cmd: "make lint", Timeout: 60}}, rest(t.Checks)...)
		ed := task.Edit{Checks: &checks, MayWeaken: true}
		return entered(flow.Update(t, ed, task.Proof{}, allClosed, stamp("the old one was flaky")))
	}},
	{"check result", "result", func(t task.Task) (task.Task, error) { return entered(task.RecordRun(t, passing(t), stamp(""))) }},
	{"attest", "result", attestFirst},
	{"body", "", func(t task.Task) (task.Task, error) {
		return update(t, task.Edit{Body: ptr("A new body.\n\n---\n\nWith a rule.")})
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
			src := readAll(t, path)
			var diffs strings.Builder
			for _, w := range taskWrites {
				fmt.Fprintf(&diffs, "== %s\n%s", w.name, diffOf(t, src, w.make))
			}
			golden(t, strings.TrimSuffix(path, taskExt)+".diff", diffs.String())
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
				edited, err := editTask(doc, was, meant)
				if refused(t, err) {
					return
				}
				_, got := parseTask(t, edited.Bytes())
				if got, want := said(got), said(meant); !reflect.DeepEqual(got, want) {
					t.Errorf("reads back as\n%+v\nand was meant to be\n%+v", got, want)
				}
			})
		}
	}
}

// One write after the other, all of them on one file, each on what the one before it left.
func TestWritesFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, path := range taskFiles(t) {
		t.Run(testFile(path), func(t *testing.T) {
			src := readAll(t, path)
			for _, w := range taskWrites {
				doc, was := parseTask(t, src)
				meant := mustMake(t, was, w.make)
				edited, err := editTask(doc, was, meant)
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
		Parent: "PROJ-01j8x0000000ab", Deps: []task.ID{"PROJ-01j8x1aaaaaabc"},
		Checks: []task.Check{
			{Desc: "tests pass", Cmd: "go test ./internal/payments", Cwd: ".", Timeout: 300},
			{Desc: "reviewed by a human"},
		},
		Body: "Prose intent.",
	}, allClosed, stamp(""))
	if err != nil {
		t.Fatal(err)
	}
	src, err := newTaskFile(made)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/new-task.md", string(src))
	if _, got := parseTask(t, src); !reflect.DeepEqual(said(got), said(made)) {
		t.Errorf("reads back as\n%+v\nand was made of\n%+v", got, made)
	}
}

// flow is the one that Init writes.
var flow = func() task.Flow {
	config, err := ParseConfig(fmt.Appendf(nil, configTemplate, "PROJ"))
	if err != nil {
		panic(err)
	}
	return config.Flow
}()

// noon is when everything happens that has no time of its own: after all that the files tell of.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func stamp(text string) task.Stamp { return task.Stamp{Who: "human:kim", At: noon, Text: text} }

func inSession(s task.Stamp) task.Stamp {
	s.Session = "ses-01j8x2k7q7f3az"
	return s
}

// allClosed is a graph in which every task there might be is closed.
func allClosed(id task.ID) (task.Task, bool) { return task.Task{ID: id, Status: "done"}, true }

func move(t task.Task, to task.Status) (task.Task, error) {
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
			run.Results = append(run.Results, task.CheckResult{Check: c.Key(t.ID), Result: task.Pass})
		}
	}
	return run
}

// entered drops the entry that the rules return beside the task, which has it already.
func entered(t task.Task, _ *task.Entry, err error) (task.Task, error) { return t, err }

func ptr[T any](v T) *T { return &v }

// first is the list without anything but its first item.
func first[T any](list []T) []T { return list[:min(1, len(list))] }

// rest is a copy of the list without its first item.
func rest[T any](list []T) []T { return slices.Clone(list[min(1, len(list)):]) }

func taskFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/tasks/*" + taskExt)
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
		files[testFile(path)] = readAll(t, path)
	}
	return files
}

// testFile is what a task file is called, without its ending.
func testFile(path string) string { return strings.TrimSuffix(filepath.Base(path), taskExt) }

func parseTask(t *testing.T, src []byte) (*frontmatter.Doc, task.Task) {
	t.Helper()
	doc, err := frontmatter.Parse(src, frontmatter.Markdown)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	got, err := readTask(doc)
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
	var at *frontmatter.Error
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
	edited, err := editTask(doc, was, mustMake(t, was, write))
	if refused(t, err) {
		return fmt.Sprintf("refused: %v\n", err)
	}
	return diffLines(string(src), string(edited.Bytes()))
}

// diffLines returns the lines that only one of two texts has, as a diff without context. What is invisible at the end of a
// line, and that the last one has no end, is written out.
func diffLines(before, after string) string {
	a, b := linesOf(before), linesOf(after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	common := commonLines(a, b)
	var out strings.Builder
	for len(a)+len(b) > 0 {
		switch {
		case len(common) > 0 && len(a) > 0 && len(b) > 0 && a[0] == common[0] && b[0] == common[0]:
			a, b, common = a[1:], b[1:], common[1:]
		case len(a) > 0 && (len(common) == 0 || a[0] != common[0]):
			out.WriteString("-" + visible(a[0]))
			a = a[1:]
		default:
			out.WriteString("+" + visible(b[0]))
			b = b[1:]
		}
	}
	return out.String()
}

// linesOf splits a text behind its line breaks: LF, CR LF, and CR alone.
func linesOf(text string) []string {
	var lines []string
	for len(text) > 0 {
		end := strings.IndexAny(text, "\r\n") + 1
		switch {
		case end == 0:
			end = len(text)
		case strings.HasPrefix(text[end-1:], "\r\n"):
			end++
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return lines
}

// commonLines is the longest sequence of lines that both texts have in this order.
func commonLines(a, b []string) []string {
	best := make([][]int, len(a)+1) // best[i][j] is how many lines a[i:] and b[j:] have in common
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	var common []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, a[i])
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

func visible(line string) string {
	text := strings.TrimRight(line, "\r\n")
	end := map[string]string{"\n": "", "\r\n": "<CR>", "\r": "<CR ALONE>", "": "<NO NEWLINE>"}[line[len(text):]]
	if trimmed := strings.TrimRight(text, " \t"); trimmed != text {
		text += "<END>"
	}
	return text + end + "\n"
}

// golden compares a text with the file that holds what it should be. With UPDATE=1 it writes the file instead.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := string(readAll(t, path)); got != want {
		t.Errorf("differs from %s (UPDATE=1 writes it anew):\n%s", path, diffLines(want, got))
	}
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
