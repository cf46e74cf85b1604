package terms

import (
	"strings"
	"unicode/utf8"
)

// Near compares a word that was not found with terms that there are.
type Near struct {
	word  string
	grams []string
}

// NearTo returns a comparison with a word.
func NearTo(w Word) Near { return Near{w.Text, grams(w.Text)} }

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
	return max(n.alike(term, len(n.grams)), 0)
}

// alike is the share of the groups of three letters that the word and a term have in common.
func (n Near) alike(term string, mine int) float64 {
	if !isASCII(term) {
		return share(n.grams, grams(term))
	}
	// Without allocation, since this is asked about every term there is.
	both, theirs := 0, len(term)+1
	at := func(i int) byte {
		if i < 2 || i-2 >= len(term) {
			return ' '
		}
		return term[i-2]
	}
	for i := range theirs {
		a, b, c := at(i), at(i+1), at(i+2)
		for _, g := range n.grams {
			if len(g) == 3 && g[0] == a && g[1] == b && g[2] == c {
				both++
				break
			}
		}
	}
	both = min(both, mine)
	return enough(float64(both) / float64(mine+theirs-both))
}

func share(a, b []string) float64 {
	both := 0
	for _, g := range b {
		for _, h := range a {
			if g == h {
				both++
				break
			}
		}
	}
	both = min(both, len(a))
	return enough(float64(both) / float64(len(a)+len(b)-both))
}

func enough(alike float64) float64 {
	if alike < leastAlike {
		return 0
	}
	return alike
}

// grams lists the groups of three characters of a word, with two blanks before it and one behind it.
func grams(word string) []string {
	all := append(append([]rune("  "), []rune(word)...), ' ')
	out := make([]string, 0, len(all)-2)
	for i := range all[2:] {
		out = append(out, string(all[i:i+3]))
	}
	return out
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
