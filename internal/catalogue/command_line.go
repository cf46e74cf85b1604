package catalogue

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// shorthands are commands that stand for a verb with an argument that is true.
var shorthands = []struct{ command, verb, argument string }{
	{"ready", "list", "ready"},
}

// CommandLine spells a call as a command that can be typed. The arguments of a verb become arguments or flags as its
// fields declare; those of a command that is no verb are flags, or arguments where they have no name.
func CommandLine(c record.Call) string {
	v, _ := Named(c.Verb)
	words, args := []string{"cairn", commandOf(c.Verb)}, c.Args
	if action, rest, ok := ofReview(c); ok {
		words[1], args = "review "+action, rest
	}
	for _, s := range shorthands {
		if c.Verb == s.verb && len(args) > 0 && args[0].Name == s.argument && args[0].Value == true {
			words[1], args = s.command, args[1:]
		}
	}
	for i, a := range args {
		if _, ok := a.Value.(record.Reopening); ok {
			words[1], args = "reopen", slices.Delete(slices.Clone(args), i, i+1)
			break
		}
	}
	for _, a := range args {
		words = append(words, wordsOf(v, a)...)
	}
	return strings.Join(words, " ")
}

// ofReview is the command that people type for an action of the verb review_apply: cairn review merge ID.
func ofReview(c record.Call) (action string, rest []record.Arg, ok bool) {
	if c.Verb != "review_apply" {
		return "", nil, false
	}
	for i, a := range c.Args {
		if a.Name == "action" && slices.Contains([]string{"approve", "reject", "rebase", "merge", "pr"}, a.Text()) {
			rest = slices.Delete(slices.Clone(c.Args), i, i+1)
			if i := slices.IndexFunc(rest, func(a record.Arg) bool { return a.Name == "text" }); i >= 0 && a.Text() != "merge" {
				rest[i].Name = "" // it is positional there
			}
			return a.Text(), rest, true
		}
	}
	return "", nil, false
}

// commandOf returns the name under which hints show the command of a verb: its first alias, or else its own. Of what is
// no verb it is the name with dashes.
func commandOf(name string) string {
	v, ok := Named(name)
	switch {
	case len(v.Aliases) > 0:
		return v.Aliases[0]
	case ok:
		return v.Command()
	default:
		return verb.CommandName(name)
	}
}

// wordsOf spells an argument of a verb, or of a command that is none, on a command line.
func wordsOf(v verb.Verb, a record.Arg) []string {
	f := verb.Field{Arg: a.Name == "", Flag: a.Name}
	if i := slices.IndexFunc(v.Fields(), func(f verb.Field) bool { return f.Name == a.Name }); i >= 0 {
		f = v.Fields()[i]
	}
	if len(f.Flags) > 0 {
		f.Flag = f.Flags[0].Name
	}
	switch {
	case f.Arg:
		return []string{wordOf(a)}
	case a.Value == record.Either:
		return []string{"--" + f.Flag + "|--" + f.Not}
	case a.Value == true:
		return []string{"--" + f.Flag}
	case a.Value == false && f.Not != "":
		return []string{"--" + f.Not}
	default:
		return []string{"--" + f.Flag, wordOf(a)}
	}
}

// wordOf is the value of an argument on a command line. A text is one word; the members of a list are several.
func wordOf(a record.Arg) string {
	if text, ok := a.Value.(string); ok {
		return record.ShellWord(text)
	}
	return a.Text()
}
