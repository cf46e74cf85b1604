package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/activity"
	"github.com/cairn-tasks/cairn/verb/config"
	"github.com/cairn-tasks/cairn/verb/identity"
	"github.com/cairn-tasks/cairn/verb/proposals"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

func renderSessions(r *renderer, s sessions.ListOut) {
	t := table{head: []string{"SESSION", "HEALTH", "TASK", "ACTOR", "WHAT"}, grow: 4}
	for _, ses := range s.Sessions {
		t.add(ses.ID, healthOf(ses.Status, ses.Health), cmp.Or(string(ses.Task), ses.Label), string(ses.Actor), whatOf(ses.Task, ses.Label, ses.Told()))
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(s.Sessions), s.Total, s.NextCursor)
	if len(s.Sessions) == 0 && s.NextCursor == "" {
		r.printf("no sessions\n")
	}
	r.problems(s.Problems)
}

// healthOf is how a session is doing, in a list: of one that failed that it did.
func healthOf(status session.Status, health session.Health) string {
	if status == session.Failed {
		return string(status)
	}
	return string(health)
}

// whatOf is what a list tells of a session: what it says of itself, or the label, where that does not stand in place of its task.
func whatOf(about task.ID, label, told string) string {
	if told == "" && about != "" {
		return label
	}
	return told
}

func renderSession(r *renderer, s verb.Session) {
	r.printf("%s  %s (%s)  %s\n", r.style.bold(s.ID), s.Status, s.Health, s.Actor)
	r.namedTexts([]namedText{
		{"task", string(s.Task)}, {"label", s.Label}, {"goal", s.Goal}, {"role", s.Role}, {"under", s.Parent}, {"series", s.Series}, {"branch", s.Branch}, {"worktree", s.Worktree}, {"base", s.Base}, {"head", s.Head}, {"client", s.Client},
		{"model", s.Model}, {"progress", s.Progress}, {"now", nowOf(s.Now)}, {"summary", s.Summary}, {"reason", s.Reason},
	})
	r.refs(s.Refs, s.RefsTotal)
	r.thread(s.Comments)
	for _, c := range s.OpenChecks {
		r.printf("  %-9s check %d, %s\n", c.State, c.Check, c.Desc)
	}
	r.last(s.Last)
	r.governing(s.Decisions)
	renderTree(r, s)
}

// last prints how the last attempt at a task ended, and what it left to do.
func (r *renderer) last(l *verb.Last) {
	if l == nil {
		return
	}
	r.printf("\n%s\n", r.style.bold("The last attempt"))
	r.printf("  %s %s %s: %s\n", l.Who, l.Did, l.At.Format(time.RFC3339), l.Summary)
	for _, next := range l.Next {
		r.printf("  next      %s\n", next)
	}
	for _, blocker := range l.Blockers {
		r.printf("  blocker   %s\n", blocker)
	}
	if l.Rejected != nil {
		r.printf("  %s sent it back: %s\n", l.Rejected.By, l.Rejected.Text)
	}
}

// nowOf is what a session reported beside its progress, on one line.
func nowOf(now *verb.SessionNow) string {
	if now == nil {
		return ""
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(now.Counts)) {
		said = append(said, fmt.Sprintf("%s %d", name, now.Counts[name]))
	}
	if at := strings.TrimSpace(now.Branch + " " + now.Head); at != "" {
		said = append(said, "at "+at)
	}
	if now.Dirty != nil && *now.Dirty {
		said = append(said, "with changes that are not committed")
	}
	return strings.Join(said, ", ")
}

// renderTree prints the sessions below one, each indented below its own parent.
func renderTree(r *renderer, s verb.Session) {
	if len(s.Children) == 0 {
		return
	}
	r.printf("\nBelow it\n")
	t := table{head: []string{"SESSION", "HEALTH", "TASK", "ACTOR", "WHAT"}, grow: 4}
	for _, c := range s.Children {
		indent := strings.Repeat("  ", min(c.Depth-1, deepest))
		t.add(indent+c.ID, healthOf(c.Status, c.Health), cmp.Or(string(c.Task), c.Label), string(c.Actor), whatOf(c.Task, c.Label, c.Told))
	}
	t.print(r.out, r.width(), r.style)
	if s.ChildrenTotal > 0 {
		r.printf("%d of %d are shown\n", len(s.Children), s.ChildrenTotal)
	}
}

// renderSummary prints what a session produced: what it made none of is left out.
func renderSummary(r *renderer, s sessions.SummaryOut) {
	r.printf("%s  %s  %s  %s\n", r.style.bold(s.Session), s.Status, s.Actor, cmp.Or(string(s.Task), s.Label))
	nothing := true
	for _, c := range []struct {
		n              int
		one, otherwise string
	}{
		{s.TasksCreated, "task created", "tasks created"}, {s.TasksClosed, "task closed", "tasks closed"}, {s.Notes, "note", "notes"},
		{s.Decisions, "decision", "decisions"}, {s.Knowledge, "note of knowledge", "notes of knowledge"}, {s.Handoffs, "handoff", "handoffs"},
		{s.Refs, "reference", "references"}, {s.Sessions, "session below it", "sessions below it"}, {s.Commits, "commit", "commits"},
	} {
		what := c.otherwise
		switch c.n {
		case 0:
			continue
		case 1:
			what = c.one
		}
		nothing = false
		r.printf("  %4d  %s\n", c.n, what)
	}
	if s.More {
		r.printf("        and more commits\n")
	}
	if nothing {
		r.printf("  nothing yet\n")
	}
}

const deepest = 10 // levels that are indented

// renderRecord prints a record of any kind: as a page if the verb reads it, else as one line.
func renderRecord(r *renderer, rec verb.Record) {
	r.printf("%s  %s\n", r.style.bold(rec.ID), strings.TrimSpace(string(rec.Status)+"  "+rec.Title))
	if r.kind != verb.Read {
		r.refsWritten(rec.Refs, rec.RefsTotal)
		return
	}
	held := ""
	if rec.Claim != nil {
		held = string(rec.Claim.Actor)
	}
	said := []namedText{{"held by", held}, {"superseded by", string(rec.SupersededBy)}, {"labels", strings.Join(rec.Labels, ", ")}}
	for _, key := range slices.Sorted(maps.Keys(rec.Fields)) {
		said = append(said, fieldTexts(key, rec.Fields[key])...)
	}
	r.namedTexts(said)
	r.refs(rec.Refs, rec.RefsTotal)
	if rec.Body != "" {
		r.printf("\n%s\n", lines(strings.TrimRight(rec.Body, "\n")))
	}
	r.thread(rec.Comments)
	r.printf("\nProvenance\n")
	for _, e := range rec.Provenance {
		r.entry(e)
	}
}

// fieldTexts is a field in words, under its name without underscores. A list of objects has a line for each of them.
func fieldTexts(key string, value any) []namedText {
	name := strings.ReplaceAll(key, "_", " ")
	list, ok := value.([]any)
	if !ok || !slices.ContainsFunc(list, isObject) {
		return []namedText{{name, fieldText(value)}}
	}
	var out []namedText
	for _, one := range list {
		out = append(out, namedText{name, fieldText(one)})
		name = ""
	}
	return out
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// fieldText is the value of a field in words, on one line.
func fieldText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		var texts []string
		for _, one := range value {
			texts = append(texts, fieldText(one))
		}
		return strings.Join(texts, ", ")
	case []string:
		return strings.Join(value, ", ")
	case map[string]any:
		return objectText(value)
	default:
		return fmt.Sprint(value)
	}
}

// objectText is an object in words, as in "label: summary; pros: …".
func objectText(object map[string]any) string {
	head := strings.Join(nonEmpty(fieldText(object["label"]), fieldText(object["summary"])), ": ")
	texts := nonEmpty(head)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if text := fieldText(object[key]); text != "" && key != "label" && key != "summary" {
			texts = append(texts, strings.ReplaceAll(key, "_", " ")+": "+text)
		}
	}
	return strings.Join(texts, "; ")
}

func renderRecordRow(r *renderer, row verb.RecordRow) {
	r.printf("%s  %s\n", r.style.bold(row.ID), strings.TrimSpace(string(row.Status)+"  "+row.Title))
}

func renderProposals(r *renderer, l proposals.ListOut) {
	t := table{head: []string{"PROPOSAL", "STATE", "TASKS", "WHO", "WHAT"}, grow: 4}
	for _, p := range l.Proposals {
		t.add(p.Proposal, string(p.State), fmt.Sprint(p.TasksTotal), string(p.By), p.Summary)
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(l.Proposals), l.Total, l.NextCursor)
	if l.Total == 0 && len(l.Problems.Problems) == 0 {
		r.printf("no proposals\n")
	}
	r.problems(l.Problems)
}

func renderStoredProposal(r *renderer, p proposals.Whole) {
	r.printf("%s  %s  %s\n", r.style.bold(p.Proposal), p.State, p.Path)
	r.namedTexts([]namedText{{"summary", p.Summary}, {"made", joined(p.Made)}})
	r.printf("\nTasks\n")
	for i, item := range p.Tasks {
		var one struct{ Title string }
		_ = json.Unmarshal(item, &one)
		r.printf("  #%d  %s\n", i, one.Title)
	}
	r.printf("\nProvenance\n")
	for _, e := range p.Provenance {
		r.entry(e)
	}
}

func renderLogs(r *renderer, l tasks.LogsOut) {
	for i, log := range l.Logs {
		if i > 0 {
			r.printf("\n")
		}
		path := log.Path
		if log.Worktree != "" {
			path += "  (worktree " + log.Worktree + ")"
		}
		r.printf("%s\n", r.style.bold(path))
		if log.Truncated {
			r.printf("      … only the end; the file has it all\n")
		}
		r.printf("%s\n", indent(log.Text))
	}
	switch {
	case l.TotalRuns == 0:
		r.printf("no check was run in this clone\n")
	case l.HasMore:
		r.printf("%d of %d runs; the next: --offset %d\n", l.ReturnedRuns, l.TotalRuns, l.NextOffset)
	}
}

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
	if of, ok := strings.CutPrefix(said, "task "); ok && w.Record != nil {
		said = w.Record.Kind + " " + of
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

func renderIdentity(r *renderer, id identity.Out) {
	r.printf("%s (profile %s)\n", id.Actor, id.Profile)
	if id.Workspace == "" {
		r.printf("no workspace here; cairn init makes one\n")
		return
	}
	r.printf("workspace %s\n", id.Workspace)
	if id.Work != nil {
		r.printf("\n%s\n", r.style.bold(fmt.Sprintf("Your open tasks (%d)", id.Work.Total)))
		r.rows(id.Work.Tasks)
	}
	if id.Inbox != nil {
		r.printf("\n%s\n", r.style.bold(fmt.Sprintf("Your inbox (%d)", id.Inbox.Total)))
		renderInbox(r, *id.Inbox)
	}
	if id.Delta != nil {
		r.delta(*id.Delta)
	}
}

// delta prints what others changed.
func (r *renderer) delta(d identity.Delta) {
	since := ""
	if d.Since != nil {
		since = " since " + d.Since.Format(time.RFC3339)
	}
	r.printf("\n%s\n", r.style.bold(fmt.Sprintf("What others changed%s (%d)", since, d.Total)))
	t := table{head: []string{"AT", "RECORD", "WHO", "STATUS", "TITLE"}, grow: 4}
	for _, c := range d.Newest {
		t.add(c.At.Format(time.RFC3339), c.ID, string(c.Who), string(c.Status), c.Title)
	}
	t.print(r.out, r.width(), r.style)
	r.printf("once you have seen to it: cairn identity --ack %s\n", d.Cursor)
}

func renderSettings(r *renderer, s config.Settings) {
	t := table{head: []string{"SETTING", "VALUE", "WHAT IT IS"}, grow: 2}
	for _, one := range s.Settings {
		t.add(one.Key, fmt.Sprint(one.Value), one.Doc)
	}
	t.print(r.out, r.width(), r.style)
}

// namedText is a text and what it is.
type namedText struct{ name, text string }

// namedTexts prints one text a line, without the empty ones, all texts in one column.
func (r *renderer) namedTexts(all []namedText) {
	width := 9
	for _, one := range all {
		if one.text != "" {
			width = max(width, len(one.name))
		}
	}
	for _, one := range all {
		if one.text != "" {
			r.printf("  %-*s %s\n", width, one.name, one.text)
		}
	}
}

// nextPage prints how to read the next page, if there is one.
func (r *renderer) nextPage(shown, total int, cursor string) {
	if cursor != "" {
		r.printf("%d of %d; the next: --cursor %s\n", shown, total, cursor)
	}
}

// problems prints, on standard error, the files that could not be read.
func (r *renderer) problems(problems verb.Problems) {
	for _, pr := range problems.Problems {
		fprintf(r.Stderr, "cairn: left out: %s\n", problemText(pr))
	}
	if n := problems.ProblemsTotal; n > 0 {
		fprintf(r.Stderr, "cairn: left out: %d files, of which this page names %d\n", n, len(problems.Problems))
	}
}

func problemText(pr problem.Problem) string {
	if strings.HasPrefix(pr.Message, pr.Path) {
		return pr.Message
	}
	return pr.Path + ": " + pr.Message
}
