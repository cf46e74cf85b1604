package render

import (
	"fmt"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
)

// shaped is a graph of n tasks: a chain, the same as the parts of one task or each as a part of the next, or a wide one
// in which each waits for three.
func shaped(shape string, n int) graphs.Out {
	var g graphs.Out
	id := func(i int) record.ID { return record.ID(fmt.Sprintf("T-%05d", i)) }
	for i := range n {
		node := graphs.Node{ID: id(i), Title: "Lay the foundation", Status: "backlog", Open: true}
		switch {
		case i == 0:
		case shape == "wide":
			for _, to := range []int{i / 2, i / 3, i / 5} {
				g.Edges = append(g.Edges, graphs.Edge{From: id(i), To: id(to)})
			}
		case shape == "parents":
			node.Parent = id(i - 1)
		case i > 1 || shape == "chain":
			g.Edges = append(g.Edges, graphs.Edge{From: id(i), To: id(i - 1)})
		}
		if shape == "parts" && i > 0 {
			node.Parent = id(0)
		}
		g.Nodes = append(g.Nodes, node)
	}
	return g
}

var shapes = []string{"chain", "parts", "parents", "wide"}

// What is printed of a graph grows with the number of its tasks, and not with the square.
func TestTreeGrowsWithItsTasks(t *testing.T) {
	for _, shape := range shapes {
		for _, width := range []int{0, 80} {
			size := func(n int) int {
				tree := newTree(shaped(shape, n), width, screen.Plain)
				tree.print()
				return tree.out.Len()
			}
			if one, four := size(1000), size(4000); four > 5*one {
				t.Errorf("%s, %d columns: %d bytes of 1,000 tasks, and %d of 4,000", shape, width, one, four)
			}
		}
	}
}

func BenchmarkTree(b *testing.B) {
	for _, shape := range shapes {
		for _, n := range []int{1_000, 4_000, 10_000} {
			b.Run(fmt.Sprintf("%s, %d tasks", shape, n), func(b *testing.B) {
				g := shaped(shape, n)
				for b.Loop() {
					tree := newTree(g, 0, screen.Plain)
					tree.print()
				}
			})
		}
	}
}
