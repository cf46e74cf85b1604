package graphs

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
)

const (
	labelShown   = 80
	mostIndented = 20 // levels of parents; deeper ones stand below one another
)

// mermaid draws a graph for Mermaid: arrows lead to what waits, and parents are boxes around their parts.
func mermaid(g Out) string {
	p := newPicture(g)
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	p.groups(func(n *Node, depth int, open bool) {
		in := strings.Repeat("  ", min(depth, mostIndented)+1)
		switch {
		case len(p.parts[n.ID]) == 0:
			fmt.Fprintf(&b, "%s%s[%s]%s\n", in, p.names[n.ID], mermaidText(label(n)), mermaidClass(n))
		case open:
			fmt.Fprintf(&b, "%ssubgraph g%s [%s]\n", in, p.names[n.ID], mermaidText(label(n)))
			fmt.Fprintf(&b, "%s  %s[%s]%s\n", in, p.names[n.ID], mermaidText(string(n.ID)), mermaidClass(n))
		default:
			fmt.Fprintf(&b, "%send\n", in)
		}
	})
	for _, e := range g.Edges {
		arrow := "-->"
		if p.critical(e) {
			arrow = "==>"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", p.names[e.To], arrow, p.names[e.From])
	}
	b.WriteString("  classDef closed fill:#eee,color:#888\n  classDef missing stroke:#d00,stroke-dasharray:4\n  classDef ready fill:#cfc,color:#000\n")
	return b.String()
}

// mermaidText is a text in quotes in which only letters, digits and a few plain characters stand for themselves. All
// others are entities by their number, which Mermaid shows as the characters: else it takes some of them for marks,
// HTML or Markdown, even within quotes.
func mermaidText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r > 0x7f, strings.ContainsRune(" -,:./()", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func mermaidClass(n *Node) string {
	switch {
	case n.Missing:
		return ":::missing"
	case !n.Open:
		return ":::closed"
	case n.Ready:
		return ":::ready"
	}
	return ""
}

type picture struct {
	g     Out
	names map[record.ID]string // of a node in the picture: an id could be a word of the language
	parts map[record.ID][]*Node
	after map[record.ID]record.ID // on the critical path, what is done after a task
}

func newPicture(g Out) *picture {
	p := &picture{g, map[record.ID]string{}, map[record.ID][]*Node{}, map[record.ID]record.ID{}}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		p.names[n.ID] = fmt.Sprintf("n%d", i)
		if n.Parent != "" {
			p.parts[n.Parent] = append(p.parts[n.Parent], n)
		}
	}
	for i, id := range g.CriticalPath[:max(len(g.CriticalPath)-1, 0)] {
		p.after[id] = g.CriticalPath[i+1]
	}
	return p
}

func (p *picture) critical(e Edge) bool { return p.after[e.To] == e.From }

// groups calls each once for each node, parents around their parts: those it calls again behind them, with open false.
// Parents that are parts of themselves are as if they were none.
func (p *picture) groups(each func(n *Node, depth int, open bool)) {
	done := map[record.ID]bool{}
	var group func(n *Node, depth int)
	group = func(n *Node, depth int) {
		if done[n.ID] {
			return
		}
		done[n.ID] = true
		each(n, depth, true)
		if len(p.parts[n.ID]) == 0 {
			return
		}
		for _, part := range p.parts[n.ID] {
			group(part, depth+1)
		}
		each(n, depth, false)
	}
	for i := range p.g.Nodes {
		if p.g.Nodes[i].Parent == "" {
			group(&p.g.Nodes[i], 0)
		}
	}
	for i := range p.g.Nodes {
		group(&p.g.Nodes[i], 0)
	}
}

func label(n *Node) string {
	if n.Missing {
		return string(n.ID) + " (there is no such record)"
	}
	return string(n.ID) + " " + harmless.Line(record.Clip(n.Title, labelShown))
}
