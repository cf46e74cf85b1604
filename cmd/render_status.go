package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/verb/status"
	"github.com/mattn/go-runewidth"
)

// renderStatus prints one screen: a line of counts, a heading with its lines for each list that is not empty, and the commands that lead on.
func renderStatus(r *renderer, s status.Out) {
	counts := fmt.Sprintf("%d open, %d ready, %d blocked", s.Open, s.Totals.Ready, s.Blocked)
	if s.Inbox > 0 {
		counts += fmt.Sprintf(", %d in your inbox", s.Inbox)
	}
	r.printf("%s  %s\n", r.style.bold(s.Workspace), counts)
	if s.Total == 0 {
		r.printf("\nThere are no tasks yet. This is how it begins:\n")
		r.printf("  cairn add 'what is to be done'   makes a task\n  cairn start ID                   takes it, and cairn done ID closes it\n  cairn help                       lists what else there is\n")
		return
	}
	who := func(t status.Task) string {
		text := string(t.Actor)
		if t.Actor == s.Actor {
			text = "you"
		}
		return text + since(t.Since, r.Now())
	}
	r.statusList("Running", s.Running, s.Totals.Running, func(t status.Task) string { return who(t) })
	r.statusJobs(s)
	r.statusList("Stalled", s.Stalled, s.Totals.Stalled, who)
	r.statusList("Waiting for review", s.Review, s.Totals.Review, func(t status.Task) string {
		if t.Mine {
			return "for you"
		}
		return who(t)
	})
	r.statusList("Overdue", s.Overdue, s.Totals.Overdue, func(t status.Task) string { return string(t.Due) })
	r.statusList("Ready", s.Ready, s.Totals.Ready, func(t status.Task) string { return fmt.Sprintf("p%d", t.Priority) })
	r.statusList("Closed this week", s.Closed, s.Totals.Closed, func(t status.Task) string { return string(t.Status) + since(t.Since, r.Now()) })
	r.printf("\n")
	for i, command := range s.Next {
		r.printf("%-5s %s\n", []string{"next:", "or:"}[min(i, 1)], command)
	}
}

// statusList prints the lines of one list: the id, what is said of each, and the title, cut to the width of the terminal.
func (r *renderer) statusList(heading string, list []status.Task, total int, said func(status.Task) string) {
	r.heading(heading, len(list), total)
	rows := make([][3]string, len(list))
	for i, t := range list {
		title := t.Title
		if t.Doing != "" {
			title += ": " + t.Doing
		}
		rows[i] = [3]string{string(t.ID), said(t), title}
	}
	r.statusRows(rows)
}

func (r *renderer) statusJobs(s status.Out) {
	r.heading("Jobs", len(s.Jobs), s.Totals.Jobs)
	rows := make([][3]string, len(s.Jobs))
	for i, j := range s.Jobs {
		rows[i] = [3]string{j.Job, strings.ToLower(string(j.State)), strings.TrimSpace(string(j.Task) + "  " + j.Executor)}
	}
	r.statusRows(rows)
}

// statusRows prints rows of three columns, the last of which takes what is left of the width.
func (r *renderer) statusRows(rows [][3]string) {
	first, second := 0, 0
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = harmless.Line(rows[i][j])
		}
		first, second = max(first, runewidth.StringWidth(rows[i][0])), max(second, runewidth.StringWidth(rows[i][1]))
	}
	if width := r.width(); width > 0 {
		second = min(second, max(width/3, leastGrow))
	}
	for _, row := range rows {
		said, title := runewidth.Truncate(row[1], second, "…"), row[2]
		if width := r.width(); width > 0 {
			title = runewidth.Truncate(title, max(width-first-second-6, leastGrow), "…")
		}
		r.printf("  %s%s  %s%s  %s\n", r.style.bold(row[0]), pad(row[0], first), said, pad(said, second), title)
	}
}

func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-runewidth.StringWidth(text)))
}

// since is how long ago something was, behind a comma: 40s, 5m, 3h, 2d.
func since(at *time.Time, now time.Time) string {
	if at == nil {
		return ""
	}
	ago := now.Sub(*at)
	switch {
	case ago < time.Minute:
		return ", just now"
	case ago < time.Hour:
		return fmt.Sprintf(", %dm", int(ago.Minutes()))
	case ago < 48*time.Hour:
		return fmt.Sprintf(", %dh", int(ago.Hours()))
	default:
		return fmt.Sprintf(", %dd", int(ago.Hours()/24))
	}
}
