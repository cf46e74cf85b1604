package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb/embed"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/verb/search"
)

func renderSearch(r *Renderer, out search.Out) {
	for _, item := range out.Items.Items {
		r.Printf("%s  %s\n", r.Style.Bold(item.ID), strings.TrimSpace(string(item.Status)+"  "+item.Title))
		snippet(r, item.Snippet)
	}
	r.nextPage(len(out.Items.Items), out.Total, out.NextCursor)
	if out.Total == 0 {
		r.Printf("nothing found\n")
	}
	r.near(out.Near)
	r.Problems(out.Problems)
}

func snippet(r *Renderer, text string) {
	if text != "" {
		r.Printf("    %s\n", text)
	}
}

// near says what was looked for in place of words that no record has.
func (r *Renderer) near(words map[string][]string) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		r.Printf("no record has %q; looked for %s\n", word, strings.Join(words[word], ", "))
	}
}

func renderKnowledge(r *Renderer, out knowledge.SearchOut) {
	for _, item := range out.Items {
		r.Printf("%s  %s\n", r.Style.Bold(item.ID), strings.TrimSpace(string(item.Type)+"  "+item.Title))
		snippet(r, item.Snippet)
	}
	if more := out.Total - len(out.Items); more > 0 {
		r.Printf("%d of %d; --top-k shows more\n", len(out.Items), out.Total)
	}
	if out.Total == 0 {
		r.Printf("nothing found\n")
	}
	r.near(out.Near)
	switch {
	case out.Reason == "" || out.Reason == embed.ErrOff.Error():
	case out.Mode == knowledge.Lexical:
		screen.Fprintf(r.Err, "cairn: by words alone: %s\n", out.Reason)
	default:
		screen.Fprintf(r.Err, "cairn: %d notes by words alone: %s\n", out.Pending, out.Reason)
	}
	r.Problems(out.Problems)
}

func renderNote(r *Renderer, n knowledge.Note) {
	renderRecord(r, n.Record)
	for _, other := range n.Alike {
		r.Printf("much like it: %s  %s\n", other.ID, other.Title)
	}
	if n.Embedding == knowledge.Pending {
		screen.Fprintf(r.Err, "cairn: saved, and not found by meaning yet: %s\n", n.Reason)
	}
}
