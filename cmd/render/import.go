package render

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
)

const importedShown = 20 // tasks, for people

// renderImport says what an import made or would make, how it mapped what the source says, and what has no place.
func renderImport(r *Renderer, out transfer.ImportOut) {
	would := "made"
	if out.DryRun {
		would = "would make"
	}
	r.Printf("%s: %d read, %d imported before\n", r.Style.Bold(out.Source), out.Read, out.Known)
	r.Printf("%s %d tasks, with %d deps, %d parents, %d links, %d checks and %d notes\n", would, out.Made, out.Deps, out.Parents, out.Links, out.Checks, out.Notes)
	if out.Commands > 0 {
		r.Printf("%d of the checks run a command: look at them before you run them\n", out.Commands)
	}
	mappings(r, "state", out.States)
	mappings(r, "priority", out.Priorities)
	noPlace(r, out.NoPlace)
	if out.Made > 0 {
		r.Printf("\n")
		tabulate(r, out.Tasks[:min(importedShown, len(out.Tasks))])
		if more := out.Made - importedShown; more > 0 {
			r.Printf("… and %d more\n", more)
		}
	}
	if out.DryRun {
		r.Printf("\nnothing was written; --yes makes the tasks\n")
	}
}

func mappings(r *Renderer, what string, all []transfer.Mapping) {
	var words []string
	for _, m := range all {
		words = append(words, fmt.Sprintf("%s -> %s (%d)", m.From, m.To, m.Count))
	}
	if len(words) > 0 {
		r.Printf("%-9s %s\n", what+":", strings.Join(words, ", "))
	}
}

func noPlace(r *Renderer, all []transfer.NoPlace) {
	if len(all) == 0 {
		return
	}
	r.Printf("\nWhat has no place here\n")
	for _, n := range all {
		r.Printf("  %4d  %s: %s\n", n.Count, n.Field, strings.Join(n.Examples, "; "))
	}
}
