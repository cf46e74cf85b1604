package kind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// bigFile is a task with n of everything. Those from a number on are another's.
func bigFile(n, from int, result string) []byte {
	var b strings.Builder
	b.WriteString("---\nid: T-1\ntitle: Big\nstatus: in_progress\nlabels: [")
	for i := range n {
		fmt.Fprintf(&b, "label-%d, ", from+i)
	}
	b.WriteString("same]\nchecks:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - desc: check number %d # c%d\n    cmd: test %d\n    result: %s\n", i, from+i, i, result)
	}
	b.WriteString("provenance:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {who: 'human:lee', at: 2026-06-01T08:00:00Z, did: noted, text: 'note %d'}\n", from+i)
	}
	for i := range n {
		fmt.Fprintf(&b, "key-%d: %d\n", i, from)
	}
	b.WriteString("---\n")
	return []byte(b.String())
}

// What is done to a file costs as much as it holds, and not a pass over the file for each thing in it. Steps are
// counted by what they allocate: each pass makes the tree of the file.
func TestSlowFilesCostWhatTheyHold(t *testing.T) {
	slowtest.Skip(t)
	for name, work := range map[string]func(n int) func(){
		"results written": func(n int) func() {
			doc, was := parseTask(t, bigFile(n, 0, "pending"))
			now := was
			now.Checks = nil
			for _, c := range was.Checks {
				c.Result = record.Pass
				now.Checks = append(now.Checks, c)
			}
			return func() {
				if _, err := kind.Tasks.Edit(doc, was, now); err != nil {
					t.Fatal(err)
				}
			}
		},
		"labels changed": func(n int) func() {
			doc, was := parseTask(t, bigFile(n, 0, "pending"))
			now := was
			now.Labels = append([]string{"new"}, was.Labels[1:]...)
			return func() {
				if _, err := kind.Tasks.Edit(doc, was, now); err != nil {
					t.Fatal(err)
				}
			}
		},
		"two versions merged": func(n int) func() {
			base, ours, theirs := bigFile(n, 0, "pending"), bigFile(n, 10*n, "pass"), bigFile(n, 20*n, "fail")
			return func() { mergeThree(".cairn/tasks/T-1.md", base, ours, theirs) }
		},
		"theirs merged": func(n int) func() {
			base, theirs := bigFile(n, 0, "pending"), bigFile(n, 20*n, "fail")
			ours := []byte(strings.Replace(string(base), "title: Big", "title: Bigger", 1))
			return func() { mergeThree(".cairn/tasks/T-1.md", base, ours, theirs) }
		},
		"judged": func(n int) func() {
			src := bigFile(n, 0, "pass")
			_, one := parseTask(t, src)
			tree := proof.Tree{Tasks: []*proof.TaskFile{{File: proof.File{Path: "tasks/T-1.md", Src: src, Parse: snapshot.ParseMarkdown, Ref: one.ID.Ref(), Head: one.Header()}, Task: one}}}
			tree.Config.Flow = kind.DefaultConfig().Flow
			return func() {
				if found := proof.Judge(tree); len(found) < n {
					t.Fatalf("%d findings", len(found))
				}
			}
		},
		"repeats taken out": func(n int) func() {
			src := []byte("---\nid: T-1\n" + strings.Repeat("a: 1\n", n) + "---\n")
			return func() {
				if out := format.WithoutRepeats(src, format.Markdown); len(out) > 30 {
					t.Fatalf("%d bytes are left", len(out))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(n int) float64 { return testing.AllocsPerRun(1, work(n)) }
			few, more := steps(50), steps(400)
			t.Logf("%v steps for 50, and %v for 400", few, more)
			if more > 12*few {
				t.Error("that is more than what there is more of")
			}
		})
	}
}
