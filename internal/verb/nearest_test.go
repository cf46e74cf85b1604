package verb_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
)

func TestNearest(t *testing.T) {
	names := []string{"id", "title", "body", "deps", "expected_actor", "run_checks", "list", "list_sessions"}
	for _, tt := range []struct {
		name, word, want string
	}{
		{"a letter too few", "titl", "title"},
		{"a letter too many", "titles", "title"},
		{"two letters the wrong way round", "tilte", "title"},
		{"of a short word", "lsit", "list"},
		{"another case", "Title", "title"},
		{"a dash for an underscore", "run-checks", "run_checks"},
		{"no underscore", "runchecks", "run_checks"},
		{"camel case", "expectedActor", "expected_actor"},
		{"the beginning of a name", "expected", "expected_actor"},
		{"a name and more", "dependencies", ""},
		{"the whole of one name and the beginning of another", "list", "list"},
		{"one letter that could be anything", "x", ""},
		{"another word", "colour", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := verb.Nearest(tt.word, names); got != tt.want {
				t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
	if got := verb.Nearest("title", nil); got != "" {
		t.Errorf("of no names the nearest is %q", got)
	}
}
