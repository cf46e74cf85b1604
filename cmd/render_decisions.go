package cmd

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// governing prints the decisions that govern a task, if there are any.
func (r *renderer) governing(g *verb.Governing) {
	if g == nil {
		return
	}
	r.printf("\nDecisions that govern it\n")
	for _, d := range g.Items {
		r.printf("  %s  %s: %s\n", d.ID, d.Title, lines(strings.ReplaceAll(d.Choice, "\n", "\n      ")))
	}
	switch {
	case g.More > 0:
		r.printf("  %d more: %s\n", g.More, g.Rest)
	case g.Rest != "":
		r.printf("  %s\n", g.Rest)
	}
}
