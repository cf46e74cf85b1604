package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

// renderWaited prints how a wait ended, what changed, and the records that were watched as they are now.
func renderWaited(r *Renderer, w activity.Waited) {
	said := strings.ToLower(strings.ReplaceAll(string(w.Code), "_", " "))
	of, ok := strings.CutPrefix(said, "task ")
	switch {
	case ok && w.Record != nil:
		said = w.Record.Kind + " " + of
	case ok && w.Job != nil:
		said = "job " + of
	}
	r.Printf("%s\n", r.Style.Bold(said))
	for _, c := range w.Changed {
		r.Printf("  %s\n", changeText(c))
	}
	for _, e := range w.Entries {
		r.entry(e)
	}
	switch {
	case w.Task != nil:
		r.rows([]verb.Row{*w.Task})
	case w.Session != nil:
		renderSession(r, *w.Session)
	case w.Job != nil:
		if one, ok := w.Job.(jobs.Job); ok {
			renderJob(r, one)
		}
	case w.Record != nil:
		renderRecord(r, *w.Record)
	default:
		r.rows(w.Tasks)
	}
	if w.Total != nil && *w.Total > len(w.Tasks) {
		r.Printf("%d of %d\n", len(w.Tasks), *w.Total)
	}
	r.Printf("cursor %s\n", w.Cursor)
}

// changeText is a change in words, such as "T-1 status: backlog -> done".
func changeText(c activity.Change) string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s", c.Task, c.Field))
	if c.From == "" && c.To == "" {
		return text
	}
	return fmt.Sprintf("%s: %s -> %s", text, orNothing(c.From), orNothing(c.To))
}

func orNothing(value string) string {
	if value == "" {
		return "(none)"
	}
	return value
}

// entry prints an entry on one line; its text may continue on further lines.
func (r *Renderer) entry(e verb.Entry) {
	r.Printf("  %s  %s  %s", e.At.Format(time.RFC3339), e.Who, e.Words())
	if e.Text != "" {
		r.Printf(": %s", screen.Lines(strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n      ")))
	}
	r.Printf("\n")
}
