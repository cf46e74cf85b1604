package cmd

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// refs prints the references of a record, under a heading.
func (r *renderer) refs(all []verb.Ref, total int) {
	if len(all) == 0 {
		return
	}
	r.printf("\nReferences\n")
	for _, ref := range all {
		r.printf("  %s  %-7s  %s\n", ref.Ref, ref.Type, verb.RefWords(ref))
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
			about = verb.DetailWords(*c.Detail)
		}
		r.printf("  %s  %s  %s%s: %s\n", c.Hash, c.At.Format(time.RFC3339), c.Who, about, lines(strings.ReplaceAll(strings.TrimRight(c.Text, "\n"), "\n", "\n      ")))
	}
}
