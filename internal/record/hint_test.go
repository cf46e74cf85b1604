package record_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// A hint holds its calls until somebody spells them, hints within hints included.
func TestHint(t *testing.T) {
	inner := record.Hintf("%s shows it", record.CallTo("get", "id", record.ID("A-1")))
	hint := record.Hintf("%s; then %s, or wait %d minutes", inner, record.CallTo("list"), 2)
	if got, want := hint.String(), "get with id A-1 shows it; then list, or wait 2 minutes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	upper := func(c record.Call) string { return strings.ToUpper(c.Verb) }
	if got, want := hint.Spell(upper), "GET shows it; then LIST, or wait 2 minutes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if calls := hint.Calls(); len(calls) != 2 || calls[0].Verb != "get" || calls[1].Verb != "list" {
		t.Errorf("the calls are %v", calls)
	}
	if got, want := hint.Replace("A-1", "#0").String(), "get with id #0 shows it; then list, or wait 2 minutes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !(record.Hint{}).Empty() || !record.Hintf("%s", "").Empty() || hint.Empty() {
		t.Error("an empty hint says something, or another says nothing")
	}
}

// The call that helps is the one that the hint holds, unless another one is named.
func TestNextCalls(t *testing.T) {
	get, list := record.CallTo("get", "id", record.ID("A-1")), record.CallTo("list")
	no := func() *record.Error { return record.Errorf(record.Conflict, "no") }
	for _, tt := range []struct {
		name string
		err  *record.Error
		want string
	}{
		{"no hint", no(), ""},
		{"a hint without a call", no().WithHint("wait"), ""},
		{"one call", no().WithHint("%s", get), "get"},
		{"two calls", no().WithHint("%s or %s", get, list), ""},
		{"a call for a person", no().WithHint("%s", get.ByPerson()), ""},
		{"another call is named", no().WithHint("%s", get).WithNext(record.CallTo("list")), "list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if next := tt.err.NextCalls(); len(next) > 0 {
				got = next[0].Verb
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
