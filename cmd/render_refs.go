package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/refs"
	"github.com/cairn-tasks/cairn/task"
)

// refs prints the references of a record, under a heading.
func (r *renderer) refs(all []verb.Ref, total int) {
	if len(all) == 0 {
		return
	}
	r.printf("\nReferences\n")
	for _, ref := range all {
		r.printf("  %s  %-7s  %s\n", ref.Ref, ref.Type, refText(ref))
	}
	if total > len(all) {
		r.printf("  … the newest %d of %d\n", len(all), total)
	}
}

// refsWritten prints the references of a record after a verb about references, which names none that was changed.
func (r *renderer) refsWritten(all []verb.Ref, total int) {
	if r.noun == "ref" {
		r.refs(all, total)
	}
}

// refText says in words what a reference refers to.
func refText(r verb.Ref) string {
	in := strings.TrimSpace(r.Repo + " " + r.Branch)
	var what string
	switch r.Type {
	case task.CommitRef:
		what = strings.TrimSpace(r.Sha[:min(len(r.Sha), 12)] + " " + in)
	case task.PullRef:
		what = strings.TrimSpace(r.State + " " + cmp.Or(r.URL, fmt.Sprintf("%s #%d", r.Repo, r.Number)))
	case task.FileRef:
		what = fmt.Sprintf("%s (%s, %s)", r.Path, sizeText(r.Size), r.Mime)
	case task.BranchRef, task.TagRef, task.CompareRef, task.LinkRef, task.RecordRef, task.OriginRef:
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

// thread prints comments under a heading, the oldest first.
func (r *renderer) thread(t *verb.Thread) {
	if t == nil || t.Total == 0 {
		return
	}
	r.printf("\nComments\n")
	if t.Truncated {
		r.printf("  … the newest %d of %d\n", len(t.Comments), t.Total)
	}
	for _, c := range t.Comments {
		about := ""
		if c.Detail != nil {
			about = detailText(*c.Detail)
		}
		r.printf("  %s  %s  %s%s: %s\n", c.Hash, c.At.Format(time.RFC3339), c.Who, about, lines(strings.ReplaceAll(strings.TrimRight(c.Text, "\n"), "\n", "\n      ")))
	}
}

func renderRefs(r *renderer, found verb.Items[refs.Item]) {
	t := table{head: []string{"RECORD", "REF", "TYPE", "WHAT"}, grow: 3}
	for _, one := range found.Items {
		t.add(one.ID, one.Ref, string(one.Type), refText(one.Reference))
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(found.Items), found.Total, found.NextCursor)
	if found.Total == 0 && len(found.Problems.Problems) == 0 {
		r.printf("no references\n")
	}
	r.problems(found.Problems)
}
