package store

import (
	"strings"
	"testing"
)

// The section comes and goes, and whatever else a .gitattributes holds stays byte for byte.
func TestSectionOfGitattributes(t *testing.T) {
	section := strings.Join(sectionLines, "\n") + "\n"
	for name, c := range map[string]struct{ text, with, without string }{
		"no file":                 {"", section, ""},
		"lines of others":         {"*.png binary\n", "*.png binary\n" + section, "*.png binary\n"},
		"a last line with no end": {"*.png binary", "*.png binary\n" + section, "*.png binary"},
		"CRLF":                    {"a b\r\n", "a b\r\n" + strings.ReplaceAll(section, "\n", "\r\n"), "a b\r\n"},
		"installed":               {"a b\n" + section + "c d\n", "a b\n" + section + "c d\n", "a b\nc d\n"},
		"an older section":        {sectionBegin + "\nold\n" + sectionEnd + "\nc d\n", section + "c d\n", "c d\n"},
		"a section without end":   {sectionBegin + "\nmine\n", sectionBegin + "\nmine\n", sectionBegin + "\nmine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withSection(c.text, sectionLines); got != c.with {
				t.Errorf("installed:\n%s", got)
			}
			if got := withSection(c.text, nil); got != c.without {
				t.Errorf("removed:\n%s", got)
			}
		})
	}
}
