package cmd

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/task"
)

const importedShown = 20 // tasks, for people

// renderImport says what an import made or would make, how it mapped what the source says, and what has no place.
func renderImport(r *renderer, out transfer.ImportOut) {
	would := "made"
	if out.DryRun {
		would = "would make"
	}
	r.printf("%s: %d read, %d imported before\n", r.style.bold(out.Source), out.Read, out.Known)
	r.printf("%s %d tasks, with %d deps, %d parents, %d links, %d checks and %d notes\n", would, out.Made, out.Deps, out.Parents, out.Links, out.Checks, out.Notes)
	if out.Commands > 0 {
		r.printf("%d of the checks run a command: look at them before you run them\n", out.Commands)
	}
	r.mappings("state", out.States)
	r.mappings("priority", out.Priorities)
	r.noPlace(out.NoPlace)
	if out.Made > 0 {
		r.printf("\n")
		t := table{head: []string{"FROM", "ID", "STATUS", "P", "TITLE"}, grow: 4}
		for _, m := range out.Tasks[:min(importedShown, len(out.Tasks))] {
			t.add(task.Clip(m.From, 60), string(m.ID), string(m.Status), fmt.Sprint(int(m.Priority)), m.Title)
		}
		t.print(r.out, r.width(), r.style)
		if more := out.Made - importedShown; more > 0 {
			r.printf("… and %d more\n", more)
		}
	}
	if out.DryRun {
		r.printf("\nnothing was written; --yes makes the tasks\n")
	}
}

func (r *renderer) mappings(what string, all []transfer.Mapping) {
	var words []string
	for _, m := range all {
		words = append(words, fmt.Sprintf("%s -> %s (%d)", m.From, m.To, m.Count))
	}
	if len(words) > 0 {
		r.printf("%-9s %s\n", what+":", strings.Join(words, ", "))
	}
}

func (r *renderer) noPlace(all []transfer.NoPlace) {
	if len(all) == 0 {
		return
	}
	r.printf("\nWhat has no place here\n")
	for _, n := range all {
		r.printf("  %4d  %s: %s\n", n.Count, n.Field, strings.Join(n.Examples, "; "))
	}
}
