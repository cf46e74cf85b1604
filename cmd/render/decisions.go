package render

import (
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// governing prints the decisions that govern a task, if there are any.
func (r *Renderer) governing(g *verb.Governing) {
	if g == nil {
		return
	}
	r.Printf("\nDecisions that govern it\n")
	for _, d := range g.Items {
		r.Printf("  %s  %s: %s\n", d.ID, d.Title, screen.Lines(strings.ReplaceAll(d.Choice, "\n", "\n      ")))
	}
	switch {
	case g.More > 0:
		r.Printf("  %d more: %s\n", g.More, g.Rest)
	case g.Rest != "":
		r.Printf("  %s\n", g.Rest)
	}
}
