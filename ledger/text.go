package ledger

import (
	"slices"
	"strings"
)

// withoutRepeats is a list without what comes again in it.
func withoutRepeats[T comparable](list []T) []T {
	var out []T
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// shortened is the beginning of a text, for messages.
func shortened(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
