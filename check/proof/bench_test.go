package proof_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// The cost grows linearly with the number of tasks. Parsing, which comes before, costs far more.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		tree := largeTree(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if found := proof.Judge(tree); len(found) > 0 {
					b.Fatalf("finds %+v", found[0])
				}
			}
		})
	}
}

// largeTree returns a sound tree with one long chain of dependencies. Each task was closed with two checks and has a
// dozen entries.
func largeTree(n int) proof.Tree {
	tree := proof.Tree{Config: proof.ConfigFile{Flow: kind.DefaultConfig().Flow}, Tasks: make([]*proof.TaskFile, n)}
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	checks := []task.Check{
		{Desc: "tests pass", Cmd: "go test ./...", Result: record.Pass},
		{Desc: "vet", Cmd: "go vet ./...", Result: record.Pass},
	}
	for i := range tree.Tasks {
		t := task.Task{ID: record.ID(fmt.Sprintf("A-%06d", i)), Title: "A task", Status: "done", Checks: checks}
		if i > 0 {
			t.Deps, t.Parent = []record.ID{tree.Tasks[i-1].ID()}, tree.Tasks[i/2].ID()
		}
		t = t.With(record.Entry{Who: "human:shah", At: at, Did: record.Created, Checks: t.CheckHashes(), Deps: task.DepsHash(t.ID, t.Deps), AddDeps: t.Deps})
		for range 10 {
			t = t.With(record.Entry{Who: "agent:a", At: at, Did: record.Noted, Text: "on it"})
		}
		t = t.With(record.Entry{Who: "agent:a", At: at, Did: record.Transitioned, From: "backlog", To: "done", Results: []record.CheckResult{
			{Check: checks[0].Key(t.ID), Result: record.Pass}, {Check: checks[1].Key(t.ID), Result: record.Pass},
		}})
		tree.Tasks[i] = &proof.TaskFile{File: proof.File{Path: ".cairn/tasks/" + string(t.ID) + ".md", Ref: t.ID.Ref(), Head: t.Header()}, Task: t}
	}
	return tree
}
