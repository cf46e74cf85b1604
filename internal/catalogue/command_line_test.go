package catalogue_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
)

// A text in a call is one word of the command that a shell takes.
func TestATextIsOneWordOfACommandLine(t *testing.T) {
	for want, call := range map[string]record.Call{
		`cairn review reject T-1 'where'\''s the roof; rm -r it?'`: record.CallTo("review_apply", "id", "T-1", "action", "reject", "text", "where's the roof; rm -r it?"),
		`cairn review merge T-1 --text 'a roof'`:                   record.CallTo("review_apply", "id", "T-1", "action", "merge", "text", "a roof"),
		`cairn review approve T-1`:                                 record.CallTo("review_apply", "id", "T-1", "action", "approve"),
		`cairn note T-1 '$(date)'`:                                 record.CallTo("note", "id", "T-1", "text", "$(date)"),
		`cairn pair close T-1 --summary SUMMARY`:                   record.CallTo("pair_close", "id", "T-1", "summary", "SUMMARY"),
	} {
		if got := catalogue.CommandLine(call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
