package mcpserver

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
)

// command finds a command line of cairn in a hint. A person who runs one does so in a terminal: that stays as it is.
var command = regexp.MustCompile(`((?:person (?:runs|to run)|settles it:) )?\bcairn ([a-z][a-z-]*)((?: (?:--[a-z-]+|[A-Za-z0-9_]+-[A-Za-z0-9._-]+|ses_[A-Za-z0-9._-]+|[0-9]+))*)`)

// inTools says a hint in the words of a client, which has tools and no terminal: "cairn show PROJ-7" is the tool get with id
// PROJ-7. What is no tool, such as cairn trust, is for a person to run and stays a command.
func inTools(hint string) string {
	return command.ReplaceAllStringFunc(hint, func(text string) string {
		m := command.FindStringSubmatch(text)
		v, args, ok := verbOf(m[2])
		if m[1] != "" || !ok {
			return text
		}
		if given := namedArguments(v, strings.Fields(m[3])); given != "" {
			args = given
		}
		if args == "" {
			return "the tool " + v.Name
		}
		return "the tool " + v.Name + " with " + args
	})
}

// verbOf is the verb of a command, and the arguments that the command's name alone stands for.
func verbOf(command string) (v verb.Verb, args string, ok bool) {
	switch command {
	case "show":
		command = "get"
	case "ready":
		command, args = "list", "ready true"
	}
	v, ok = catalogue.Named(strings.ReplaceAll(command, "-", "_"))
	return v, args, ok
}

// namedArguments names the arguments and flags of a command as the fields that they set.
func namedArguments(v verb.Verb, words []string) string {
	var args []verb.Field
	for _, f := range v.Fields {
		if f.Arg {
			args = append(args, f)
		}
	}
	var out []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		flag, isFlag := strings.CutPrefix(word, "--")
		switch {
		case !isFlag && len(args) > 0:
			out = append(out, args[0].Name+" "+word)
			args = args[1:]
		case !isFlag:
		case flag == "pass" || flag == "fail":
			out = append(out, fmt.Sprintf("pass %t", flag == "pass"))
		case i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"):
			i++
			out = append(out, fieldOf(v, flag)+" "+words[i])
		default:
			out = append(out, fieldOf(v, flag)+" true")
		}
	}
	return strings.Join(out, ", ")
}

// fieldOf is the field that a flag sets: --remove-dep is remove_deps.
func fieldOf(v verb.Verb, flag string) string {
	name := strings.ReplaceAll(flag, "-", "_")
	for _, f := range v.Fields {
		if f.Name == name || f.Name == name+"s" {
			return f.Name
		}
	}
	return name
}
