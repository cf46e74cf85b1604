package terms

import "strings"

// Query is what somebody looks for: words, each once.
type Query []Word

// Word is a word of a query.
type Word struct {
	Text  string   // in lower case
	Terms []string // under which it is found
}

// mostWords bounds what a search costs, whatever it is asked for.
const mostWords = 32

// Parse reads a query. Words that nearly every text has, such as "the", count only in a query that has no others.
func Parse(text string) Query {
	var all, telling Query
	seen := map[string]bool{}
	Each(text, func(word string, _, _ int) {
		w := Word{strings.ToLower(word), Of(word)}
		if len(w.Terms) == 0 || seen[w.Text] || len(all) >= mostWords {
			return
		}
		seen[w.Text] = true
		all = append(all, w)
		if !Common(w.Text) {
			telling = append(telling, w)
		}
	})
	if len(telling) > 0 {
		return telling
	}
	return all
}
