package record_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

func TestValidText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"nothing", "", true},
		{"several lines", "one\ntwo\n", true},
		{"blanks and line ends", " \t\n", false},
		{"spaces of other scripts", "\u00a0\u3000\u2028", false},
		{"characters without a shape", "\u200b\ufeff\u2060", false},
		{"a mark between them", "\u200b!", true},
		{"as long as may be", strings.Repeat("x", record.MaxText), true},
		{"a byte longer", strings.Repeat("x", record.MaxText+1), false},
		{"no text", "\xff\xfe", false},
		{"a NUL, which ends the parts of a hash", "a\x00b", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := record.ValidText("reason", tt.text); (err == nil) != tt.ok {
				t.Error(err)
			}
		})
	}
}

// A body is the same text whatever the file's line ends and the empty lines around it.
func TestCleanBody(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"a line", "Prose.", "Prose."},
		{"a last line end", "Prose.\n", "Prose."},
		{"lines that end as on Windows", "One.\r\n\r\nTwo.\r\n", "One.\n\nTwo."},
		{"lines that end as on old Macs", "One.\r\rTwo.\r", "One.\n\nTwo."},
		{"empty lines around it", "\n\nProse.\n\n", "Prose."},
		{"an indented first line keeps its place", "\n    code\n", "    code"},
		{"empty lines alone", "\r\n\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := record.CleanBody(tt.body); got != tt.want {
				t.Errorf("%q reads as %q, want %q", tt.body, got, tt.want)
			}
		})
	}
}
