package catalogue

import (
	_ "embed"
	"strings"
)

// otherNames are names that tools have in other systems, each with the verb that does it here: those of the tables of
// tools in docs/coming-from.md.
//
//go:embed other_names.txt
var otherNames string

// OtherName is the verb that does here what a tool of another system does; "" for a name that none has.
func OtherName(tool string) string {
	for line := range strings.Lines(otherNames) {
		if name, verb, _ := strings.Cut(strings.TrimSpace(line), " "); name == tool {
			return verb
		}
	}
	return ""
}
