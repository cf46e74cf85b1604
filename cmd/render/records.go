package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/config"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store/problem"
)

// renderRecord prints a record of any kind: as a page if the verb reads it, else as one line.
func renderRecord(r *Renderer, rec verb.Record) {
	r.Printf("%s  %s\n", r.Style.Bold(rec.ID), strings.TrimSpace(string(rec.Status)+"  "+rec.Title))
	if r.Kind != verb.Read {
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
		r.Printf("\n%s\n", screen.Lines(strings.TrimRight(rec.Body, "\n")))
	}
	r.thread(rec.Comments)
	r.Printf("\nProvenance\n")
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
	head := strings.Join(verb.NonEmpty(fieldText(object["label"]), fieldText(object["summary"])), ": ")
	texts := verb.NonEmpty(head)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if text := fieldText(object[key]); text != "" && key != "label" && key != "summary" {
			texts = append(texts, strings.ReplaceAll(key, "_", " ")+": "+text)
		}
	}
	return strings.Join(texts, "; ")
}

func renderRecordRow(r *Renderer, row verb.RecordRow) {
	r.Printf("%s  %s\n", r.Style.Bold(row.ID), strings.TrimSpace(string(row.Status)+"  "+row.Title))
}

func renderStoredProposal(r *Renderer, p proposals.Whole) {
	r.Printf("%s  %s  %s\n", r.Style.Bold(p.Proposal), p.State, p.Path)
	r.namedTexts([]namedText{{"summary", p.Summary}, {"made", joined(p.Made)}})
	r.Printf("\nTasks\n")
	for i, item := range p.Tasks {
		var one struct{ Title string }
		_ = json.Unmarshal(item, &one)
		r.Printf("  #%d  %s\n", i, one.Title)
	}
	r.Printf("\nProvenance\n")
	for _, e := range p.Provenance {
		r.entry(e)
	}
}

func renderLogs(r *Renderer, l tasks.LogsOut) {
	for i, log := range l.Logs {
		if i > 0 {
			r.Printf("\n")
		}
		path := log.Path
		if log.Worktree != "" {
			path += "  (worktree " + log.Worktree + ")"
		}
		r.Printf("%s\n", r.Style.Bold(path))
		if log.Truncated {
			r.Printf("      … only the end; the file has it all\n")
		}
		r.Printf("%s\n", indent(log.Text))
	}
	switch {
	case l.TotalRuns == 0:
		r.Printf("no check was run in this clone\n")
	case l.HasMore:
		r.Printf("%d of %d runs; the next: --offset %d\n", l.ReturnedRuns, l.TotalRuns, l.NextOffset)
	}
}

func renderIdentity(r *Renderer, id identity.Out) {
	r.Printf("%s (profile %s)\n", id.Actor, id.Profile)
	if id.Workspace == "" {
		r.Printf("no workspace here; cairn init makes one\n")
		return
	}
	r.Printf("workspace %s\n", id.Workspace)
	if id.Work != nil {
		r.Printf("\n%s\n", r.Style.Bold(fmt.Sprintf("Your open tasks (%d)", id.Work.Total)))
		r.rows(id.Work.Tasks)
	}
	if id.Inbox != nil {
		r.Printf("\n%s\n", r.Style.Bold(fmt.Sprintf("Your inbox (%d)", id.Inbox.Total)))
		r.list(*id.Inbox)
	}
	if id.Delta != nil {
		r.delta(*id.Delta)
	}
}

// delta prints what others changed.
func (r *Renderer) delta(d identity.Delta) {
	since := ""
	if d.Since != nil {
		since = " since " + d.Since.Format(time.RFC3339)
	}
	r.Printf("\n%s\n", r.Style.Bold(fmt.Sprintf("What others changed%s (%d)", since, d.Total)))
	tabulate(r, d.Newest)
	r.Printf("once you have seen to it: cairn identity --ack %s\n", d.Cursor)
}

// renderSettings prints the settings, or after a change the one that was changed.
func renderSettings(r *Renderer, s config.Settings) {
	shown, shares := s.Settings, false
	if s.Changed != "" {
		shown = slices.DeleteFunc(slices.Clone(shown), func(one config.Setting) bool { return one.Key != s.Changed })
		shares = s.Changed == "claims_remote" && len(shown) > 0 && shown[0].Value != "none"
	}
	tabulate(r, shown)
	if shares {
		r.Printf("next: cairn remote probe says whether the remote takes claims; then commit and push %s, by which other clones take part\n", s.Path)
	}
}

// namedText is a text and what it is.
type namedText struct{ name, text string }

// namedTexts prints one text a line, without the empty ones, all texts in one column.
func (r *Renderer) namedTexts(all []namedText) {
	width := 9
	for _, one := range all {
		if one.text != "" {
			width = max(width, len(one.name))
		}
	}
	for _, one := range all {
		if one.text != "" {
			r.Printf("  %-*s %s\n", width, one.name, one.text)
		}
	}
}

// nextPage prints how to read the next page, if there is one.
func (r *Renderer) nextPage(shown, total int, cursor string) {
	if cursor != "" {
		r.Printf("%d of %d; the next: --cursor %s\n", shown, total, cursor)
	}
}

// Problems prints, on standard error, the files that could not be read.
func (r *Renderer) Problems(problems verb.Problems) {
	for _, pr := range problems.Problems {
		screen.Fprintf(r.Err, "cairn: left out: %s\n", problemText(pr))
	}
	if n := problems.ProblemsTotal; n > 0 {
		screen.Fprintf(r.Err, "cairn: left out: %d files, of which this page names %d\n", n, len(problems.Problems))
	}
}

func problemText(pr problem.Problem) string {
	if strings.HasPrefix(pr.Message, pr.Path) {
		return pr.Message
	}
	return pr.Path + ": " + pr.Message
}
