package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Ranking is what a ranked search found.
type Ranking struct {
	Found []Ranked // in no order: who shows a page need not sort the others

	// Terms are those that were looked for and found, with the number of the word of the query that each belongs to.
	Terms terms.Hits

	// Near are the words that no record has, and the terms near them that were looked for instead.
	Near map[string][]string
}

// Ranked is a record that was found.
type Ranked struct {
	Kind  *kind.Kind
	Row   *kind.Row
	Score float64
}

// The constants of BM25: how soon it stops to matter that a term occurs once more, and how much a long text is held
// against it.
const (
	saturation = 1.2
	lengths    = 0.75
)

const (
	mostNear   = 5   // terms that stand for a word that was not found
	ofAllWords = 0.5 // share of the score that depends on how many of the words were found
)

// Rank finds the records that have words of a query, by BM25 over the records of all parts as one collection. A record
// need not have every word, but one that has more of them is worth more. For a word that no record has, near ones are
// looked for: those that begin as it does, and those with many of the same groups of letters.
func Rank(q terms.Query, parts []*Searchable) Ranking {
	r := &ranker{parts: parts, out: Ranking{Terms: terms.Hits{}}}
	for _, p := range parts {
		r.live += p.live
		r.total += p.total
		r.scores = append(r.scores, make([]float64, len(p.size)))
		r.words = append(r.words, make([]uint32, len(p.size)))
	}
	for n, w := range q {
		r.word(n, w)
	}
	r.collect(len(q))
	return r.out
}

type ranker struct {
	parts  []*Searchable
	live   int    // records
	total  uint64 // the sum of their lengths
	scores [][]float64
	words  [][]uint32 // of each row, the words of the query that it has, a bit each
	out    Ranking
}

// match is that a record has a term so often.
type match struct {
	part  int32
	row   int32
	times uint32
}

// word scores a word of a query.
func (r *ranker) word(n int, w terms.Word) {
	found := false
	for _, term := range w.Terms {
		if matches := r.matches(term); len(matches) > 0 {
			r.score(n, term, matches, 1)
			found = true
		}
	}
	if found {
		return
	}
	for _, near := range r.near(w) {
		r.score(n, near.term, near.matches, near.alike)
		if r.out.Near == nil {
			r.out.Near = map[string][]string{}
		}
		r.out.Near[w.Text] = append(r.out.Near[w.Text], near.term)
	}
}

// matches finds the records that have a term.
func (r *ranker) matches(term string) []match {
	var out []match
	for i, p := range r.parts {
		if at := p.known.find(term); at >= 0 {
			out = p.add(out, i, at)
		}
		for _, f := range p.fresh {
			if n := f.times[term]; n > 0 {
				out = append(out, match{int32(i), f.row, n})
			}
		}
	}
	return out
}

func (p *Searchable) add(out []match, part, term int) []match {
	p.known.each(term, func(record int, times uint32) {
		if row := p.rows[record]; row >= 0 {
			out = append(out, match{int32(part), row, times})
		}
	})
	return out
}

// score adds what a term is worth to the records that have it.
func (r *ranker) score(word int, term string, matches []match, weight float64) {
	if _, taken := r.out.Terms[term]; taken { // by another word of the query
		weight /= 2
	} else {
		r.out.Terms[term] = word
	}
	n, df := float64(r.live), float64(len(matches))
	idf := math.Log(1 + (n-df+0.5)/(df+0.5))
	average := max(1, float64(r.total)/max(1, n))
	for _, m := range matches {
		times := float64(m.times)
		size := float64(r.parts[m.part].size[m.row])
		r.scores[m.part][m.row] += weight * idf * times * (saturation + 1) / (times + saturation*(1-lengths+lengths*size/average))
		r.words[m.part][m.row] |= 1 << (word % 32)
	}
}

// nearTerm is a term that stands for another.
type nearTerm struct {
	term    string
	alike   float64
	matches []match
}

// near finds the terms that are nearest to a word.
func (r *ranker) near(w terms.Word) []nearTerm {
	to := terms.NearTo(w)
	known := map[string]float64{}
	add := func(term string) {
		if alike := to.To(term); alike > 0 {
			known[term] = alike
		}
	}
	for _, p := range r.parts {
		for i := range p.known.terms() {
			add(p.known.term(i))
		}
		for _, f := range p.fresh {
			for term := range f.times {
				add(term)
			}
		}
	}
	all := make([]nearTerm, 0, len(known))
	for term, alike := range known {
		all = append(all, nearTerm{term: term, alike: alike})
	}
	sorted.By(all, func(a, b nearTerm) int { return cmp.Or(cmp.Compare(b.alike, a.alike), strings.Compare(a.term, b.term)) })
	var out []nearTerm
	for _, t := range all {
		if t.matches = r.matches(t.term); len(t.matches) > 0 {
			out = append(out, t)
		}
		if len(out) == mostNear {
			break
		}
	}
	return out
}

// collect lists what has a score.
func (r *ranker) collect(words int) {
	for i, p := range r.parts {
		for row, score := range r.scores[i] {
			if score <= 0 {
				continue
			}
			has := 0
			for bits := r.words[i][row]; bits != 0; bits &= bits - 1 {
				has++
			}
			score *= 1 - ofAllWords + ofAllWords*float64(has)/float64(words)
			r.out.Found = append(r.out.Found, Ranked{p.View.kind, p.View.entries[row].row, score})
		}
	}
}

// Best returns what was found, the best first.
func (r Ranking) Best() []Ranked {
	return slices.SortedFunc(slices.Values(r.Found), func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Row.ID, b.Row.ID))
	})
}
