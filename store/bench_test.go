package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func BenchmarkGet(b *testing.B) {
	s := filled(b, 1)
	for b.Loop() {
		if _, err := kind.Tasks.Get(s, "PROJ-00000"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("%d tasks", n), func(b *testing.B) {
			s := filled(b, n)
			for b.Loop() {
				tasks, problems, err := kind.Tasks.List(b.Context(), s)
				if err != nil || len(problems) > 0 || len(tasks) != n {
					b.Fatalf("%d tasks, problems %v, error %v", len(tasks), problems, err)
				}
			}
		})
	}
}

// BenchmarkUpdate notes on a task among others. The task starts afresh now and then, since its file grows.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("note, %d tasks", n), func(b *testing.B) {
			s := filled(b, n)
			a := storetest.NewActor(s, "agent:a")
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 {
					b.StopTimer()
					storetest.WriteTask(b, s, "PROJ-00000", usualKeys...)
					b.StartTimer()
				}
				if err := a.Note("PROJ-00000", "a breadcrumb of the usual length"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck judges records of which a branch has touched a hundredth: alone, and beside the base, in each of the
// places where they can lie.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%d tasks", n), func(b *testing.B) {
			s := filledRepo(b, n)
			for _, row := range []struct {
				name string
				opts snapshot.CheckOptions
			}{
				{"alone", snapshot.CheckOptions{NoBase: true}},
				{"beside the base", snapshot.CheckOptions{Base: "HEAD~1"}},
				{"index", snapshot.CheckOptions{Base: "HEAD~1", Staged: true}},
				{"commit", snapshot.CheckOptions{Base: "HEAD~1", Commit: "HEAD"}},
			} {
				b.Run(row.name, func(b *testing.B) {
					for b.Loop() {
						if c, err := snapshot.Check(b.Context(), s.Layout, row.opts); err != nil || len(c.Tree.Tasks) != n {
							b.Fatalf("%d tasks, %v", len(c.Tree.Tasks), err)
						}
					}
				})
			}
		})
	}
}

// filledRepo is a workspace of so many tasks in a repository, and a second commit that notes on some.
func filledRepo(b *testing.B, n int) *store.Store {
	b.Helper()
	s := storetest.NewAt(b, storetest.NewRepo(b))
	for i := range n {
		storetest.WriteTask(b, s, record.ID(fmt.Sprintf("PROJ-%05d", i)), usualKeys...)
	}
	storetest.CommitAll(b, s)
	for i := 0; i < n; i += 100 {
		note := "  - {who: 'human:shah', at: 2026-06-21T10:06:00Z, did: noted, text: hello}"
		storetest.WriteTask(b, s, record.ID(fmt.Sprintf("PROJ-%05d", i)), append(slices.Clone(usualKeys), note)...)
	}
	storetest.CommitAll(b, s)
	return s
}

// usualKeys is what a task file usually has beside what is required.
var usualKeys = strings.Split(`priority: 1
labels: [payments, api]
assignee: agent:claude-1
deps: [PROJ-00001]
checks:
  - desc: tests pass
    cmd: go test ./internal/payments
    timeout: 300
    result: pending
  - desc: reviewed by a human
    type: manual
    result: pending
provenance:
  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}
  - {who: 'agent:claude-1', at: 2026-06-21T10:05:00Z, did: claimed, assignee: 'agent:claude-1'}`, "\n")

// filled is a workspace of so many tasks of the usual size.
func filled(b *testing.B, n int) *store.Store {
	b.Helper()
	s := storetest.NewAt(b, b.TempDir())
	for i := range n {
		storetest.WriteTask(b, s, record.ID(fmt.Sprintf("PROJ-%05d", i)), usualKeys...)
	}
	return s
}
