package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/task"
)

// renderTask prints a task: as a page if the verb reads, else as one line with what was run.
func renderTask(r *Renderer, t verb.Task) {
	if r.Kind == verb.Read {
		renderTaskPage(r, t)
	} else {
		renderChanged(r, t)
	}
}

// renderChanged prints a task after a write: what was run, and the task in one line.
func renderChanged(r *Renderer, t verb.Task) {
	if t.Run != nil {
		WriteRun(r.Out, t.Run, r.Style)
	}
	who := holder(t.Row)
	if who != "" {
		who = "  (" + who + ")"
	}
	r.Printf("%s  %s  %s%s\n", r.Style.Bold(string(t.ID)), t.Status, t.Title, who)
	if c := t.Claim; c != nil && c.LostTo != nil {
		r.Printf("claim lost: %s holds it, clone %s; cairn release %s lets go of it here\n", c.LostTo.Actor, c.LostTo.Clone, t.ID)
	} else if c != nil && c.Unsynced {
		r.Printf("unsynced: the git remote is not known to have this claim, so another clone may take the task too; cairn remote sync tells it\n")
	}
	for _, n := range t.Notices {
		r.Printf("note  %s\n", n.Message)
	}
	r.refsWritten(t.Refs, t.RefsTotal)
}

// renderTaskPage prints a task as a page: its fields, its checks, its body and its provenance.
func renderTaskPage(r *Renderer, t verb.Task) {
	r.Printf("%s  %s\n", r.Style.Bold(string(t.ID)), r.Style.Bold(t.Title))
	fields := []namedText{
		{"status", string(t.Status)},
		{"priority", fmt.Sprint(t.Urgency)},
		{"mode", string(t.Mode)},
		{"due", strings.TrimPrefix(dueText(t.Row), "due ")},
	}
	for _, f := range task.OptionalFields() {
		fields = append(fields, namedText{strings.ReplaceAll(f.Name, "_", " "), t.Value(f.Name)})
	}
	fields = append(fields, []namedText{
		{"held by", claimText(t)},
		{"elsewhere", elsewhereText(t)},
		{"session", strings.ReplaceAll(t.Execution, "_", " ")},
		{"labels", strings.Join(t.Labels, ", ")},
		{"parent", string(t.Parent)},
		{"deps", joined(t.Deps)},
		{"discovered from", joined(t.DiscoveredFrom)},
		{"duplicates", joined(t.Duplicates)},
		{"related", joined(t.Related)},
		{"repo", t.Repo},
		{"scope", strings.Join(t.Scope, ", ")},
		{"waits for", joined(t.BlockedBy)},
		{"evidence", map[bool]string{true: "required"}[t.Evidence]},
	}...)
	r.namedTexts(append(fields, ownTexts(t.Fields)...))
	if len(t.Checks) > 0 {
		r.Printf("\nChecks\n")
		for i, c := range t.Checks {
			r.Printf("  %d  %s  %s%s\n", i, resultText(r.Style, c.Result), c.Desc, checkText(c))
		}
	}
	r.refs(t.Refs, t.RefsTotal)
	if t.Body != "" {
		r.Printf("\n%s\n", screen.Lines(strings.TrimRight(t.Body, "\n")))
	}
	r.Printf("\nProvenance\n")
	for _, e := range t.Provenance {
		r.entry(e)
	}
}

// ownTexts are the fields of the user's own, by their names.
func ownTexts(fields map[string]any) []namedText {
	var out []namedText
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text := fmt.Sprint(fields[name])
		if n, ok := fields[name].(float64); ok {
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
		out = append(out, namedText{name, text})
	}
	return out
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
	if t.Claim.ExpiresAt != nil && !t.Claim.Lapsed {
		text += ", until " + t.Claim.ExpiresAt.Format(time.RFC3339)
	}
	if t.Claim.Clone != "" {
		text += ", clone " + t.Claim.Clone
	}
	if t.Claim.Lapsed {
		text += " (lapsed: takeover ends it)"
	}
	if t.Claim.Unsynced {
		text += " (unsynced: the git remote is not known to have the claim)"
	}
	if to := t.Claim.LostTo; to != nil {
		text += fmt.Sprintf(" (lost: the git remote gave it to %s, clone %s)", to.Actor, to.Clone)
	}
	if t.Claim.KnownAt != nil {
		text += ", as of " + t.Claim.KnownAt.Format(time.RFC3339)
	}
	return text
}

func elsewhereText(t verb.Task) string {
	if t.Elsewhere == nil {
		return ""
	}
	e, where := t.Elsewhere, []string(nil)
	if e.Tracked {
		return fmt.Sprintf("%s on %s", e.Status, e.Branch)
	}
	if e.Branch != "" {
		where = append(where, "branch "+e.Branch)
	}
	if e.Worktree != "" {
		where = append(where, "worktree "+e.Worktree)
	}
	text := strings.Join(where, ", ")
	if e.Clone != "" {
		text = strings.TrimPrefix(text+" in clone "+e.Clone, " in ")
	}
	return string(e.Status) + " on " + text
}

// checkText is the command of a check, or who attests it.
func checkText(c verb.Check) string {
	if c.Cmd == "" {
		if c.By != "" {
			return "  (manual, by " + c.By + ")"
		}
		return "  (manual)"
	}
	return "  $ " + FirstLine(c.Cmd)
}

// renderPart prints a part of a task and nothing else.
func renderPart(r *Renderer, part tasks.Part) {
	if part.Text != "" {
		r.Printf("%s\n", screen.Lines(strings.TrimRight(part.Text, "\n")))
	}
	for _, e := range part.Entries {
		r.entry(e)
	}
	r.rows(part.Tasks)
}

// linkedHead is the heading above tasks that have a link of one kind to the one that is shown.
func linkedHead(name string) string {
	for _, kind := range task.LinkKinds {
		if kind.Name == name {
			return strings.ToUpper(kind.Reverse[:1]) + kind.Reverse[1:]
		}
	}
	return name
}

// renderContext prints a task as a page, and then what is around the task.
func renderContext(r *Renderer, c tasks.Context) {
	renderTaskPage(r, c.Task)
	for _, part := range []struct {
		name string
		rows *tasks.Rows
	}{{"Waits for", c.Blockers}, {"Needed by", c.Dependents}, {"Children", c.Children}} {
		if part.rows != nil && part.rows.Total > 0 {
			r.Printf("\n%s\n", part.name)
			r.rows(part.rows.Tasks)
		}
	}
	for _, from := range c.Linked {
		r.Printf("\n%s\n", linkedHead(from.Link))
		r.rows(from.Tasks)
	}
	r.review(reviewOf(c))
	r.last(c.Last)
	r.governing(c.Decisions)
	r.thread(c.Comments)
	if c.Scratchpad != nil && *c.Scratchpad != "" {
		r.Printf("\nScratchpad\n%s\n", indent(strings.TrimRight(*c.Scratchpad, "\n")))
	}
	if c.Sessions != nil && c.Sessions.Total > 0 {
		r.Printf("\nSessions\n")
		tabulate(r, c.Sessions.Sessions)
	}
	if c.Git != nil {
		r.Printf("\nHere: branch %s, commit %s\n", c.Git.Branch, c.Git.Head)
	}
	if c.Logs != nil && c.Logs.TotalRuns > 0 {
		r.Printf("\nThe last check run\n")
		renderLogs(r, *c.Logs)
	}
	r.reviewCalls(c)
}

// WriteRun prints the result of each check, and the end of the output of those that failed.
func WriteRun(out io.Writer, run *verb.RunReport, st screen.Style) {
	if len(run.Checks) == 0 {
		screen.Fprintf(out, "no command to run among these checks\n")
	}
	for _, c := range run.Checks {
		word := st.Good("pass")
		if c.Result != record.Pass {
			word = st.Bad("FAIL")
		}
		screen.Fprintf(out, "%s  %s (%s, %.1f s)\n", word, c.Desc, c.Summary, c.Seconds)
		if text := strings.Trim(c.Output, "\n"); text != "" {
			screen.Fprintf(out, "%s\n", indent(text))
		}
	}
	if len(run.TreeChanged) > 0 {
		screen.Fprintf(out, "files changed meanwhile, so these results will not count later: %s\n", strings.Join(run.TreeChanged, ", "))
	}
	if run.Log != "" {
		screen.Fprintf(out, "log   %s\n", run.Log)
	}
}

// resultText is the result of a check, in its colour.
func resultText(s screen.Style, r record.Result) screen.Painted {
	switch r {
	case record.Pass:
		return s.Good("pass   ")
	case record.Fail:
		return s.Bad("FAIL   ")
	case record.Pending:
	}
	return "pending"
}
