// Package complete finds what can stand at the end of a line that a shell completes: commands and flags as they are
// declared, and values by the source that a field names. It reads the line as text, and the workspace; it runs and writes
// nothing.
package complete

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

// Candidate is a word that can stand at the end of a line, and a few words about it.
type Candidate struct{ Value, About string }

// Env is what completion takes from the program around it.
type Env struct {
	Root                *cli.Command
	Getenv              func(string) string
	Now                 func() time.Time
	Folder              func(path string) string // a folder as the line names it, absolute; that of the process for ""
	StateDir, ConfigDir string

	Shells, Clients []string       // that completion and setup take
	Topics          []Candidate    // of help
	Commands        []*cli.Command // that are no verbs

	// Declared is what a command takes that is no verb, or that takes something else than its verb: its fields, and the
	// verb whose result it prints. There are no fields for a command that is a verb.
	Declared func(path string) (fields []verb.Field, prints string)
}

// Most is how many candidates are offered at once.
const Most = 100

// Candidates are the words that can stand behind those before, in place of a word that was begun. It only reads the
// workspace: it runs no command, not even git, and writes nothing. What cannot be read has no candidates, since a shell
// shows no messages while it completes.
func Candidates(ctx context.Context, env Env, before []string, word string) []Candidate {
	l := &line{root: env.Root, given: map[string]string{}}
	c := &completer{&reader{Env: env, line: l, ctx: ctx, rows: map[*kind.Kind][]*kind.Row{}}}
	return c.candidates(before, word)
}

type completer struct{ *reader }

// line is what was typed before the word that is being typed.
type line struct {
	root    *cli.Command
	command *cli.Command      // that is being typed, once it is known
	noun    string            // that it stands below, or ""
	path    string            // how the command is typed in full: "trust signer add"
	args    []string          // its arguments
	given   map[string]string // flags, with their values
	word    string            // what was typed of the word, but for what every value begins with
}

// candidates are the words that can follow those before.
func (c *completer) candidates(before []string, word string) []Candidate {
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
		return namesOf(c.root.Commands)
	default:
		return c.argument()
	}
}

// read reads the words before the one that is being typed. It returns the flag whose value that is, or "", and whether
// it can be no flag. A word that stands where a command should and is none leaves the command as one that completes
// nothing.
func (l *line) read(before []string) (flag string, onlyArgs bool) {
	for _, w := range before {
		switch {
		case flag != "":
			l.given[flag], flag = w, ""
		case onlyArgs || !strings.HasPrefix(w, "-") || w == "-":
			l.readWord(w)
		case w == "--":
			onlyArgs = true
		default:
			name, value, hasValue := strings.Cut(strings.TrimLeft(w, "-"), "=")
			name = l.flagNamed(name)
			if l.takesValue(name) && !hasValue {
				flag = name
			} else {
				l.given[name] = value
			}
		}
	}
	return flag, onlyArgs
}

// readWord reads a word that is no flag: the command, one below it, or an argument.
func (l *line) readWord(w string) {
	around := l.command
	if around == nil {
		around = l.root
	}
	sub := around.Command(w)
	switch {
	case sub != nil && len(l.args) == 0:
		if l.command != nil && slices.Contains(catalogue.Nouns(), l.command.Name) {
			l.noun = l.command.Name
		}
		l.command, l.path = sub, strings.TrimSpace(l.path+" "+sub.Name)
	case l.command == nil:
		l.command = &cli.Command{} // which takes nothing
	default:
		l.args = append(l.args, w)
	}
}

func prefixed(prefix string, all []Candidate) []Candidate {
	for i := range all {
		all[i].Value = prefix + all[i].Value
	}
	return all
}

func (l *line) flags() []cli.Flag {
	if l.command == nil {
		return l.root.Flags
	}
	return slices.Concat(l.command.Flags, l.root.Flags)
}

// flagNamed is the long name of a flag that may have been typed as a letter.
func (l *line) flagNamed(name string) string {
	for _, f := range l.flags() {
		if slices.Contains(f.Names(), name) {
			return f.Names()[0]
		}
	}
	return name
}

func (l *line) takesValue(name string) bool {
	for _, f := range l.flags() {
		if _, isBool := f.(*cli.BoolFlag); slices.Contains(f.Names(), name) {
			return !isBool
		}
	}
	return false
}

func (l *line) flagNames() []Candidate {
	var out []Candidate
	for _, f := range l.flags() {
		if visible, ok := f.(cli.VisibleFlag); ok && !visible.IsVisible() {
			continue
		}
		about := ""
		if docs, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(docs.GetUsage(), "`", "")
		}
		out = append(out, Candidate{Dashed(f.Names()[0]), about})
	}
	return append(out, Candidate{"--help", "explain the command"})
}

func namesOf(commands []*cli.Command) []Candidate {
	var out []Candidate
	for _, sub := range commands {
		if !sub.Hidden {
			out = append(out, Candidate{sub.Name, sub.Usage})
		}
	}
	return out
}

// VerbOf is the verb of a command, as it is typed in full, below a noun or none.
func VerbOf(path, noun string) (verb.Verb, bool) {
	for _, v := range catalogue.All {
		if path == v.Command() || noun == "" && path == verb.CommandName(v.Name) {
			return v, true
		}
	}
	return verb.Verb{}, false
}

// fields are all that the command takes that is being typed, and results the types of what it prints.
func (c *completer) fields() (fields []verb.Field, results []reflect.Type) {
	if c.command == nil {
		return nil, nil
	}
	v, isVerb := VerbOf(c.path, c.noun)
	fields, prints := c.Declared(c.path)
	if !isVerb {
		v, _ = catalogue.Named(prints)
		return fields, v.Results()
	}
	return append(fields, v.Fields()...), v.Results()
}

// values are what a flag can be set to.
func (c *completer) values(flag string) []Candidate {
	fields, _ := c.fields()
	for _, f := range FlagFields(fields) {
		if f.Flag == flag {
			return c.field(f)
		}
	}
	switch flag { // of every command
	case "actor":
		return c.field(verb.Field{From: "actors-alone"})
	case "fields":
		return c.keys()
	}
	return nil
}

// FlagFields are the fields that have flags: those of an object stand for it.
func FlagFields(fields []verb.Field) []verb.Field {
	var out []verb.Field
	for _, f := range fields {
		if f.Type == verb.Object {
			out = append(out, FlagFields(f.Fields)...)
		} else if !f.Arg {
			out = append(out, f)
		}
	}
	return out
}

// argument is what can stand as the next argument of the command. Where one before it may be repeated, what was begun
// can be one more of these.
func (c *completer) argument() []Candidate {
	var out []Candidate
	if len(c.args) == 0 {
		out = namesOf(c.command.Commands)
	}
	fields, _ := c.fields()
	args := slices.DeleteFunc(slices.Clone(fields), func(f verb.Field) bool { return !f.Arg })
	if at := len(c.args); at < len(args) {
		out = append(out, c.others(c.field(args[at]))...)
		if c.word != "" && at > 0 && args[at-1].Many {
			out = append(out, c.others(c.field(args[at-1]))...)
		}
		return out
	}
	if at := slices.IndexFunc(args, func(f verb.Field) bool { return f.Many }); at >= 0 {
		return c.others(c.field(args[at]))
	}
	return out
}

// others are candidates that are not on the line already.
func (c *completer) others(all []Candidate) []Candidate {
	return slices.DeleteFunc(all, func(one Candidate) bool { return slices.Contains(c.args, one.Value) })
}

func words(values ...string) []Candidate {
	out := make([]Candidate, len(values))
	for i, value := range values {
		out[i].Value = value
	}
	return out
}

// field is what a field of a verb can be.
func (c *completer) field(f verb.Field) []Candidate {
	if k, ok := kind.Named(f.Names); ok {
		out := c.records(k, false)
		if f.AnyKind && c.word != "" {
			out = append(out, c.otherRecords()...)
		}
		return out
	}
	if find := sources()[f.From]; find != nil {
		return find(c)
	}
	var out []Candidate
	for _, v := range f.Values {
		out = append(out, Candidate{v.Text, v.About})
	}
	return out
}

// Dashed is a flag as it is typed: -C, --json.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
