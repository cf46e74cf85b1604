// Package terms turns texts into the terms under which a ranked search finds them, and shows where in a text they are.
// It is pure.
//
// A word is a run of letters, digits and underscores. Its term is its English stem in lower case, so that "retries" and
// "retried" are one. An identifier has more terms: readLoyaltyCard and read_loyalty_card have those of read, loyalty
// and card, and readloyaltycard. Writing without blanks between its words, such as Chinese and Japanese, has a term for
// every two characters. The forms of one letter are one: full width, half width, composed and taken apart.
package terms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

const (
	longest  = 64   // bytes of a word; a longer one, such as a key or an image in base64, has no terms
	unspaced = 4096 // bytes of a run of writing without blanks
)

// Each calls fn with the words of a text, and where in it they begin and end. Words that are too long are left out.
func Each(text string, fn func(word string, from, to int)) {
	from := -1
	for i, r := range text {
		switch in := inWord(r); {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			emit(text, from, i, fn)
			from = -1
		}
	}
	if from >= 0 {
		emit(text, from, len(text), fn)
	}
}

func emit(text string, from, to int, fn func(string, int, int)) {
	word := text[from:to]
	if len(word) <= longest || len(word) <= unspaced && hasUnspaced(word) {
		fn(word, from, to)
	}
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// Of lists the terms of a word, each once; the one of the whole word comes first.
func Of(word string) []string {
	word = norm.NFKC.String(word)
	if hasUnspaced(word) {
		return pairs(word)
	}
	whole := strings.ToLower(strings.ReplaceAll(word, "_", ""))
	if whole == "" {
		return nil
	}
	parts := split(word)
	if len(parts) < 2 {
		return []string{stem(whole)}
	}
	out := []string{whole}
	for _, part := range parts {
		out = addOnce(out, stem(strings.ToLower(part)))
	}
	return out
}

func addOnce(list []string, term string) []string {
	if slices.Contains(list, term) {
		return list
	}
	return append(list, term)
}

// stem is the stem of a word in lower case. Words in which there is more than the letters of English are their own.
func stem(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// split cuts an identifier at its underscores, and where its case says that a word begins: HTTPServer is HTTP and
// Server.
func split(word string) []string {
	var out []string
	from, before := 0, rune(0)
	cut := func(to int) {
		if to > from {
			out = append(out, word[from:to])
		}
		from = to
	}
	for i, r := range word {
		next, _ := utf8.DecodeRuneInString(word[i+utf8.RuneLen(r):])
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && unicode.IsLower(next)):
			cut(i)
		}
		before = r
	}
	cut(len(word))
	return out
}

// hasUnspaced reports whether a word is of a writing that has no blanks between words.
func hasUnspaced(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	})
}

// pairs lists every two neighbouring characters, each pair once, or the only character.
func pairs(word string) []string {
	all := []rune(strings.ToLower(word))
	if len(all) == 1 {
		return []string{string(all)}
	}
	var out []string
	for i := range all[1:] {
		out = addOnce(out, string(all[i:i+2]))
	}
	return out
}
