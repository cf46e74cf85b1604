package cmd

import (
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/directory"
)

func renderActors(r *renderer, l verb.Items[directory.Actor]) {
	t := table{head: []string{"ACTOR", "NAME", "STATUS", "GROUP", "WHAT"}, grow: 4}
	for _, a := range l.Items {
		status, what := string(a.Status), strings.Join(a.Capabilities, ", ")
		if !a.Registered {
			status = "not registered"
		}
		if a.Role != "" {
			what = strings.TrimSuffix(a.Role+": "+what, ": ")
		}
		t.add(string(a.ID), a.DisplayName, status, a.Group, what)
	}
	r.page(t, len(l.Items), l.Total, l.NextCursor, "nobody", l.Problems)
}

// page prints a table that is a page of a list, and what there is to say about the rest of it.
func (r *renderer) page(t table, shown, total int, next, none string, p verb.Problems) {
	t.print(r.out, r.width(), r.style)
	r.nextPage(shown, total, next)
	if total == 0 && len(p.Problems) == 0 {
		r.printf("%s\n", none)
	}
	r.problems(p)
}
