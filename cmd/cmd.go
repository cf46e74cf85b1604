package cmd

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
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

	// Terminal opens the terminal that the process is controlled from, whatever its streams are, to ask the person there. It
	// is an error if there is none; nil is a world without terminals.
	Terminal func() (io.ReadWriteCloser, error)
}

// Main runs the command line and returns the exit number. It never exits the process.
func Main(ctx context.Context, env Env) int {
	p := &program{Env: env, out: &output{to: env.Stdout}, json: slices.Contains(env.Args, "--json")}
	exit := p.report(ctx, p.run(ctx))
	if p.out.err != nil && exit == 0 {
		fprintf(p.Stderr, "cairn: standard output: %v\n", p.out.err)
		exit = exitFailure
	}
	return exit
}

// run turns a panic, which is a defect of ours, into an error: no stack reaches a user.
func (p *program) run(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = task.Errorf(task.IO, "internal error: %v", r).WithHint("report it, with the command that you ran")
		}
	}()
	root := p.root()
	return root.Run(ctx, append([]string{root.Name}, p.Args...))
}

// program is one run of the command line.
type program struct {
	Env
	out  *output
	json bool // asked for anywhere on the line, so that errors about the line are JSON too
	exit int  // of a command that did its work and still does not exit with 0

	failing int // what errors of the command exit with; 0 for the number of their code
}

func (p *program) root() *cli.Command {
	root := &cli.Command{
		Name:                      "cairn",
		Usage:                     "keep a task graph in Markdown files beside the code",
		Reader:                    p.Stdin,
		Writer:                    p.out,
		ErrWriter:                 p.Stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work as if started in `DIR`"},
			&cli.StringFlag{Name: "repo", Usage: "the same, for scripts; CAIRN_REPO sets it too"},
			&cli.StringFlag{Name: "actor", Usage: "act as `KIND:NAME`; CAIRN_ACTOR sets it too; else agent: and its name in a coding agent's shell, else human: and git's user.name"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON, errors included"},
		},
		Action:   p.noCommand,
		Commands: p.commands(),
	}
	for _, c := range append(root.Commands, root) {
		p.strict(c)
	}
	return root
}

// strict replaces what urfave/cli says and does about misuse: no usage text on stdout, no exits of its own.
func (p *program) strict(c *cli.Command) {
	name := c.Name
	c.DisableSliceFlagSeparator = true
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		if c == c.Root() {
			if unknown := p.unknownCommand(c); unknown != nil {
				return unknown
			}
			return misuse(c, err)
		}
		e := misuse(c, err)
		return named(e, name)
	}
	if action := c.Action; action != nil {
		c.Action = func(ctx context.Context, cmd *cli.Command) error {
			p.json = cmd.Bool("json")
			if cmd.Root() == cmd {
				return action(ctx, cmd)
			}
			return named(action(ctx, cmd), name)
		}
	}
	for _, sub := range c.Commands {
		p.strict(sub)
	}
}

const undefinedFlag = "flag provided but not defined: -"

// misuse says what is wrong with the flags of a command. A flag that there is not gets the nearest that there is.
func misuse(c *cli.Command, err error) *task.Error {
	help := strings.TrimSpace("cairn help " + strings.TrimPrefix(c.Name, "cairn"))
	flag, unknown := strings.CutPrefix(err.Error(), undefinedFlag)
	if !unknown {
		return usage("%v", err).WithHint("%s", help)
	}
	var names []string
	for _, f := range append(c.Root().Flags, c.Flags...) {
		names = append(names, f.Names()...)
	}
	typed := dashed(strings.TrimPrefix(flag, "-"))
	e := usage("there is no flag %s", typed)
	if typed == "--version" || typed == "-v" {
		return e.WithHint("cairn version")
	}
	if near := verb.Nearest(flag, names); near != "" {
		return e.WithHint("did you mean %s? %s lists the flags", dashed(near), help)
	}
	return e.WithHint("%s lists the flags; text that begins with a dash goes behind --", help)
}

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (p *program) commands() []*cli.Command {
	out := []*cli.Command{p.initCommand(), p.readyCommand()}
	for _, v := range catalogue.All {
		out = append(out, p.verbCommand(v))
	}
	return append(out, p.checkCommand(), p.doctorCommand(), p.trustCommand(), p.setupCommand(), p.mergeDriverCommand(), p.serveCommand(), p.completionCommand(), p.versionCommand(), p.helpCommand())
}

// noCommand is cairn alone, or with a word that is no command.
func (p *program) noCommand(_ context.Context, c *cli.Command) error {
	if c.Args().Len() == 0 {
		return cli.ShowRootCommandHelp(c)
	}
	return noSuchCommand(c, c.Args().First())
}

// unknownCommand finds a word that stands where a command should, before anything else that is wrong with the line.
func (p *program) unknownCommand(root *cli.Command) *task.Error {
	for i := 0; i < len(p.Args); i++ {
		word := p.Args[i]
		if !strings.HasPrefix(word, "-") {
			if root.Command(word) == nil {
				return noSuchCommand(root, word)
			}
			return nil
		}
		name, _, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		at := slices.IndexFunc(root.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if at < 0 {
			return nil
		}
		if _, isBool := root.Flags[at].(*cli.BoolFlag); !isBool && !given {
			i++
		}
	}
	return nil
}

func noSuchCommand(c *cli.Command, word string) *task.Error {
	var names []string
	for _, sub := range c.Commands {
		names = append(names, sub.Names()...)
	}
	e := usage("there is no command %q", word)
	if near := verb.Nearest(word, names); near != "" {
		return e.WithHint("did you mean cairn %s? cairn help lists the commands", near)
	}
	return e.WithHint("cairn help lists the commands")
}

// workspace is what the flags and the environment say about where and as whom to act. On the command line the actor has
// every right: whoever can run it can edit the files as well.
func (p *program) workspace(ctx context.Context, c *cli.Command) (*verb.Workspace, error) {
	dir, err := p.dir(c)
	if err != nil {
		return nil, err
	}
	actor, err := p.actor(ctx, c, dir)
	if err != nil {
		return nil, err
	}
	return &verb.Workspace{
		Dir: dir, StateDir: p.stateDir(), Actor: actor, Version: Version(),
		Rights: verb.Rights{Profile: verb.Maintainer}, Now: p.Now, Rand: p.Rand, Confirm: p.confirm,
	}, nil
}

// open is workspace, and what is kept there.
func (p *program) open(ctx context.Context, c *cli.Command) (*verb.Workspace, *store.Store, error) {
	w, err := p.workspace(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	s, err := w.Open()
	return w, s, err
}

// dir is the folder to work in: -C, --repo, CAIRN_REPO, or the working directory.
func (p *program) dir(c *cli.Command) (string, error) {
	for _, dir := range []string{c.String("C"), c.String("repo"), p.Getenv("CAIRN_REPO")} {
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Dir, dir)
		}
		return dir, isFolder(dir)
	}
	return p.Dir, nil
}

// layout finds the workspace for what needs no config that can be read.
func (p *program) layout(c *cli.Command) (store.Layout, error) {
	dir, err := p.dir(c)
	if err != nil {
		return store.Layout{}, err
	}
	return store.Find(dir)
}

// actor is who acts: --actor, CAIRN_ACTOR, the agent whose shell it is, or the person that git knows.
func (p *program) actor(ctx context.Context, c *cli.Command, dir string) (task.Actor, error) {
	for _, actor := range []string{c.Root().String("actor"), p.Getenv("CAIRN_ACTOR")} {
		if actor != "" {
			return task.ParseActor(actor)
		}
	}
	if agent := shellAgent(p.Getenv); agent != "" {
		return agent, nil
	}
	return humanActor(store.UserName(ctx, dir), p.Getenv("USER"), p.Getenv("USERNAME")), nil
}
