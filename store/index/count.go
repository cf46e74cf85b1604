package index

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
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

// reading is a way to read records for a search: which terms one has. Each reading has postings of its own.
type reading struct {
	magic string // of the file of the postings
	form  uint32 // to be raised whenever other terms are found in a text
	path  func(Source) string
	each  func(k *kind.Kind, value any, add func(word string, weight uint32)) // calls add with each word of a record
	terms func(word string) []string                                          // under which a word is found
}

var (
	// A filter by text looks for a part of a word, which is what stands between blanks, as record.Folded has it.
	asWords = &reading{
		magic: "cairnwrd", form: 3, path: func(s Source) string { return s.Words },
		each: func(k *kind.Kind, value any, add func(string, uint32)) {
			for word := range strings.FieldsSeq(k.Text(value)) {
				add(word, 1)
			}
		},
		terms: func(word string) []string { return []string{record.Folded(word)} },
	}

	// A ranked search looks for the terms of package terms.
	asTerms = &reading{
		magic: "cairntrm", form: 2, path: func(s Source) string { return s.Postings },
		each: func(k *kind.Kind, value any, add func(string, uint32)) {
			addAll := func(text string, weight uint32) {
				terms.Each(text, func(word string, _, _ int) { add(word, weight) })
			}
			said := k.Wording(value)
			addAll(said.Name, inName)
			addAll(said.Body, inRest)
			addAll(said.Rest, inRest)
		},
		terms: terms.Of,
	}
)

// doc is a record whose terms are known: its id, and the hash of its content.
type doc struct {
	id  string
	sum sum
}

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
	*reading
	all    []string
	number map[string]uint32
	words  map[string][]uint32

	counts []uint32 // of each term, in the record that is counted
	found  []uint32 // terms of which there are any
}

func (r *reading) vocabulary() *vocabulary {
	return &vocabulary{reading: r, number: map[string]uint32{}, words: map[string][]uint32{}}
}

// count counts the terms of a record.
func (v *vocabulary) count(d doc, k *kind.Kind, value any) *counted {
	v.each(k, value, func(word string, weight uint32) {
		for _, term := range v.of(word) {
			if v.counts[term] == 0 {
				v.found = append(v.found, term)
			}
			v.counts[term] = min(v.counts[term]+weight, mostOfTerm)
		}
	})
	c := &counted{doc: d, of: v, terms: make([]times, len(v.found))}
	for i, term := range v.found {
		c.terms[i] = times{term, v.counts[term]}
		c.length = min(c.length+v.counts[term], mostTimes)
		v.counts[term] = 0
	}
	v.found = v.found[:0]
	return c
}

// of returns the terms of a word.
func (v *vocabulary) of(word string) []uint32 {
	if list, ok := v.words[word]; ok {
		return list
	}
	var list []uint32
	word = strings.Clone(word) // not to keep the whole text
	for _, term := range v.terms(word) {
		n, ok := v.number[term]
		if !ok {
			n = uint32(len(v.all))
			v.number[term] = n
			v.all = append(v.all, term)
			v.counts = append(v.counts, 0)
		}
		list = append(list, n)
	}
	v.words[word] = list
	return list
}
