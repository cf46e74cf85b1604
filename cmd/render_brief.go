package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb/brief"
)

// renderBrief prints a brief: the counts on a line, and a heading with its lines for each list that is not empty.
func renderBrief(r *renderer, b brief.Out) {
	about := b.Workspace
	if b.Parent != nil {
		about += "  " + string(b.Parent.ID) + "  " + b.Parent.Title
	}
	r.printf("%s  %d open: %d ready, %d blocked, %d held\n", r.style.bold(about), b.Open, b.Ready, b.Blocked, b.Held)
	var counts []string
	for _, c := range b.Tasks {
		if c.Count > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.Count, c.Status))
		}
	}
	if len(counts) > 0 {
		r.printf("  %s\n", strings.Join(counts, ", "))
	}
	if len(b.Top) > 0 {
		t := table{head: []string{"TASK", "STATUS", "PRIO", "ASSIGNEE", "TITLE"}, grow: 4}
		for _, one := range b.Top {
			status := string(one.Status)
			if one.Blocked {
				status += ", waits"
			}
			t.add(string(one.ID), status, fmt.Sprint(int(one.Priority)), string(one.Assignee), one.Title)
		}
		r.printf("\nMost urgent\n")
		t.print(r.out, r.width(), r.style)
	}
	r.heading("Decisions", len(b.Decisions), b.Totals.Decisions)
	for _, d := range b.Decisions {
		r.printf("  %s  %s: %s\n", d.ID, d.Title, d.Choice)
	}
	r.titled("Knowledge", b.Knowledge, b.Totals.Knowledge)
	r.titled("Handoffs that wait", b.Handoffs, b.Totals.Handoffs)
	r.titled("Repositories", b.Repositories, b.Totals.Repositories)
	r.heading("Last writes", len(b.Activity), len(b.Activity))
	for _, a := range b.Activity {
		r.printf("  %s  %s  %s  %s  %s\n", a.At.Format(time.RFC3339), a.Who, a.Did, a.ID, a.Title)
	}
}

// titled prints records of which the title says enough.
func (r *renderer) titled(heading string, list []brief.Titled, total int) {
	r.heading(heading, len(list), total)
	for _, one := range list {
		r.printf("  %s  %s  %s\n", one.ID, strings.TrimSpace(one.Type+"  "+string(one.Status)), one.Title)
	}
}

// heading prints the heading of a list, and how many of it there are if not all are shown. A list of nothing has none.
func (r *renderer) heading(text string, shown, total int) {
	switch {
	case total == 0:
	case shown < total:
		r.printf("\n%s (%d of %d)\n", text, shown, total)
	default:
		r.printf("\n%s\n", text)
	}
}
