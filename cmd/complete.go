package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

// candidate is a word that can stand at the end of a line, and a few words about it.
type candidate struct{ value, about string }

// completer finds candidates. It only reads the workspace: it runs no command, not even git, and writes nothing. What
// cannot be read has no candidates, since a shell shows no messages while it completes.
type completer struct {
	*program
	ctx     context.Context //nolint:containedctx // of the one line that is completed
	root    *cli.Command
	command *cli.Command      // that is being typed, once it is known
	noun    string            // that it stands below, or ""
	path    string            // how the command is typed in full: "trust signer add"
	args    []string          // its arguments before the word that is being typed
	word    string            // what was typed of the word, but for what every value begins with
	given   map[string]string // flags on the line, with their values
	rows    []*kind.Row       // that lists wrote down, once they were asked for
	store   *store.Store      // nil where there is no workspace
}

// candidates are the words that can follow those before.
func (c *completer) candidates(before []string, word string) []candidate {
	flag, onlyArgs := c.read(before)
	c.word = word
	switch {
	case flag != "":
		return c.values(flag)
	case !onlyArgs && strings.HasPrefix(word, "-"):
		name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if hasValue {
			c.word = value
			return prefixed(word[:len(word)-len(value)], c.values(c.flagNamed(name)))
		}
		return c.flagNames()
	case c.command == nil:
		return c.commandNames()
	default:
		return c.argument()
	}
}

// read reads the words before the one that is being typed. It returns the flag whose value that is, or "", and whether
// it can be no flag. A word that stands where a command should and is none leaves the command as one that completes
// nothing.
func (c *completer) read(before []string) (flag string, onlyArgs bool) {
	for _, w := range before {
		switch {
		case flag != "":
			c.given[flag], flag = w, ""
		case onlyArgs || !strings.HasPrefix(w, "-") || w == "-":
			c.readWord(w)
		case w == "--":
			onlyArgs = true
		default:
			name, value, hasValue := strings.Cut(strings.TrimLeft(w, "-"), "=")
			name = c.flagNamed(name)
			if c.takesValue(name) && !hasValue {
				flag = name
			} else {
				c.given[name] = value
			}
		}
	}
	return flag, onlyArgs
}

// readWord reads a word that is no flag: the command, one below it, or an argument.
func (c *completer) readWord(w string) {
	around := c.command
	if around == nil {
		around = c.root
	}
	sub := around.Command(w)
	switch {
	case sub != nil && len(c.args) == 0:
		if c.command != nil && slices.Contains(catalogue.Nouns(), c.command.Name) {
			c.noun = c.command.Name
		}
		c.command, c.path = sub, strings.TrimSpace(c.path+" "+sub.Name)
	case c.command == nil:
		c.command = &cli.Command{} // which takes nothing
	default:
		c.args = append(c.args, w)
	}
}

func prefixed(prefix string, all []candidate) []candidate {
	for i := range all {
		all[i].value = prefix + all[i].value
	}
	return all
}

func (c *completer) flags() []cli.Flag {
	if c.command == nil {
		return c.root.Flags
	}
	return slices.Concat(c.command.Flags, c.root.Flags)
}

// flagNamed is the long name of a flag that may have been typed as a letter.
func (c *completer) flagNamed(name string) string {
	for _, f := range c.flags() {
		if slices.Contains(f.Names(), name) {
			return f.Names()[0]
		}
	}
	return name
}

func (c *completer) takesValue(name string) bool {
	for _, f := range c.flags() {
		if _, isBool := f.(*cli.BoolFlag); slices.Contains(f.Names(), name) {
			return !isBool
		}
	}
	return false
}

func (c *completer) flagNames() []candidate {
	var out []candidate
	for _, f := range c.flags() {
		if visible, ok := f.(cli.VisibleFlag); ok && !visible.IsVisible() {
			continue
		}
		about := ""
		if docs, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(docs.GetUsage(), "`", "")
		}
		out = append(out, candidate{dashed(f.Names()[0]), about})
	}
	return append(out, candidate{"--help", "explain the command"})
}

func (c *completer) commandNames() []candidate { return namesOf(c.root.Commands) }

func namesOf(commands []*cli.Command) []candidate {
	var out []candidate
	for _, sub := range commands {
		if !sub.Hidden {
			out = append(out, candidate{sub.Name, sub.Usage})
		}
	}
	return out
}

// verbOf is the verb whose command is being typed.
func (c *completer) verbOf() (verb.Verb, bool) {
	if c.command == nil {
		return verb.Verb{}, false
	}
	for _, v := range catalogue.All {
		if c.path == v.Command() || c.noun == "" && c.path == verb.CommandName(v.Name) {
			return v, true
		}
	}
	return verb.Verb{}, false
}

// values are what a flag can be set to.
func (c *completer) values(flag string) []candidate {
	if v, ok := c.verbOf(); ok {
		for _, f := range flagFields(v.Fields()) {
			if one, ok := c.valueOf(f, flag); ok {
				return one
			}
		}
	}
	if f, ok := c.commandFlag(flag); ok {
		return c.field(f)
	}
	return nil
}

// flagFields are the fields that have flags: those of an object stand for it.
func flagFields(fields []verb.Field) []verb.Field {
	var out []verb.Field
	for _, f := range fields {
		if f.Type == verb.Object {
			out = append(out, flagFields(f.Fields)...)
		} else if !f.Arg {
			out = append(out, f)
		}
	}
	return out
}

// valueOf is what a flag can be set to if it is that of a field.
func (c *completer) valueOf(f verb.Field, flag string) ([]candidate, bool) {
	if f.Flag != flag {
		return nil, false
	}
	return c.field(f), true
}

// argument is what can stand as the next argument of the command.
func (c *completer) argument() []candidate {
	var below []candidate
	if len(c.args) == 0 {
		below = namesOf(c.command.Commands)
	}
	fields := c.arguments()
	if at := len(c.args); at < len(fields) {
		return append(below, c.orMore(fields, at)...)
	}
	if at := slices.IndexFunc(fields, func(f verb.Field) bool { return f.Many }); at >= 0 {
		return c.others(c.field(fields[at]))
	}
	return below
}

// arguments are the arguments of the command, as fields.
func (c *completer) arguments() []verb.Field {
	v, ok := c.verbOf()
	if !ok || v.Name == transfer.ImportName {
		return c.commandArguments()
	}
	return slices.DeleteFunc(slices.Clone(v.Fields()), func(f verb.Field) bool { return !f.Arg })
}

// orMore is what an argument can be. Where one before it may be repeated, what was begun can be one more of these.
func (c *completer) orMore(fields []verb.Field, at int) []candidate {
	out := c.others(c.field(fields[at]))
	if c.word != "" && at > 0 && fields[at-1].Many {
		out = append(out, c.others(c.field(fields[at-1]))...)
	}
	return out
}

// others are candidates that are not on the line already.
func (c *completer) others(all []candidate) []candidate {
	return slices.DeleteFunc(all, func(one candidate) bool { return slices.Contains(c.args, one.value) })
}

func words(values ...string) []candidate {
	out := make([]candidate, len(values))
	for i, value := range values {
		out[i].value = value
	}
	return out
}

// field is what a field of a verb can be.
func (c *completer) field(f verb.Field) []candidate {
	if k, ok := kind.Named(f.Names); ok {
		out := c.records(k)
		if f.AnyKind && c.word != "" {
			out = append(out, c.otherRecords()...)
		}
		return out
	}
	if find := sources()[f.From]; find != nil {
		return find(c)
	}
	var out []candidate
	for _, v := range f.Values {
		out = append(out, candidate{v.Text, v.About})
	}
	return out
}

// openStore opens the workspace that the line names, once. It returns nil if it cannot be opened.
func (c *completer) openStore() *store.Store {
	if c.store != nil {
		return c.store
	}
	dir := c.underHome(cmp.Or(c.given["C"], c.given["repo"], c.Getenv("CAIRN_REPO"), c.Dir)) // ~ as the shell would put it there, in time
	s, err := store.Open(c.abs(dir), c.stateDir())
	if err != nil {
		return nil
	}
	c.store = s
	return s
}
