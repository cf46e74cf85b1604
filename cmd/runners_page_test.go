package cmd

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/guard"
)

// runnersPage is docs/runners.md: the table of package guard.
func runnersPage() string {
	var b strings.Builder
	b.WriteString(`# Runners

The files on which a check [stands](proof.md) where neither it nor the config names them, by the program that its command starts. Globs are from the
top of the repository; one that names a folder means all that lies in it. A new file of the configuration counts. A new test does where all run in one process, since it can end
that; elsewhere it changes nothing that was proved.

`)
	for _, r := range guard.Runners() {
		fmt.Fprintf(&b, "## %s\n\n", r.Name)
		row := func(what string, globs []string) {
			if len(globs) > 0 {
				fmt.Fprintf(&b, "- %s: `%s`\n", what, strings.Join(globs, "` `"))
			}
		}
		row("started by", r.Commands)
		tests := "tests"
		if r.Together {
			tests = "tests, new ones too"
		}
		row(tests, r.Tests)
		row("configuration", r.Config)
		for _, p := range r.Parts {
			fmt.Fprintf(&b, "- of `%s`: %s\n", p.Glob, p.Says)
		}
		row("read for what they start", r.Follows)
		row("read for what they load", r.Loads)
		row("linked into the other run", r.Links)
		fmt.Fprintf(&b, "- not caught: %s\n\n", r.Misses)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
