package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/verb/search"
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
