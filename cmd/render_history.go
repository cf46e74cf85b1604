package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/task"
)

func renderHistory(r *renderer, h activity.HistoryOut) {
	t := table{head: []string{"AT", "RECORD", "WHO", "WHAT"}, grow: 3}
	for _, e := range h.Entries {
		what := entryText(e.Entry)
		if e.Text != "" {
			what += ": " + e.Text
		}
		if e.Deleted {
			what += " (deleted since)"
		}
		t.add(e.At.Format(time.RFC3339), cmp.Or(string(e.Task), e.Record), string(e.Who), what)
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(h.Entries), h.Total, h.NextCursor)
	if h.Total == 0 {
		r.printf("nothing was done\n")
	}
	r.problems(h.Problems)
}

// renderWaited prints how a wait ended, what changed, and the records that were watched as they are now.
func renderWaited(r *renderer, w activity.Waited) {
	said := strings.ToLower(strings.ReplaceAll(string(w.Code), "_", " "))
	of, ok := strings.CutPrefix(said, "task ")
	switch {
	case ok && w.Record != nil:
		said = w.Record.Kind + " " + of
	case ok && w.Job != nil:
		said = "job " + of
	}
	r.printf("%s\n", r.style.bold(said))
	for _, c := range w.Changed {
		r.printf("  %s\n", changeText(c))
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
		r.printf("%d of %d\n", len(w.Tasks), *w.Total)
	}
	r.printf("cursor %s\n", w.Cursor)
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
func (r *renderer) entry(e verb.Entry) {
	r.printf("  %s  %s  %s", e.At.Format(time.RFC3339), e.Who, entryText(e))
	if e.Text != "" {
		r.printf(": %s", lines(strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n      ")))
	}
	r.printf("\n")
}

// entryText says in words what an entry records.
func entryText(e verb.Entry) string {
	text := string(e.Did)
	switch {
	case e.Did == task.Created && e.To != "":
		text += " as " + string(e.To)
	case e.From != "" || e.To != "":
		text += fmt.Sprintf(" %s -> %s", e.From, e.To)
	}
	if e.Assignee != nil && *e.Assignee != e.Who && *e.Assignee != "" {
		text += " to " + string(*e.Assignee)
	}
	for i, r := range e.Results {
		if i == 0 {
			text += ":"
		}
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %s", cmp.Or(r.Desc, r.Check), r.Result)
	}
	text += map[string]string{"true": " (signed)", "bad": " (signature does not count)", "false": " (not signed)"}[e.Signed]
	if e.Detail != nil {
		text += detailText(*e.Detail)
	}
	if e.Session != "" {
		text += " [" + e.Session + "]"
	}
	return text
}

// detailText says in words what an entry records that only few kinds of write do.
func detailText(d task.Detail) string {
	text := ""
	for _, one := range []struct{ before, what string }{
		{" ", d.Verb}, {" (", d.Severity}, {", answers ", d.Re}, {" ", d.Option}, {" about ", strings.Join(d.About, ", ")}, {" refs ", strings.Join(d.Refs, ", ")},
	} {
		if one.what == "" {
			continue
		}
		if text += one.before + one.what; one.before == " (" {
			text += ")"
		}
	}
	return text
}
