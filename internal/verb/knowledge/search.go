package knowledge

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/embed"
	"github.com/cairn-tasks/cairn/internal/verb/search"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/index/vectors"
	"github.com/cairn-tasks/cairn/store/kind"
)

// SearchIn is the input of Search.
type SearchIn struct {
	Q             string          `json:"q,omitempty" doc:"what you want to know, in words; without it, the newest notes" cli:"arg"`
	Type          ledger.NoteType `json:"type,omitempty" doc:"only notes of this type" oneof:"note,runbook,finding,snippet"`
	Labels        []string        `json:"labels,omitempty" doc:"only notes with all of these labels" cli:"flag=label" from:"labels"`
	Parent        record.ID       `json:"parent,omitempty" doc:"only what is about this task or those below it"`
	TopK          verb.Count      `json:"top_k,omitempty" doc:"how many to return; 10 by default, 100 at most"`
	MinSimilarity float64         `json:"min_similarity,omitempty" doc:"by meaning, the least that a note must be alike, from 0 to 1; says nothing to a search by words"`
	LexicalOnly   bool            `json:"lexical_only,omitempty" doc:"search by words alone"`
}

// SearchOut is what was found, the best first.
type SearchOut struct {
	Items   []Item              `json:"items" result:"rows"`
	Total   int                 `json:"total"`             // that were found; top_k of them are shown
	Mode    string              `json:"mode"`              // lexical: by words; hybrid: by words and by meaning; newest: of no words
	Reason  string              `json:"reason,omitempty"`  // why not by meaning, or not of all notes
	Pending int                 `json:"pending,omitempty"` // notes that were not embedded yet, and were found by words alone
	Near    map[string][]string `json:"near,omitempty"`    // words that no note has, and what was looked for instead
	verb.Problems
}

// The modes of a search.
const (
	Lexical = "lexical"
	Hybrid  = "hybrid"
	Newest  = "newest"
)

// Item is a note that was found.
type Item struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Type       ledger.NoteType `json:"type"`
	Snippet    string          `json:"snippet"`
	Score      float64         `json:"score"`                // the higher the better; it says nothing across queries
	Similarity float64         `json:"similarity,omitempty"` // by meaning, from -1 to 1
	OnBranch   string          `json:"on_branch,omitempty"`  // the branch that alone has it: take brings it here
}

const (
	usualTop = 10
	maxTop   = 100
)

// Search finds active notes by words, and by meaning where the user has an embedder that answers. Without words it
// returns the newest.
func Search(ctx context.Context, w *verb.Workspace, s *store.Store, in SearchIn) (SearchOut, error) {
	if err := in.valid(); err != nil {
		return SearchOut{}, err
	}
	keep, err := in.filter(ctx, w, s)
	if err != nil {
		return SearchOut{}, err
	}
	view, err := w.Reads.Look(ctx, s, kind.Knowledge.Kind)
	if err != nil {
		return SearchOut{}, err
	}
	others := verb.OthersOf(s, kind.Knowledge.Kind, view.Rows(), view.Problems())
	if in.Q == "" {
		return in.newest(view, others, keep), nil
	}
	q, err := search.Query(in.Q)
	if err != nil {
		return SearchOut{}, err
	}
	part, err := w.Reads.Searchable(ctx, s, view)
	if err != nil {
		return SearchOut{}, err
	}
	ranking := index.Rank(q, []*index.Searchable{part})
	found := &finding{w: w, s: s, view: view, others: others, in: in, scores: map[string]*score{}}
	found.byWords(ranking, keep)
	found.onBranches(q, keep)
	out := SearchOut{Mode: Lexical, Near: ranking.Near, Problems: verb.Problems{Problems: verb.NoNil(view.Problems())}}
	if !in.LexicalOnly {
		found.byMeaning(ctx, keep, &out)
	}
	found.show(&out, ranking.Terms)
	return out, nil
}

func (in SearchIn) newest(view *index.View, others verb.Others, keep func(*kind.Row) bool) SearchOut {
	fit := slices.DeleteFunc(slices.Concat(view.Rows(), others.Rows()), func(r *kind.Row) bool { return !keep(r) })
	sorted.By(fit, func(a, b *kind.Row) int {
		return cmp.Or(cmp.Compare(b.Newest, a.Newest), strings.Compare(b.ID, a.ID))
	})
	out := SearchOut{Mode: Newest, Items: []Item{}, Total: len(fit), Problems: verb.Problems{Problems: verb.NoNil(view.Problems())}}
	for _, r := range fit[:in.shown(len(fit))] {
		out.Items = append(out.Items, itemOf(others, r, nil))
	}
	return out
}

func (in SearchIn) shown(of int) int { return min(of, int(cmp.Or(in.TopK, usualTop))) }

func itemOf(from verb.Others, r *kind.Row, hits terms.Hits) Item {
	return Item{
		ID: r.ID, Title: verb.Head(r.Title, titleBounds), Type: ledger.NoteType(r.Fact(kind.TypeFact)),
		Snippet: search.Snippet(from, kind.Knowledge.Kind, r.ID, hits), OnBranch: from.Branch(r.ID),
	}
}

func (in SearchIn) valid() error {
	switch {
	case in.TopK > maxTop:
		return verb.BadInput("top_k", "is %d", in.TopK).WithHint("1 to %d", maxTop)
	case !(in.MinSimilarity >= 0 && in.MinSimilarity <= 1):
		return verb.BadInput("min_similarity", "is %v", in.MinSimilarity).WithHint("0 to 1")
	}
	return nil
}

// filter returns which notes fit what was asked beside the words.
func (in SearchIn) filter(ctx context.Context, w *verb.Workspace, s *store.Store) (func(*kind.Row) bool, error) {
	within, err := search.Within(ctx, w, s, in.Parent)
	if err != nil {
		return nil, err
	}
	return func(r *kind.Row) bool {
		for _, label := range in.Labels {
			if !record.HasLabel(r.Labels, label) {
				return false
			}
		}
		return r.Status == ledger.NoteActive && (in.Type == "" || r.Fact(kind.TypeFact) == string(in.Type)) && within(r)
	}, nil
}

type finding struct {
	w      *verb.Workspace
	s      *store.Store
	view   *index.View
	others verb.Others
	in     SearchIn
	scores map[string]*score // by id
}

type score struct {
	row        *kind.Row
	words      float64 // BM25; 0 if it was not found by words
	similarity float64
	fused      float64
}

func (f *finding) byWords(ranking index.Ranking, keep func(*kind.Row) bool) {
	for _, r := range ranking.Found {
		if keep(r.Row) {
			f.scores[r.Row.ID] = &score{row: r.Row, words: r.Score, fused: r.Score}
		}
	}
}

// onBranches adds the notes that only other branches have, behind all others.
func (f *finding) onBranches(q terms.Query, keep func(*kind.Row) bool) {
	for _, r := range search.Among(f.others, q) {
		if keep(r.Row) {
			f.scores[r.Row.ID] = &score{row: r.Row, words: r.Score, fused: r.Score}
		}
	}
}

// byMeaning adds the notes that are near in meaning, and ranks all anew. Without an answer of the embedder words count.
func (f *finding) byMeaning(ctx context.Context, keep func(*kind.Row) bool, out *SearchOut) {
	var fit []*kind.Row
	var keys []string
	asked := embed.Text{Key: "q\x00" + f.in.Q, Read: func() (string, error) { return f.in.Q, nil }}
	texts := []embed.Text{asked}
	for _, r := range f.view.Rows() {
		keys = append(keys, keyOf(r))
		if keep(r) {
			fit = append(fit, r)
			texts = append(texts, embed.Text{Key: keyOf(r), Read: func() (string, error) {
				n, err := kind.Knowledge.Get(f.s, ledger.NoteID(r.ID))
				return n.Text(), err
			}})
		}
	}
	known, err := embed.Of(f.w, f.s).Vectors(ctx, texts, verb.NoNil(keys))
	if err != nil {
		out.Reason = record.MessageOf(err)
	}
	q := known.Of(asked.Key)
	if q == nil {
		return
	}
	out.Mode = Hybrid
	for _, r := range fit {
		v := known.Of(keyOf(r))
		if v == nil {
			out.Pending++
			continue
		}
		f.near(r, vectors.Similarity(q, v))
	}
	for _, s := range f.scores {
		s.fused = 0
	}
	f.fuse()
}

func (f *finding) near(r *kind.Row, similarity float64) {
	if similarity < f.in.MinSimilarity {
		delete(f.scores, r.ID)
		return
	}
	if f.scores[r.ID] == nil {
		if similarity <= 0 {
			return
		}
		f.scores[r.ID] = &score{row: r}
	}
	f.scores[r.ID].similarity = similarity
}

// fusion is how much less the places behind the first count in each of two rankings.
const fusion = 60

// fuse ranks by the places in both rankings: reciprocal rank fusion, which needs no scores that can be compared.
func (f *finding) fuse() {
	for _, by := range []func(*score) float64{
		func(s *score) float64 { return s.words },
		func(s *score) float64 { return s.similarity },
	} {
		for place, s := range f.ranked(by) {
			s.fused += 1 / float64(fusion+place+1)
		}
	}
}

// ranked are the notes that have a score, the best first.
func (f *finding) ranked(by func(*score) float64) []*score {
	var out []*score
	for _, s := range f.scores {
		if by(s) > 0 {
			out = append(out, s)
		}
	}
	sorted.By(out, func(a, b *score) int { return cmp.Or(cmp.Compare(by(b), by(a)), strings.Compare(a.row.ID, b.row.ID)) })
	return out
}

func (f *finding) show(out *SearchOut, hits terms.Hits) {
	all := f.ranked(func(s *score) float64 { return s.fused })
	out.Total, out.Items = len(all), []Item{}
	for _, s := range all[:f.in.shown(len(all))] {
		item := itemOf(f.others, s.row, hits)
		item.Score, item.Similarity = rounded(s.fused), rounded(s.similarity)
		out.Items = append(out.Items, item)
	}
}

func rounded(n float64) float64 { return math.Round(n*10000) / 10000 }
