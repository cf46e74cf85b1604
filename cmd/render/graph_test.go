package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
	"github.com/mattn/go-runewidth"
)

// drawn is a graph with all that a tree shows: parts, shared needs, a cycle, what is missing, and wide letters.
func drawn() graphs.Out {
	node := func(id, title, status, parent string) graphs.Node {
		return graphs.Node{ID: record.ID(id), Title: title, Status: record.Status(status), Parent: record.ID(parent), Open: status != "done"}
	}
	g := graphs.Out{
		Nodes: []graphs.Node{
			node("T-1", "Lay the foundation, before the frost comes and the ground is too hard to dig in", "in_progress", ""), node("T-2", "Raise the walls", "backlog", "T-9"),
			node("T-3", "Put up the roof, with the long beams of the old barn and the tiles that were kept behind it", "backlog", "T-9"),
			node("T-4", "窓を取り付ける", "backlog", ""), node("T-5", "Paint \x1b[31mit", "backlog", "T-9"), node("T-6", "Ring", "backlog", ""),
			node("T-7", "Ring, the other half", "backlog", ""), node("T-9", "The house", "backlog", ""), {ID: "T-77", Missing: true},
		},
		Edges: []graphs.Edge{
			{From: "T-2", To: "T-1"}, {From: "T-3", To: "T-2"}, {From: "T-3", To: "T-4"}, {From: "T-4", To: "T-1"}, {From: "T-4", To: "T-2"}, {From: "T-5", To: "T-77"},
			{From: "T-6", To: "T-7"}, {From: "T-7", To: "T-6"},
		},
	}
	g.Nodes[0].Ready, g.Nodes[0].Waiting, g.Nodes[0].Critical, g.Nodes[7].Ready = true, 3, true, true
	return g
}

func TestTree(t *testing.T) {
	for _, width := range []int{60, 80, 200} {
		tree := newTree(drawn(), width, screen.Plain)
		tree.print()
		got := tree.out.String()
		for line := range strings.Lines(got) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		name := filepath.Join("testdata", "graph", fmt.Sprintf("tree-%d.golden", width))
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil || got != string(want) {
			t.Errorf("%s (%v): got\n%s", name, err, got)
		}
	}
}

// A chain that is deeper than the terminal is wide ends in what to type, and no line is wider.
func TestDeepTree(t *testing.T) {
	g := graphs.Out{}
	for i := range 100 {
		id := record.ID(fmt.Sprintf("T-%02d", i))
		g.Nodes = append(g.Nodes, graphs.Node{ID: id, Title: "A step on the way", Status: "backlog", Open: true})
		if i > 0 {
			g.Edges = append(g.Edges, graphs.Edge{From: g.Nodes[i-1].ID, To: id})
		}
	}
	tree := newTree(g, 80, screen.Plain)
	tree.print()
	got := strings.Split(strings.TrimSpace(tree.out.String()), "\n")
	if last := got[len(got)-1]; len(got) > 30 || !strings.Contains(last, "cairn graph T-") {
		t.Errorf("%d lines, the last is %q", len(got), last)
	}
	for _, line := range got {
		if runewidth.StringWidth(line) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
	tree = newTree(g, 0, screen.Plain)
	if tree.print(); strings.Count(tree.out.String(), "\n") != 100 {
		t.Errorf("without a limit: %s", tree.out.String())
	}
}

func TestUnicodeLocale(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "C": false, "POSIX": false, "C.UTF-8": true, "en_US.utf8": true, "de_DE.ISO-8859-1": false, "de_DE": true, "de_DE.UTF-8@euro": true,
	} {
		if got := unicodeLocale(func(key string) string { return map[string]string{"LANG": name}[key] }); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
