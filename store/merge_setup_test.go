package store_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store"
)

// The section comes and goes, and whatever else a .gitattributes holds stays byte for byte.
func TestSectionOfGitattributes(t *testing.T) {
	section := strings.Join(store.SectionLines, "\n") + "\n"
	for name, c := range map[string]struct{ text, with, without string }{
		"no file":                 {"", section, ""},
		"lines of others":         {"*.png binary\n", "*.png binary\n" + section, "*.png binary\n"},
		"a last line with no end": {"*.png binary", "*.png binary\n" + section, "*.png binary"},
		"CRLF":                    {"a b\r\n", "a b\r\n" + strings.ReplaceAll(section, "\n", "\r\n"), "a b\r\n"},
		"installed":               {"a b\n" + section + "c d\n", "a b\n" + section + "c d\n", "a b\nc d\n"},
		"an older section":        {store.SectionBegin + "\nold\n" + store.SectionEnd + "\nc d\n", section + "c d\n", "c d\n"},
		"a section without end":   {store.SectionBegin + "\nmine\n", store.SectionBegin + "\nmine\n", store.SectionBegin + "\nmine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := store.WithSection(c.text, store.SectionLines); got != c.with {
				t.Errorf("installed:\n%s", got)
			}
			if got := store.WithSection(c.text, nil); got != c.without {
				t.Errorf("removed:\n%s", got)
			}
		})
	}
}
