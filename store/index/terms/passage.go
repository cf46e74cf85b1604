package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hits are terms that were looked for, and the number of the word of the query that each belongs to.
type Hits map[string]int

// In reports whether a text has one of the terms.
func (h Hits) In(text string) bool { return len(places(text, h)) > 0 }

// Passage returns the passage of a text in which most of the words that were looked for occur, in one line of no more
// than size bytes and two ellipses. It is the beginning of a text in which none does.
func Passage(text string, hits Hits, size int) string {
	at := places(text, hits)
	from := 0
	if len(at) > 0 {
		first, last := densest(at, size)
		from = max(0, first-(size-(last-first))/3)
	}
	from = wordStart(text, from)
	to := wordEnd(text, from, from+size)
	out := oneLine(text[from:to])
	if out != "" && strings.TrimSpace(text[:from]) != "" {
		out = "…" + out
	}
	if out != "" && strings.TrimSpace(text[to:]) != "" {
		out += "…"
	}
	return out
}

// place is a word of a text that was looked for.
type place struct{ from, to, word int }

const mostPlaces = 1000 // of one text that are compared

// places finds the words that were looked for.
func places(text string, hits Hits) []place {
	if len(hits) == 0 {
		return nil
	}
	begin := beginnings(hits)
	var at []place
	Each(text, func(word string, from, to int) {
		if len(at) == mostPlaces || !containsAny(word, begin) {
			return
		}
		for _, term := range Of(word) {
			if n, ok := hits[term]; ok {
				at = append(at, place{from, to, n})
				return
			}
		}
	})
	return at
}

// beginnings are the first letters of the terms. A word without any of them has none of the terms, but for a few
// irregular ones; it takes far less to see that than to stem the word.
func beginnings(hits Hits) []string {
	var out []string
	for term := range hits {
		out = addOnce(out, term[:min(2, len(term))])
	}
	return out
}

func containsAny(word string, begin []string) bool {
	for _, b := range begin {
		for i := 0; i+len(b) <= len(word); i++ {
			if word[i]|0x20 == b[0]|0x20 && strings.EqualFold(word[i:i+len(b)], b) {
				return true
			}
		}
	}
	return false
}

// densest returns where the stretch of at most size bytes begins and ends that has the most different words, and of
// those the first that has the most places.
func densest(at []place, size int) (from, to int) {
	best := -1
	for i, first := range at {
		seen, places, end := map[int]bool{}, 0, first.to
		for _, p := range at[i:] {
			if p.to-first.from > size {
				break
			}
			seen[p.word], end = true, p.to
			places++
		}
		if score := len(seen)*mostPlaces + places; score > best {
			best, from, to = score, first.from, end
		}
	}
	return from, to
}

// wordStart is the first place from a byte on at which a word begins, or a character if the word there is long.
func wordStart(text string, at int) int {
	at = min(at, len(text))
	for i := at; i > 0 && i < len(text) && i < at+20; i++ {
		if isSpace(text[i-1]) && utf8.RuneStart(text[i]) {
			return i
		}
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// wordEnd is the last place before a byte at which a word ends, or a character if the word there is long.
func wordEnd(text string, from, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for i := at; i > from && i > at-20; i-- {
		if isSpace(text[i]) {
			return i
		}
	}
	for at > from && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// oneLine is a text without line breaks, runs of blanks and characters that control a terminal.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
