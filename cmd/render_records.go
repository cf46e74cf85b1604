package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/config"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store/problem"
)

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

// renderSettings prints the settings, or after a change the one that was changed.
func renderSettings(r *renderer, s config.Settings) {
	t := table{head: []string{"SETTING", "VALUE", "WHAT IT IS"}, grow: 2}
	shares := false
	for _, one := range s.Settings {
		if s.Changed == "" || s.Changed == one.Key {
			t.add(one.Key, fmt.Sprint(one.Value), one.Doc)
		}
		shares = shares || s.Changed == one.Key && one.Key == "claims_remote" && one.Value != "none"
	}
	t.print(r.out, r.width(), r.style)
	if shares {
		r.printf("next: cairn remote probe says whether the remote takes claims; then commit and push %s, by which other clones take part\n", s.Path)
	}
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
