package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// renderTask prints a task as a page: what it is, what must pass, what it says, and how it came here.
func (p *program) renderTask(t verb.Task, st style) {
	p.printf("%s  %s\n", st.bold(string(t.ID)), st.bold(t.Title))
	for _, f := range facts(t) {
		p.printf("  %-9s %s\n", f.name, f.text)
	}
	if len(t.Checks) > 0 {
		p.printf("\nChecks\n")
		for i, c := range t.Checks {
			p.printf("  %d  %s  %s%s\n", i, st.result(c.Result), c.Desc, how(c))
		}
	}
	if t.Body != "" {
		p.printf("\n%s\n", lines(strings.TrimRight(t.Body, "\n")))
	}
	p.printf("\nProvenance\n")
	for _, e := range t.Provenance {
		p.renderEntry(e)
	}
}

type fact struct{ name, text string }

// facts are the lines at the top; those that say nothing are left out.
func facts(t verb.Task) []fact {
	all := []fact{
		{"status", string(t.Status)},
		{"priority", fmt.Sprint(t.Priority)},
		{"held by", claimText(t)},
		{"elsewhere", elsewhereText(t)},
		{"session", strings.ReplaceAll(t.Execution, "_", " ")},
		{"labels", strings.Join(t.Labels, ", ")},
		{"parent", string(t.Parent)},
		{"deps", joined(t.Deps)},
		{"waits for", joined(t.BlockedBy)},
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.text == "" })
}

func claimText(t verb.Task) string {
	if t.Claim == nil {
		return string(t.Assignee)
	}
	text := string(t.Claim.Actor)
	if t.Claim.Session != "" {
		text += ", session " + t.Claim.Session
	}
	if t.Claim.Branch != "" {
		text += ", branch " + t.Claim.Branch
	}
	if t.Claim.Lapsed {
		text += " (lapsed: takeover ends it)"
	}
	return text
}

func elsewhereText(t verb.Task) string {
	if t.Elsewhere == nil {
		return ""
	}
	return fmt.Sprintf("%s on branch %s, worktree %s", t.Elsewhere.Status, t.Elsewhere.Branch, t.Elsewhere.Worktree)
}

func joined(ids []task.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}

// how is what settles a check.
func how(c verb.Check) string {
	if c.Cmd == "" {
		if c.By != "" {
			return "  (manual, by " + c.By + ")"
		}
		return "  (manual)"
	}
	return "  $ " + firstLine(c.Cmd)
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// renderEntry prints an entry as a line, and what it says on as many as that has.
func (p *program) renderEntry(e verb.Entry) {
	p.printf("  %s  %s  %s", e.At.Format(time.RFC3339), e.Who, story(e))
	if e.Text != "" {
		p.printf(": %s", lines(strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n      ")))
	}
	p.printf("\n")
}

// story tells in words what an entry says was done.
func story(e verb.Entry) string {
	text := string(e.Did)
	if e.From != "" || e.To != "" {
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
	if e.Session != "" {
		text += " [" + e.Session + "]"
	}
	return text
}

// renderPart prints a part of a task and nothing else.
func (p *program) renderPart(part tasks.Part, st style) {
	if part.Text != "" {
		p.printf("%s\n", lines(strings.TrimRight(part.Text, "\n")))
	}
	for _, e := range part.Entries {
		p.renderEntry(e)
	}
	p.renderRows(part.Tasks, st)
}

// renderContext prints a task as a page, and behind it what is around the task.
func (p *program) renderContext(c tasks.Context, st style) {
	p.renderTask(c.Task, st)
	for _, part := range []struct {
		name string
		rows *tasks.Rows
	}{{"Waits for", c.Blockers}, {"Needed by", c.Dependents}, {"Children", c.Children}} {
		if part.rows != nil && part.rows.Total > 0 {
			p.printf("\n%s\n", part.name)
			p.renderRows(part.rows.Tasks, st)
		}
	}
	if c.Sessions != nil && c.Sessions.Total > 0 {
		p.printf("\nSessions\n")
		p.renderSessions(sessions.ListOut{Sessions: c.Sessions.Sessions}, st)
	}
	if c.Git != nil {
		p.printf("\nHere: branch %s, commit %s\n", c.Git.Branch, c.Git.Head)
	}
	if c.Logs != nil && c.Logs.TotalRuns > 0 {
		p.printf("\nThe last check run\n")
		p.renderLogs(*c.Logs, st)
	}
}
