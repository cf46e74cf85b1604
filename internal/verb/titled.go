package verb

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/record"
)

const leastTitle = 3 // bytes of words that name a record by its title

// Titled are those whose title is just some words, or else those that have the words in their title; each may be the
// beginning of a word there. Case does not count.
func Titled[T any](all []T, said string, title func(T) string) []T {
	if len(strings.TrimSpace(said)) < leastTitle {
		return nil
	}
	words := strings.Fields(record.Folded(said))
	whole := record.Those(all, func(one T) bool { return slices.Equal(strings.Fields(record.Folded(title(one))), words) })
	if len(whole) > 0 {
		return whole
	}
	return record.Those(all, func(one T) bool { return hasWords(record.Folded(title(one)), words) })
}

// hasWords reports whether a title has words that begin as these do. In a script without spaces between words it has them
// anywhere.
func hasWords(title string, words []string) bool {
	have := strings.FieldsFunc(title, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	return !slices.ContainsFunc(words, func(word string) bool {
		unspaced := strings.ContainsFunc(word, record.Unspaced)
		begun := slices.ContainsFunc(have, func(one string) bool { return strings.HasPrefix(one, word) })
		return !begun && (!unspaced || !strings.Contains(title, word))
	})
}
