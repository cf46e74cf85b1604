package graphs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb/graphs"
)

// shapes are what the ith of n tasks says.
var shapes = []struct {
	name  string
	lines func(i, n int) string
}{
	{"chain", func(i, _ int) string { return fmt.Sprintf("deps: [T-%05d]", max(i-1, 0)) }},
	{"parents", func(i, _ int) string { return fmt.Sprintf("parent: T-%05d", max(i-1, 0)) }},
	{"wide", func(i, _ int) string { return fmt.Sprintf("deps: [T-%05d, T-%05d, T-%05d]", i/2, i/3, i/5) }},
	{"rings", func(i, _ int) string { return fmt.Sprintf("deps: [T-%05d]", i^1) }},
	{"one waits for all", func(i, n int) string {
		if i > 0 {
			return ""
		}
		var deps []string
		for i := range n - 1 {
			deps = append(deps, fmt.Sprintf("T-%05d", i+1))
		}
		return "deps: [" + strings.Join(deps, ", ") + "]"
	}},
}

// The picture for Mermaid grows with the number of tasks, and not with the square.
func TestPictureGrowsWithItsTasks(t *testing.T) {
	for _, shape := range shapes {
		size := func(n int) int {
			tasks := map[string]string{}
			for i := range n {
				tasks[fmt.Sprintf("T-%05d", i)] = shape.lines(i, n)
			}
			return len(graph(t, workspace(t, tasks), graphs.In{Mermaid: true}).Picture)
		}
		if one, four := size(100), size(400); four > 5*one {
			t.Errorf("%s: %d bytes of 100 tasks, and %d of 400", shape.name, one, four)
		}
	}
}

func BenchmarkGraph(b *testing.B) {
	for _, shape := range shapes {
		for _, n := range []int{1_000, 4_000, 10_000} {
			b.Run(fmt.Sprintf("%s, %d tasks", shape.name, n), func(b *testing.B) {
				tasks := map[string]string{}
				for i := range n {
					tasks[fmt.Sprintf("T-%05d", i)] = shape.lines(i, n)
				}
				w := workspace(b, tasks)
				for b.Loop() {
					graph(b, w, graphs.In{Mermaid: true})
				}
			})
		}
	}
}
