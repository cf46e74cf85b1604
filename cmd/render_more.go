package cmd

import (
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/verb"
)

// renderContext prints a task as a page, and behind it what is around the task.
func (p *program) renderContext(c verb.Context, st style) {
	p.renderTask(c.Task, st)
	for _, part := range []struct {
		name string
		rows *verb.Rows
	}{{"Waits for", c.Blockers}, {"Needed by", c.Dependents}, {"Children", c.Children}} {
		if part.rows != nil && part.rows.Total > 0 {
			p.printf("\n%s\n", part.name)
			p.renderRows(part.rows.Tasks, st)
		}
	}
	if c.Sessions != nil && c.Sessions.Total > 0 {
		p.printf("\nSessions\n")
		p.renderSessions(verb.Sessions{Sessions: c.Sessions.Sessions}, st)
	}
	if c.Git != nil {
		p.printf("\nHere: branch %s, commit %s\n", c.Git.Branch, c.Git.Head)
	}
	if c.Logs != nil && c.Logs.TotalRuns > 0 {
		p.printf("\nThe last check run\n")
		p.renderLogs(*c.Logs, st)
	}
}

func (p *program) renderLogs(l verb.Logs, st style) {
	for i, log := range l.Logs {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("%s\n", st.bold(log.Path))
		if log.Truncated {
			p.printf("      … only the end; the file has it all\n")
		}
		p.printf("%s\n", indent(log.Text))
	}
	switch {
	case l.TotalRuns == 0:
		p.printf("no check was run in this clone\n")
	case l.HasMore:
		p.printf("%d of %d runs; the next: --offset %d\n", l.ReturnedRuns, l.TotalRuns, l.NextOffset)
	}
}

func (p *program) renderHistory(h verb.History, st style) {
	t := table{head: []string{"AT", "TASK", "WHO", "WHAT"}, grow: 3}
	for _, e := range h.Entries {
		what := story(e.Entry)
		if e.Deleted {
			what += " (deleted since)"
		}
		t.add(e.At.Format(time.RFC3339), string(e.Task), string(e.Who), harmless.Line(what))
	}
	t.print(p.out, p.width(), st)
	if h.NextCursor != "" {
		p.printf("%d of %d; the next: --cursor %s\n", len(h.Entries), h.Total, h.NextCursor)
	}
	if h.Total == 0 {
		p.printf("nothing was done\n")
	}
	p.renderProblems(h.Problems)
}

func (p *program) renderSettings(s verb.Settings, st style) {
	t := table{head: []string{"SETTING", "VALUE", "WHAT IT IS"}, grow: 2}
	for _, one := range s.Settings {
		t.add(one.Key, fmt.Sprint(one.Value), one.Doc)
	}
	t.print(p.out, p.width(), st)
}
