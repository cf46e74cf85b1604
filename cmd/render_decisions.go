package cmd

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/decisions"
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

func renderDecisions(r *renderer, l verb.Items[decisions.Row]) {
	t := table{head: []string{"DECISION", "STATUS", "TITLE", "CHOICE", "GOVERNS"}, grow: 3}
	for _, d := range l.Items {
		governs := strings.Join(d.Scope, ", ")
		if d.SupersededBy != "" {
			governs = "superseded by " + string(d.SupersededBy)
		}
		t.add(string(d.ID), string(d.Status), d.Title, d.Choice, governs)
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(l.Items), l.Total, l.NextCursor)
	if l.Total == 0 && len(l.Problems.Problems) == 0 {
		r.printf("no decisions\n")
	}
	r.problems(l.Problems)
}
