package terms

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Near compares a word that was not found with terms that there are.
type Near struct {
	word  string
	grams []gram
}

// NearTo returns a comparison with a word.
func NearTo(w Word) Near {
	n := Near{word: w.Text}
	eachGram(w.Text, func(g gram) { n.grams = append(n.grams, g) })
	return n
}

const (
	shortestPrefix = 2   // characters
	shortestStem   = 4   // characters of a term that a word can go on from
	goesOn         = 4   // characters that it can have more
	leastAlike     = 0.3 // share of the groups of three letters of both
	ofPrefix       = 0.8 // how near a word is that begins as another does
)

// To returns how near a term is, from 0 for one that is not to nearly 1. Near are terms that begin with the word or
// from which it goes on, since the end of a stem is not that of a word, and terms that have many groups of three
// letters in common with it.
func (n Near) To(term string) float64 {
	short, long := len(n.word), len(term)
	if short > 2*long+2 || long > 8*short {
		return 0
	}
	if utf8.RuneCountInString(n.word) >= shortestPrefix && strings.HasPrefix(term, n.word) {
		return ofPrefix * (0.5 + 0.5*float64(short)/float64(long))
	}
	if long >= shortestStem && short-long <= goesOn && strings.HasPrefix(n.word, term) {
		return ofPrefix * float64(long) / float64(short)
	}
	if long > 2*short {
		return 0
	}
	return n.alike(term)
}

// gram is a group of three characters of a word.
type gram [3]rune

// eachGram calls fn with the groups of three characters of a word, with two blanks before it and one behind it. It
// allocates nothing, since this is asked about every term there is.
func eachGram(word string, fn func(gram)) {
	g := gram{' ', ' ', ' '}
	for _, r := range word {
		g = gram{g[1], g[2], r}
		fn(g)
	}
	fn(gram{g[1], g[2], ' '})
}

// alike is the share of the groups of three letters that the word and a term have in common; 0 if it is small.
func (n Near) alike(term string) float64 {
	both, theirs := 0, 0
	eachGram(term, func(g gram) {
		theirs++
		if slices.Contains(n.grams, g) {
			both++
		}
	})
	both = min(both, len(n.grams))
	alike := float64(both) / float64(len(n.grams)+theirs-both)
	if alike < leastAlike {
		return 0
	}
	return alike
}
