package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/cairn-tasks/cairn/task"
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
	who := func(t status.Task) cell { return r.whoSince(t, s.Actor) }
	r.statusList("Running", s.Running, s.Totals.Running, who)
	r.statusJobs(s)
	r.statusList("Stalled", s.Stalled, s.Totals.Stalled, who)
	r.statusList("Waiting for review", s.Review, s.Totals.Review, func(t status.Task) cell {
		if t.Mine {
			return cell{text: "for you"}
		}
		return who(t)
	})
	r.statusList("Overdue", s.Overdue, s.Totals.Overdue, func(t status.Task) cell { return cell{text: string(t.Due)} })
	r.statusList("Ready", s.Ready, s.Totals.Ready, func(t status.Task) cell { return cell{text: fmt.Sprintf("p%d", t.Priority)} })
	r.statusList("Closed this week", s.Closed, s.Totals.Closed, func(t status.Task) cell { return cell{text: string(t.Status) + since(t.Since, r.Now())} })
	r.printf("\n")
	r.remote(s.Remote)
	for i, command := range s.Next {
		r.printf("%-5s %s\n", []string{"next:", "or:"}[min(i, 1)], command)
	}
}

// whoSince is who holds a task, and for how long. The short form has no more of a name than tells it from others.
func (r *renderer) whoSince(t status.Task, me task.Actor) cell {
	ago := since(t.Since, r.Now())
	short := ago
	switch {
	case t.Lost:
		ago += ", claim lost"
	case t.Unsynced:
		ago += ", unsynced"
	case t.Clone != "":
		ago += ", another clone"
	}
	if t.Actor == me {
		return cell{text: "you" + ago}
	}
	_, name, _ := strings.Cut(string(t.Actor), ":")
	return cell{text: string(t.Actor) + ago, short: runewidth.Truncate(name, shortName, "…") + short}
}

const shortName = 16 // columns

// statusList prints the lines of one list: the id, what is said of each, and the title.
func (r *renderer) statusList(heading string, list []status.Task, total int, said func(status.Task) cell) {
	r.heading(heading, len(list), total)
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = string(t.ID)
	}
	short := r.enough(ids)
	rows := make([][]cell, len(list))
	for i, t := range list {
		title := t.Title
		if t.Doing != "" {
			title += ": " + t.Doing
		}
		rows[i] = []cell{idCell(t.ID, short), said(t), {text: title}}
	}
	r.statusRows(rows)
}

func (r *renderer) statusJobs(s status.Out) {
	r.heading("Jobs", len(s.Jobs), s.Totals.Jobs)
	rows := make([][]cell, len(s.Jobs))
	for i, j := range s.Jobs {
		rows[i] = []cell{{text: j.Job}, {text: strings.ToLower(string(j.State))}, {text: strings.TrimSpace(string(j.Task) + "  " + j.Executor)}}
	}
	r.statusRows(rows)
}

// statusRows prints rows of three columns, the last of which takes what is left of the width.
func (r *renderer) statusRows(rows [][]cell) {
	t := table{head: make([]string, 3), grow: 2, cols: []column{{shorten: 1}, {shorten: 2}, {}}, indent: "  "}
	for _, row := range rows {
		t.addCells(row...)
	}
	t.print(r.out, r.width(), r.style)
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
