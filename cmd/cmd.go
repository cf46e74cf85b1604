// Package cmd is the command line. It turns arguments and flags into the input of a verb, calls the verb, and prints
// the result.
//
// Each verb has a command of the same name, which is made from the verb's declaration (verbs.go, flags.go, input.go)
// and whose result is shown by its type (package render). Nothing here depends on which verbs there are, but for the
// hints about words that people guess. Commands that are no verbs, such as init and serve, are declared in the same way
// (command.go): a struct of what they take, and a function. A program is one run of the command line: its environment,
// its output and its exit number. Tests call Main with an Env of their own, so they choose the clock, the folder and the
// streams.
package cmd

import (
	"cmp"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/form"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// Env is everything that the program takes from the process around it.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Dir    string // working directory
	Now    func() time.Time
	Rand   io.Reader

	// Terminal opens the controlling terminal of the process, even if the streams are redirected, to ask the person there.
	// It returns an error if there is none. A nil Terminal means the same.
	Terminal func() (io.ReadWriteCloser, error)

	// Above looks at the processes that this one descends from. A nil Above means that nothing is known of them.
	Above func() proc.Above
}

// Main runs the command line and returns the exit number. It does not exit the process.
func Main(ctx context.Context, env Env) int {
	p := &program{Env: env, out: &output{to: env.Stdout}, json: slices.Contains(env.Args, "--json")}
	p.meter = p.newMeter()
	p.out.meter = p.meter
	defer p.meter.Until(ctx)()
	warnings, err := p.committing(ctx, func(ctx context.Context) error {
		return p.runLine(progress.With(ctx, p.meter.Reports(p.Stderr)))
	})
	p.meter.Stop()
	for _, line := range record.Unique(slices.Concat(p.uncommitted, warnings)) {
		screen.Fprintf(p.Stderr, "cairn: %s\n", line)
	}
	exit := p.report(ctx, err)
	if p.out.err != nil && exit == 0 {
		screen.Fprintf(p.Stderr, "cairn: standard output: %v\n", p.out.err)
		exit = exitFailure
	}
	return exit
}

// committing calls a function, and commits what that wrote where the config says so. The warnings are for people.
func (p *program) committing(ctx context.Context, fn func(context.Context) error) (warnings []string, err error) {
	noting, writes := store.NoteWrites(ctx)
	err = fn(noting)
	return work.Autocommit(ctx, writes, p.stateDir(), p.Now), err
}

// newMeter is the meter of the program: nil unless standard error is a terminal that can erase a line, and the output is
// for a person.
func (p *program) newMeter() *terminal.Meter {
	if p.json || p.Getenv("TERM") == "dumb" {
		return nil
	}
	return terminal.NewMeter(p.Stderr)
}

// program is one run of the command line: where it reads, where it prints, and what it will exit with.
type program struct {
	Env
	out   *output
	meter *terminal.Meter // shows that work goes on; nil where no person watches
	json  bool            // print JSON; set before the line is parsed, so that errors about the line are JSON too
	form  *form.Form      // in which results are printed; nil for the usual
	soft  bool            // exit with 0 after what may go away by itself
	exit  int             // of a command that did its work

	failing int // the exit number of every error; 0 for the numbers of their codes

	uncommitted []string // why writes were not committed, for people
}

// runLine runs the command that the line names. It returns a panic as an error, so that no stack trace reaches a user.
func (p *program) runLine(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = record.Errorf(record.IO, "internal error: %v", r).WithHint("report it, with the command that you ran")
		}
	}()
	root := p.rootOf(p.commandsOfLine())
	err = root.Run(ctx, append([]string{root.Name}, p.Args...))
	if err == nil {
		return nil
	}
	if word, ok := strings.CutPrefix(err.Error(), "No help topic for '"); ok { // --help of what is no command
		around := root
		if first, ok := p.commandWord(root.Flags); ok {
			around = cmp.Or(root.Command(first), root)
		}
		return noSuchCommand(around, strings.TrimSuffix(word, "'"))
	}
	return err
}

func (p *program) root() *cli.Command { return p.rootOf(made(p.declared())) }

// helpColumns is how wide help is where no terminal says so.
const helpColumns = 80

func (p *program) rootOf(commands []*cli.Command) *cli.Command {
	root := &cli.Command{
		Name:                      "cairn",
		Usage:                     "keep a task graph in Markdown files beside the code",
		Reader:                    p.Stdin,
		Writer:                    &screen.Wrapping{To: p.out, Width: cmp.Or(p.width(), helpColumns)},
		ErrWriter:                 p.Stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		Flags:                     rootFlags(),
		Action:                    p.noCommand,
		Commands:                  commands,
	}
	p.strict(root, "")
	if len(commands) > 1 {
		root.CustomRootCommandHelpTemplate = strings.ReplaceAll(rootHelp(root, false), "{{", `{{"{{"}}`)
	}
	return root
}

func rootFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "C", Usage: "work as if started in `DIR`"},
		&cli.StringFlag{Name: "repo", Usage: "the same, for scripts; CAIRN_REPO sets it too"},
		&cli.StringFlag{Name: "actor", Usage: "act as `KIND:NAME`; CAIRN_ACTOR sets it too; else agent: and its name in a coding agent's shell, else human: and git's user.name"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON, errors included"},
		&cli.BoolFlag{Name: "soft-fail", Usage: "exit with 0 after a failure that may go away by itself, and say so"},
		&cli.BoolFlag{Name: "verbose", Usage: "on a terminal: show what checks print while they run"},
		&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Local: true, Usage: "print the version"},
		&cli.BoolFlag{Name: "fresh", Usage: "read every file, and use nothing that was kept of an earlier look"},
	}
}

// strict makes misuse of a command, and of those below it, an error of ours, which says the name. By default urfave/cli
// prints the usage text and exits.
func (p *program) strict(c *cli.Command, name string) {
	for _, sub := range c.Commands {
		p.strict(sub, strings.TrimSpace(name+" "+sub.Name))
	}
	c.DisableSliceFlagSeparator = true
	shownAs(c.Flags)
	if c.Commands == nil { // --help behind an argument, which the library would take for a command below
		c.CommandNotFound = func(ctx context.Context, c *cli.Command, _ string) {
			_ = cli.ShowCommandHelp(ctx, c.Lineage()[1], c.Name) // it is there
		}
	}
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		if c == c.Root() { // a wrong command comes before any other mistake, since the flags depend on it
			if word, ok := p.commandWord(c.Flags); ok && c.Command(word) == nil {
				return noSuchCommand(c, word)
			}
			return misuse(c, "", err)
		}
		typed := p.commandTyped(name)
		return named(misuse(c, typed, err), typed)
	}
	if action := c.Action; action != nil {
		c.Action = func(ctx context.Context, cmd *cli.Command) error {
			p.json, p.soft = cmd.Bool("json") || p.json && len(cmd.Commands) > 0, cmd.Bool("soft-fail") // behind a word that is no command nothing is parsed
			if cmd.Root() == cmd {
				return action(ctx, cmd)
			}
			if err := p.readForm(cmd); err != nil {
				return named(err, name)
			}
			return named(action(ctx, cmd), name)
		}
	}
}

const undefinedFlag = "flag provided but not defined: -"

// misuse is the error for wrong flags of a command, by its name; "" is the program itself. For an unknown flag the hint
// names the nearest known one.
func misuse(c *cli.Command, name string, err error) *record.Error {
	help := strings.TrimSpace("cairn help " + name)
	flag, unknown := strings.CutPrefix(err.Error(), undefinedFlag)
	if !unknown {
		return wrongValue(err).WithHint("%s", help)
	}
	var names []string
	for _, f := range append(c.Root().Flags, c.Flags...) {
		names = append(names, f.Names()...)
	}
	typed := complete.Dashed(strings.TrimPrefix(flag, "-"))
	e := usage("there is no flag %s", typed)
	if typed == "-v" && name == "" || typed == "--version" || typed == "-V" {
		return e.WithHint("cairn --version, or cairn version")
	}
	word, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	if guess := guessFlag(name, word); guess != "" {
		return e.WithHint("%s; %s lists the flags", guess, help)
	}
	near := verb.Nearest(flag, names)
	switch {
	case slices.Contains(names, "add-"+flag):
		near = "add-" + flag
	case flag == "mine" && slices.Contains(names, "assignee"):
		near = "assignee me"
	}
	if near != "" {
		return e.WithHint("did you mean %s? %s lists the flags", complete.Dashed(near), help)
	}
	if slices.Contains(names, "set") && task.ValidFieldName(word) == nil {
		return e.WithHint("--set %s=VALUE, if the config declares such a field; %s lists the flags", word, help)
	}
	return e.WithHint("%s lists the flags; text that begins with a dash goes behind --", help)
}

// wrongValue is the error for a flag that was given what it cannot be, such as a word for true or false.
func wrongValue(err error) *record.Error {
	m := regexp.MustCompile(`(?s)^invalid value "(.*)" for flag -(\S+): (.*)$`).FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return usage("%s", err.Error())
	case strings.Contains(m[3], "ParseBool"):
		return usage("%s is %q, and true or false is wanted", complete.Dashed(m[2]), m[1])
	default:
		return usage("%s is %q: %s", complete.Dashed(m[2]), m[1], m[3])
	}
}

func made(all []factory) []*cli.Command {
	return record.Each(all, func(c factory) *cli.Command { return c.make() })
}

// commandsOfLine are the commands that the line needs: the one that it names, or all of them if it asks for help or
// names none. Together they have hundreds of flags, which would be made and linked at each start.
func (p *program) commandsOfLine() []*cli.Command {
	all := p.declared()
	word, ok := p.commandWord(rootFlags())
	at := slices.IndexFunc(all, func(c factory) bool { return slices.Contains(c.names, word) })
	if !ok || at < 0 || word == "help" || word == "man" {
		return made(all)
	}
	return made(all[at : at+1])
}

// factory makes a command once it is needed; names are all that it answers to.
type factory struct {
	names []string
	make  func() *cli.Command
}

// declared are all commands, in the order in which help lists them within a heading.
func (p *program) declared() []factory {
	var out []factory
	for _, c := range commands() {
		if strings.Contains(c.name, " ") {
			continue
		}
		out = append(out, factory{[]string{c.name}, func() *cli.Command { return c.make(p) }})
		if c.name != beforeVerbs {
			continue
		}
		for _, v := range catalogue.All {
			c := verbCommand{program: p, verb: v}
			out = append(out, factory{append(c.aliases(), c.name()), c.command})
		}
		for _, noun := range catalogue.Nouns() {
			out = append(out, factory{[]string{noun}, nounCommand{p, noun}.command})
		}
	}
	return out
}

// noCommand runs if the line names no command of ours: without any word it prints the help.
func (p *program) noCommand(_ context.Context, c *cli.Command) error {
	if c.Bool("version") {
		p.show(built())
		return nil
	}
	if c.Args().Len() == 0 {
		return cli.ShowRootCommandHelp(c)
	}
	return noSuchCommand(c, c.Args().First())
}

// commandWord is the word of the line that stands where a command should. It returns false if there is none, or a flag
// before it that is not among those given.
func (p Env) commandWord(flags []cli.Flag) (string, bool) {
	for i := 0; i < len(p.Args); i++ {
		word := p.Args[i]
		if !strings.HasPrefix(word, "-") {
			return word, true
		}
		name, _, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		at := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if at < 0 {
			return "", false
		}
		if _, isBool := flags[at].(*cli.BoolFlag); !isBool && !given {
			i++
		}
	}
	return "", false
}

func noSuchCommand(c *cli.Command, word string) *record.Error {
	var names []string
	for _, sub := range c.Commands {
		if !sub.Hidden { // those stand below a noun, under another name
			names = append(names, sub.Names()...)
		}
	}
	e := usage("there is no command %q", word)
	if noun, plural := strings.CutSuffix(word, "s"); plural && slices.Contains(catalogue.Nouns(), noun) {
		list := "cairn help " + noun + " lists the commands about it"
		if around := c.Command(noun); around != nil && around.Command("list") != nil {
			list = "cairn " + noun + " list"
		}
		return e.WithHint("%s; cairn help lists the commands", list)
	}
	if ours := guess("words", word); ours != "" {
		return e.WithHint("%s; cairn help lists the commands", ours)
	}
	if near := verb.Nearest(word, names); near != "" {
		return e.WithHint("did you mean cairn %s? cairn help lists the commands", near)
	}
	return e.WithHint("cairn help lists the commands")
}
