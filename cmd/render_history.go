package cmd

import (
	"cmp"
	"time"

	"github.com/cairn-tasks/cairn/verb/activity"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

func (p *program) renderLogs(l tasks.LogsOut, st style) {
	for i, log := range l.Logs {
		if i > 0 {
			p.printf("\n")
		}
		path := log.Path
		if log.Worktree != "" {
			path += "  (worktree " + log.Worktree + ")"
		}
		p.printf("%s\n", st.bold(path))
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

func (p *program) renderHistory(h activity.HistoryOut, st style) {
	t := table{head: []string{"AT", "TASK", "WHO", "WHAT"}, grow: 3}
	for _, e := range h.Entries {
		what := story(e.Entry)
		if e.Text != "" {
			what += ": " + e.Text
		}
		if e.Deleted {
			what += " (deleted since)"
		}
		t.add(e.At.Format(time.RFC3339), cmp.Or(string(e.Task), e.Record), string(e.Who), what)
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
