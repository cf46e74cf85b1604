package cmd

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/activity"
)

// renderWaited says how a wait ended, what changed, and what was watched as it is now.
func (p *program) renderWaited(w activity.Waited, st style) {
	p.printf("%s\n", st.bold(strings.ToLower(strings.ReplaceAll(string(w.Code), "_", " "))))
	for _, c := range w.Changed {
		p.printf("  %s\n", changeText(c))
	}
	for _, e := range w.Entries {
		p.renderEntry(e)
	}
	switch {
	case w.Task != nil:
		p.renderRows([]verb.Row{*w.Task}, st)
	case w.Session != nil:
		p.renderSession(*w.Session, st)
	default:
		p.renderRows(w.Tasks, st)
	}
	if w.Total != nil && *w.Total > len(w.Tasks) {
		p.printf("%d of %d\n", len(w.Tasks), *w.Total)
	}
	p.printf("cursor %s\n", w.Cursor)
}

// changeText is a change in a line, such as "T-1 status: backlog -> done".
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
