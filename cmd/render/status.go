package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/mattn/go-runewidth"
)

// renderStatus prints one screen: a line of counts, a heading with its lines for each list that is not empty, and the
// commands that lead on.
func renderStatus(r *Renderer, s status.Out) {
	counts := fmt.Sprintf("%d open, %d ready, %d blocked", s.Open, s.Totals.Ready, s.Blocked)
	if s.Inbox > 0 {
		counts += fmt.Sprintf(", %d in your inbox", s.Inbox)
	}
	r.Printf("%s  %s\n", r.Style.Bold(s.Workspace), counts)
	if s.Total == 0 {
		r.Printf("\nThere are no tasks yet. This is how it begins:\n")
		r.Printf("  cairn add 'what is to be done'   makes a task\n  cairn start ID                   takes it, and cairn done ID closes it\n  cairn help                       lists what else there is\n")
		return
	}
	who := func(t status.Task) screen.Cell { return whoSince(r, t, s.Actor) }
	r.statusList("Running", s.Running, s.Totals.Running, who)
	statusJobs(r, s)
	r.statusList("Stalled", s.Stalled, s.Totals.Stalled, who)
	r.statusList("Waiting for review", s.Review, s.Totals.Review, func(t status.Task) screen.Cell {
		if t.Mine {
			return screen.Cell{Text: "for you"}
		}
		return who(t)
	})
	r.statusList("Overdue", s.Overdue, s.Totals.Overdue, func(t status.Task) screen.Cell { return screen.Cell{Text: string(t.Due)} })
	r.statusList("Ready", s.Ready, s.Totals.Ready, func(t status.Task) screen.Cell { return screen.Cell{Text: fmt.Sprintf("p%d", t.Priority)} })
	r.statusList("Closed this week", s.Closed, s.Totals.Closed, func(t status.Task) screen.Cell { return screen.Cell{Text: string(t.Status) + since(t.Since, r.Now())} })
	r.Printf("\n")
	r.remote(s.Remote)
	for i, command := range s.Next {
		r.Printf("%-5s %s\n", []string{"next:", "or:"}[min(i, 1)], command)
	}
}

// whoSince is who holds a task, and for how long. The short form has no more of a name than tells it from others.
func whoSince(r *Renderer, t status.Task, me record.Actor) screen.Cell {
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
		return screen.Cell{Text: "you" + ago}
	}
	_, name, _ := strings.Cut(string(t.Actor), ":")
	return screen.Cell{Text: string(t.Actor) + ago, Short: runewidth.Truncate(name, shortName, "…") + short}
}

const shortName = 16 // columns

// statusList prints the lines of one list: the id, what is said of each, and the title.
func (r *Renderer) statusList(heading string, list []status.Task, total int, said func(status.Task) screen.Cell) {
	r.heading(heading, len(list), total)
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = string(t.ID)
	}
	short := r.enough(ids)
	rows := make([][]screen.Cell, len(list))
	for i, t := range list {
		title := t.Title
		if t.Doing != "" {
			title += ": " + t.Doing
		}
		rows[i] = []screen.Cell{idCell(t.ID, short), said(t), {Text: title}}
	}
	r.statusRows(rows)
}

func statusJobs(r *Renderer, s status.Out) {
	r.heading("Jobs", len(s.Jobs), s.Totals.Jobs)
	rows := make([][]screen.Cell, len(s.Jobs))
	for i, j := range s.Jobs {
		rows[i] = []screen.Cell{{Text: j.Job}, {Text: strings.ToLower(string(j.State))}, {Text: strings.TrimSpace(string(j.Task) + "  " + j.Executor)}}
	}
	r.statusRows(rows)
}

// statusRows prints rows of three columns, the last of which takes what is left of the width.
func (r *Renderer) statusRows(rows [][]screen.Cell) {
	t := screen.Table{Head: make([]string, 3), Grow: 2, Cols: []screen.Column{{Shorten: 1}, {Shorten: 2}, {}}, Indent: "  "}
	for _, row := range rows {
		t.AddCells(row...)
	}
	t.Print(r.Out, r.Width, r.Style)
}

// since is how long ago something was, behind a comma: 40s, 5m, 3h, 2d.
func since(at *time.Time, now time.Time) string {
	if at == nil {
		return ""
	}
	if now.Sub(*at) < time.Minute {
		return ", just now"
	}
	return ", " + verb.Ago(*at, now)
}
