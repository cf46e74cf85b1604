package verb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// NonEmpty are the texts that are not empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// Words are what an entry records, but for its text.
func (e Entry) Words() string {
	text := string(e.Did)
	switch {
	case e.Did == record.Created && e.To != "":
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
		text += DetailWords(*e.Detail)
	}
	if e.Session != "" {
		text += " [" + e.Session + "]"
	}
	return text
}

// DetailWords are what an entry records that only few kinds of write do.
func DetailWords(d record.Detail) string {
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

// RefWords are what a reference refers to.
func RefWords(r Ref) string {
	in := strings.TrimSpace(r.Repo + " " + r.Branch)
	var what string
	switch r.Type {
	case record.CommitRef:
		what = strings.TrimSpace(r.Sha[:min(len(r.Sha), 12)] + " " + in)
	case record.PullRef:
		what = strings.TrimSpace(r.State + " " + cmp.Or(r.URL, fmt.Sprintf("%s #%d", r.Repo, r.Number)))
	case record.FileRef:
		what = fmt.Sprintf("%s (%s, %s)", r.Path, sizeText(r.Size), r.Mime)
	case record.BranchRef, record.TagRef, record.CompareRef, record.LinkRef, record.RecordRef, record.OriginRef:
		what = strings.TrimSpace(cmp.Or(r.URL, r.Target) + " " + in)
	}
	if r.Title != "" {
		what += ": " + r.Title
	}
	return what
}

// sizeText is a number of bytes in words.
func sizeText(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
