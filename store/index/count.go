package index

import (
	"strings"

	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
)

// How much a term counts in a text, and the most that it can count in one record, and of one term.
const (
	inName    = 3 // id, title and labels
	inRest    = 1 // body, comments and what else
	mostTimes = 1 << 30

	mostOfTerm = 1 << 16
)

// counted is the terms of a record.
type counted struct {
	doc
	of     *vocabulary
	terms  []times
	length uint32 // the sum of all times
}

// times is how often a record has a term of a vocabulary, as much as it counts.
type times struct{ term, times uint32 }

// vocabulary numbers terms. It remembers those of each word that it has seen, since few words are new, and to stem one
// takes long.
type vocabulary struct {
	terms  []string
	number map[string]uint32
	words  map[string][]uint32

	counts []uint32 // of each term, in the record that is counted
	found  []uint32 // terms of which there are any
}

func newVocabulary() *vocabulary {
	return &vocabulary{number: map[string]uint32{}, words: map[string][]uint32{}}
}

// count counts the terms of a record.
func (v *vocabulary) count(d doc, said kind.Wording) *counted {
	v.add(said.Name, inName)
	v.add(said.Body, inRest)
	v.add(said.Rest, inRest)
	c := &counted{doc: d, of: v, terms: make([]times, len(v.found))}
	for i, term := range v.found {
		c.terms[i] = times{term, v.counts[term]}
		c.length = min(c.length+v.counts[term], mostTimes)
		v.counts[term] = 0
	}
	v.found = v.found[:0]
	return c
}

// add adds the terms of a text, each of which counts so much.
func (v *vocabulary) add(text string, weight uint32) {
	terms.Each(text, func(word string, _, _ int) {
		for _, term := range v.of(word) {
			if v.counts[term] == 0 {
				v.found = append(v.found, term)
			}
			v.counts[term] = min(v.counts[term]+weight, mostOfTerm)
		}
	})
}

// of returns the terms of a word.
func (v *vocabulary) of(word string) []uint32 {
	if list, ok := v.words[word]; ok {
		return list
	}
	var list []uint32
	word = strings.Clone(word) // not to keep the whole text
	for _, term := range terms.Of(word) {
		n, ok := v.number[term]
		if !ok {
			n = uint32(len(v.terms))
			v.number[term] = n
			v.terms = append(v.terms, term)
			v.counts = append(v.counts, 0)
		}
		list = append(list, n)
	}
	v.words[word] = list
	return list
}

// byTerm is how often the record has each term.
func (c *counted) byTerm() map[string]uint32 {
	out := make(map[string]uint32, len(c.terms))
	for _, t := range c.terms {
		out[c.of.terms[t.term]] = t.times
	}
	return out
}
