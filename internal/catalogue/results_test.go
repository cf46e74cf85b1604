package catalogue

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// Every verb says what it returns, so that a key that no result has is refused before the verb is called; and each that
// lists says which field holds the rows.
func TestResultsAreKnown(t *testing.T) {
	lists := 0
	for _, v := range All {
		if len(v.Results()) == 0 {
			t.Errorf("%s returns any, and Returns does not say what", v.Name)
		}
		for _, result := range v.Results() {
			row, key := verb.RowType(result)
			if len(verb.KeysOf(row)) == 0 {
				t.Errorf("%s: a row of %s has no keys", v.Name, result)
			}
			if key != "" {
				lists++
			} else if paged(result) && !slices.Contains([]string{"get", "status", "wait", "job_poll"}, v.Name) {
				t.Errorf("%s: %s has pages, and no field with the tag result:\"rows\"", v.Name, result)
			}
		}
	}
	if lists < 20 {
		t.Errorf("only %d results are lists", lists)
	}
}

// paged reports whether a result can be one page of several.
func paged(result reflect.Type) bool {
	return slices.ContainsFunc(verb.KeysOf(result), func(k verb.Key) bool {
		return slices.Contains([]string{"next_cursor", "has_more", "total"}, k.Name)
	})
}
