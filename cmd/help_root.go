package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/urfave/cli/v3"
)

// everyday are the commands that help lists first, in the order in which somebody comes to need them.
var everyday = []string{
	"init", "status", "board", "ready", "list", "show", "add", "edit", "start", "note", "done", "close", "reopen", "next", "search", "log", "undo",
}

// groups are the other headings of help, in the order in which somebody comes to need them. A group that is not among
// them comes behind.
var groups = []struct{ group, heading string }{
	{"tasks", "Tasks"}, {"sessions", "Sessions of work"}, {"review", "Review"}, {"jobs", "Jobs and work trees"}, {"ledger", "What is known and decided"},
	{"handoffs", "Questions and answers"}, {"references", "References"}, {"team", "Who is here"}, {"projects", "Several workspaces"}, {"workspace", "The workspace"}, {"setup", "Many machines"},
}

// rootHelp is what cairn help prints: each command once, in a few words.
func rootHelp(root *cli.Command) string {
	left := slices.DeleteFunc(slices.Clone(root.Commands), func(c *cli.Command) bool { return c.Hidden })
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\ncairn COMMAND [ARGUMENT...] [FLAG...]\n", root.Name, root.Usage)
	width := 0
	for _, c := range left {
		width = max(width, len(shownName(c)))
	}
	section := func(heading string, take func(*cli.Command) bool) {
		var taken []*cli.Command
		left = slices.DeleteFunc(left, func(c *cli.Command) bool {
			if take(c) {
				taken = append(taken, c)
				return true
			}
			return false
		})
		if heading == firstHeading {
			slices.SortFunc(taken, func(a, b *cli.Command) int {
				return slices.Index(everyday, shownName(a)) - slices.Index(everyday, shownName(b))
			})
		}
		if len(taken) > 0 {
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		for _, c := range taken {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, shownName(c), aboutCommand(c))
		}
	}
	section(firstHeading, func(c *cli.Command) bool { return slices.Contains(everyday, shownName(c)) })
	for _, g := range groups {
		section(g.heading, func(c *cli.Command) bool { return c.Category == g.group })
	}
	section("Others", func(*cli.Command) bool { return true })
	b.WriteString("\nFlags of every command\n")
	for _, f := range root.Flags {
		form, usage, _ := strings.Cut(flagLine(f), "\t")
		fmt.Fprintf(&b, "  %-*s  %s\n", width, form, usage)
	}
	b.WriteString("\ncairn help COMMAND, or cairn COMMAND -h, explains one; cairn help topics lists what else is explained.\n")
	return b.String()
}

const firstHeading = "Every day"

// shownName is the name under which help lists a command: the alias of a verb that people know it by, else its own.
func shownName(c *cli.Command) string {
	for _, v := range catalogue.All {
		if v.Noun == "" && v.Command() == c.Name && len(v.Aliases) > 0 {
			return v.Aliases[0]
		}
	}
	return c.Name
}

// aboutCommand is what a command does, in a few words.
func aboutCommand(c *cli.Command) string {
	for _, v := range catalogue.All {
		if v.Noun == "" && v.Command() == c.Name {
			return v.Title
		}
	}
	if about := aboutNoun(c.Name); about != "" {
		return about
	}
	about := c.Usage
	for _, end := range []string{"; ", ": ", " ("} {
		about, _, _ = strings.Cut(about, end)
	}
	return strings.TrimSuffix(about, ".")
}
