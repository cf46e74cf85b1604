package task

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/record"
)

// cairnStates are the states that cairn's own words speak of.
var cairnStates = []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"}

// ValidState returns INVALID_INPUT for a state that people would take for another: one that looks like one of others,
// or like one that cairn's own words speak of, and one that has what nobody sees.
func ValidState(s record.Status, others []record.Status) error {
	if err := record.ValidLine("a state", string(s)); err != nil {
		return err
	}
	if strings.TrimSpace(string(s)) != string(s) || strings.ContainsFunc(string(s), unseen) {
		return record.Errorf(record.InvalidInput, "the state %q has a blank at an end, or a character that nobody sees", record.Clip(string(s), 60))
	}
	look := looksLike(s)
	isASCII := !strings.ContainsFunc(string(s), func(r rune) bool { return r > unicode.MaxASCII })
	twin := func(o record.Status) bool { return o != s && looksLike(o) == look }
	if i := slices.IndexFunc(others, twin); i >= 0 {
		return record.Errorf(record.InvalidInput, "the state %q looks like %q", record.Clip(string(s), 60), record.Clip(string(others[i]), 60))
	}
	if i := slices.IndexFunc(cairnStates, twin); i >= 0 && !isASCII {
		return record.Errorf(record.InvalidInput, "the state %q looks like %s, and has other letters", record.Clip(string(s), 60), cairnStates[i])
	}
	return nil
}

// unseen reports whether a character of a line shows as nothing, or changes others.
func unseen(r rune) bool {
	return record.Hidden(r) || unicode.In(r, unicode.Cc, unicode.Co, unicode.Me, unicode.Zl, unicode.Zp) || r != ' ' && unicode.Is(unicode.Zs, r)
}

// looksLike is a text that is equal for states that look alike: record.Looks of it without accents, blanks, dashes and
// underscores.
func looksLike(s record.Status) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == ' ' || unicode.In(r, unicode.Pd, unicode.Pc) {
			return -1
		}
		return r
	}, record.Looks(string(s)))
}
