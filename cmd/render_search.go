package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb/embed"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/verb/search"
)

func renderSearch(r *renderer, out search.Out) {
	for _, item := range out.Items.Items {
		r.printf("%s  %s\n", r.style.bold(item.ID), strings.TrimSpace(string(item.Status)+"  "+item.Title))
		r.snippet(item.Snippet)
	}
	r.nextPage(len(out.Items.Items), out.Total, out.NextCursor)
	if out.Total == 0 {
		r.printf("nothing found\n")
	}
	r.near(out.Near)
	r.problems(out.Problems)
}

func (r *renderer) snippet(text string) {
	if text != "" {
		r.printf("    %s\n", text)
	}
}

// near says what was looked for in place of words that no record has.
func (r *renderer) near(words map[string][]string) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		r.printf("no record has %q; looked for %s\n", word, strings.Join(words[word], ", "))
	}
}

func renderKnowledge(r *renderer, out knowledge.SearchOut) {
	for _, item := range out.Items {
		r.printf("%s  %s\n", r.style.bold(item.ID), strings.TrimSpace(string(item.Type)+"  "+item.Title))
		r.snippet(item.Snippet)
	}
	if more := out.Total - len(out.Items); more > 0 {
		r.printf("%d of %d; --top-k shows more\n", len(out.Items), out.Total)
	}
	if out.Total == 0 {
		r.printf("nothing found\n")
	}
	r.near(out.Near)
	switch {
	case out.Reason == "" || out.Reason == embed.ErrOff.Error():
	case out.Mode == knowledge.Lexical:
		fprintf(r.Stderr, "cairn: by words alone: %s\n", out.Reason)
	default:
		fprintf(r.Stderr, "cairn: %d notes by words alone: %s\n", out.Pending, out.Reason)
	}
	r.problems(out.Problems)
}

func renderNote(r *renderer, n knowledge.Note) {
	renderRecord(r, n.Record)
	for _, other := range n.Alike {
		r.printf("much like it: %s  %s\n", other.ID, other.Title)
	}
	if n.Embedding == knowledge.Pending {
		fprintf(r.Stderr, "cairn: saved, and not found by meaning yet: %s\n", n.Reason)
	}
}
