package render

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// refs prints the references of a record, under a heading.
func (r *Renderer) refs(all []verb.Ref, total int) {
	if len(all) == 0 {
		return
	}
	r.Printf("\nReferences\n")
	for _, ref := range all {
		r.Printf("  %s  %-7s  %s\n", ref.Ref, ref.Type, verb.RefWords(ref))
	}
	if total > len(all) {
		r.Printf("  … the newest %d of %d\n", len(all), total)
	}
}

// refsWritten prints the references of a record after a verb about references, which names none that was changed.
func (r *Renderer) refsWritten(all []verb.Ref, total int) {
	if r.Noun == "ref" {
		r.refs(all, total)
	}
}

// thread prints comments under a heading, the oldest first.
func (r *Renderer) thread(t *verb.Thread) {
	if t == nil || t.Total == 0 {
		return
	}
	r.Printf("\nComments\n")
	if t.Truncated {
		r.Printf("  … the newest %d of %d\n", len(t.Comments), t.Total)
	}
	for _, c := range t.Comments {
		about := ""
		if c.Detail != nil {
			about = verb.DetailWords(*c.Detail)
		}
		r.Printf("  %s  %s  %s%s: %s\n", c.Hash, c.At.Format(time.RFC3339), c.Who, about, screen.Lines(strings.ReplaceAll(strings.TrimRight(c.Text, "\n"), "\n", "\n      ")))
	}
}
