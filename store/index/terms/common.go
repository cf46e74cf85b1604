package terms

import "strings"

// Common reports whether nearly every English text has a word, or it is one with which questions are asked.
func Common(word string) bool {
	switch strings.ToLower(word) {
	case "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "of", "on", "or",
		"s", "t", "that", "the", "this", "to", "was", "we", "what", "when", "where", "which", "why", "with":
		return true
	}
	return false
}
