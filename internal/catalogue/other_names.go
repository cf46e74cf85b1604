package catalogue

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// otherNames are names that tools have in other systems, each with the verb that does it here: those of the tables of
// tools in docs/coming-from.md.
//
//go:embed other_names.txt
var otherNames string

// OtherName is the verb that does here what a tool of another system does, or what a command of that name does; "" for a
// name that none has.
func OtherName(tool string) string {
	for line := range strings.Lines(otherNames) {
		if name, does, _ := strings.Cut(strings.TrimSpace(line), " "); name == tool {
			return does
		}
	}
	tool = strings.TrimPrefix(tool, "task_")
	if slices.Contains([]string{"done", "close", "complete", "reopen"}, tool) {
		return "transition"
	}
	v, _ := record.Find(All, func(v verb.Verb) bool { return slices.Contains(v.Aliases, tool) })
	return v.Name
}
