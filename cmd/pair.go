package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/urfave/cli/v3"
)

// pairCommand is cairn pair ID: it opens a pair as cairn pair open does, and starts the agent where the person is.
type pairCommand struct{ *program }

// places are where a pair can be started, beside this terminal.
var places = []string{"shell", "tmux", "code", "cursor"}

// complete makes the command of the noun, which has commands below it, one that takes a task.
func (p pairCommand) complete(c *cli.Command) {
	c.ArgsUsage = "ID | COMMAND"
	c.Flags = []cli.Flag{
		&cli.StringFlag{Name: "in", Local: true, Usage: "start it in a `PLACE`: shell (a shell in the work tree), tmux, code or cursor; by default the agent in this terminal"},
		&cli.StringFlag{Name: "executor", Local: true, Usage: "the program of the agent, such as claude; the workspace's config may name the usual one"},
	}
	below := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Len() != 1 || !strings.ContainsAny(c.Args().First(), "-0123456789") {
			return below(ctx, c)
		}
		return p.run(ctx, c)
	}
}

func (p pairCommand) run(ctx context.Context, c *cli.Command) error {
	if in := c.String("in"); c.IsSet("in") && !slices.Contains(places, in) {
		return usage("--in is %q", in).WithHint("shell, tmux, code or cursor; without it the agent starts in this terminal")
	}
	if p.json {
		return usage("starts a program, which prints what it likes").WithHint("cairn pair open ID --json says how it is started")
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	id, err := completeID(ctx, w, verb.Field{Names: record.TaskKind}, c.Args().First())
	if err != nil {
		return err
	}
	open, _ := catalogue.Named("pair_open")
	in, err := json.Marshal(map[string]string{"id": id, "executor": c.String("executor")})
	if err != nil {
		return err
	}
	out, err := open.Call(ctx, w, in)
	if err != nil {
		return err
	}
	pair := out.(pairs.Pair)
	err = p.start(pair, c.String("in"))
	p.printf("%s is open on %s, in %s\ncairn pair close %s ends it; with --summary TEXT it is handed over for review\n", pair.Session, pair.Task, pair.Root, pair.Task)
	return err
}

// start starts what the person asked for, and waits for its end.
func (p pairCommand) start(pair pairs.Pair, in string) error {
	argv := p.argv(pair, in)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return record.Errorf(record.ExecutorMissing, "%s is not on this machine", argv[0]).WithHint("install it, or choose another place with --in; cairn pair open %s says what is to be started", pair.Task)
	}
	command := exec.Command(path, argv[1:]...)
	command.Dir = pair.Root
	command.Stdin, command.Stdout, command.Stderr = p.Stdin, p.Stdout, p.Stderr
	command.Env = append(slices.DeleteFunc(os.Environ(), ofAnother), append(pair.Variables(), "PWD="+pair.Root)...)
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return record.Errorf(record.IO, "%s: %w", argv[0], err)
	}
	return nil // how a shell ends says nothing about the pair
}

// ofAnother reports whether a variable tells of a session or a repository in which this program runs itself.
func ofAnother(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains(notInherited, name) || slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "PWD", "OLDPWD"}, name)
}

// argv is the program to start with its arguments.
func (p pairCommand) argv(pair pairs.Pair, in string) []string {
	agent := pair.Argv()
	if len(agent) == 0 || in == "shell" {
		agent = []string{p.shell()}
	}
	switch in {
	case "tmux":
		argv := []string{"tmux", "new-session", "-A", "-s", "cairn-" + strings.NewReplacer(".", "-", ":", "-").Replace(string(pair.Task)), "-c", pair.Root}
		for _, v := range pair.Variables() {
			argv = append(argv, "-e", v)
		}
		return append(argv, agent...)
	case "code", "cursor":
		return []string{in, pair.Root}
	default:
		return agent
	}
}

// shell is the shell of the person.
func (p pairCommand) shell() string {
	if runtime.GOOS == "windows" {
		return cmp.Or(p.Getenv("COMSPEC"), "cmd.exe")
	}
	return cmp.Or(p.Getenv("SHELL"), "sh")
}
