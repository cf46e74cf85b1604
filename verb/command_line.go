package verb

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// shorthands are commands that stand for a verb with an argument that is true.
var shorthands = []struct{ command, verb, argument string }{
	{"ready", "list", "ready"},
}

// CommandLine spells a call as a command that can be typed. The arguments of a verb are arguments or flags as its fields say; those
// of a command that is no verb are flags, or arguments where they have no name.
func CommandLine(c task.Call) string {
	words := []string{"cairn", strings.ReplaceAll(c.Verb, "_", "-")}
	v, _ := Named(c.Verb)
	if c.Verb == "get" {
		words[1] = "show"
	}
	args := c.Args
	for _, s := range shorthands {
		if c.Verb == s.verb && len(args) > 0 && args[0].Name == s.argument && args[0].Value == true {
			words[1], args = s.command, args[1:]
		}
	}
	for _, a := range args {
		words = append(words, v.word(a)...)
	}
	return strings.Join(words, " ")
}

// word spells an argument of a verb, or of a command, on a command line.
func (v Verb) word(a task.Arg) []string {
	i := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == a.Name })
	if a.Name == "" || i >= 0 && v.Fields[i].Arg {
		return []string{a.Text()}
	}
	flag := "--" + strings.ReplaceAll(a.Name, "_", "-")
	switch a.Value {
	case true:
		return []string{flag}
	case task.Either:
		return []string{flag + "|--fail"}
	default:
		return []string{flag, a.Text()}
	}
}
