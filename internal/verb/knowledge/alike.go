package knowledge

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/index/vectors"
	"github.com/cairn-tasks/cairn/store/kind"
)

const (
	mostAlike   = 5
	candidates  = 20   // that words find, of which each is compared
	byWords     = 0.6  // how alike the words of two notes are that say much the same
	byMeaning   = 0.86 // and their vectors
	titleBounds = 200  // bytes
)

// alikeTo names the active notes that say much the same as a note, the most alike first.
func alikeTo(ctx context.Context, w *verb.Workspace, s *store.Store, n ledger.Note, vector []float32, known *vectors.Set) ([]Alike, error) {
	ranking, _, err := w.Reads.Rank(ctx, s, terms.Parse(n.Title+"\n"+n.Body), kind.Knowledge.Kind)
	if err != nil {
		return nil, err
	}
	view, err := w.Reads.Look(ctx, s, kind.Knowledge.Kind)
	if err != nil {
		return nil, err
	}
	alike := map[string]float64{}
	for _, r := range others(ranking.Best(), n.Ref.ID) {
		other, err := kind.Knowledge.Get(s, ledger.NoteID(r.ID))
		if err != nil {
			continue
		}
		if by := sameWords(n, other); by >= byWords {
			alike[r.ID] = by
		}
	}
	for _, r := range view.Rows() {
		if by := vectors.Similarity(vector, known.Of(keyOf(r))); by >= byMeaning && r.ID != n.Ref.ID && r.Status == ledger.NoteActive {
			alike[r.ID] = max(alike[r.ID], by)
		}
	}
	out := []Alike{}
	for id := range alike {
		out = append(out, Alike{ID: id, Title: verb.Head(view.Find(id).Title, titleBounds)})
	}
	sorted.By(out, func(a, b Alike) int {
		return cmp.Or(cmp.Compare(alike[b.ID], alike[a.ID]), strings.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), mostAlike)], nil
}

// others are the active notes that are worth comparing.
func others(found []index.Ranked, id string) []*kind.Row {
	var out []*kind.Row
	for _, r := range found {
		if r.Row.ID != id && r.Row.Status == ledger.NoteActive && len(out) < candidates {
			out = append(out, r.Row)
		}
	}
	return out
}

// sameWords is how alike the words of two notes are, from 0 to 1. Those with the words of one title are most alike.
func sameWords(a, b ledger.Note) float64 {
	if title := counts(a.Title); len(title) > 1 && alikeness(title, counts(b.Title)) > 0.999 {
		return 1
	}
	return alikeness(counts(a.Text()), counts(b.Text()))
}

// counts is how often a text has each term. That it has one often matters little.
func counts(text string) map[string]float64 {
	out := map[string]float64{}
	terms.Each(text, func(word string, _, _ int) {
		if terms.Common(word) {
			return
		}
		for _, term := range terms.Of(word) {
			out[term]++
		}
	})
	for term, n := range out {
		out[term] = 1 + math.Log(n)
	}
	return out
}

// alikeness is the cosine of the angle between two texts.
func alikeness(a, b map[string]float64) float64 {
	var dot, aa, bb float64
	for term, x := range a {
		dot += x * b[term]
		aa += x * x
	}
	for _, y := range b {
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
