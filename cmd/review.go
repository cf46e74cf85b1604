package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/background"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/urfave/cli/v3"
)

type (
	reviewIn struct {
		ID string `json:"id" doc:"task under review" cli:"arg" from:"open-tasks"`
	}
	reviewTextIn struct {
		reviewIn
		Text string `json:"text,omitempty" doc:"what was looked at, or what a pull request says" cli:"arg"`
	}
	reviewReasonIn struct {
		reviewIn
		Text string `json:"text" doc:"why it is sent back" cli:"arg"`
	}
	reviewMergeIn struct {
		ID string `json:"id" doc:"task under review" cli:"arg,several" from:"open-tasks"`
	}
	reviewShowIn struct {
		reviewIn
		Diff bool `json:"diff,omitempty" doc:"show the whole diff instead"`
	}
)

// reviewCommands are the commands below cairn review that are no verbs: each action of the verb review_apply, as in
// cairn review approve ID, and cairn review show, the verb that reads a task, with its part about the review.
func reviewCommands() []command {
	return []command{
		reviewAction[reviewTextIn]("approve", "Approve the work on a task, as its branch has it.",
			"It counts for the files as they are; a later commit of code makes it stale. Where the task names a reviewer, only that one can.", "commit"),
		reviewAction[reviewReasonIn]("reject", "Send a task back to work, with the reason.",
			"Whoever goes on with the task is told the reason.", "restart"),
		reviewAction[reviewIn]("rebase", "Rebase the branch of a task onto its base.",
			"A conflict changes nothing; with --executor the task goes back to work, and a job settles it. It needs the profile maintainer.", "base", "executor"),
		reviewAction[reviewMergeIn]("merge", "Merge the branches of tasks, once each was tested as merged, and close the tasks.",
			"The merge is made and checked in a work tree that is thrown away; what is refused changes nothing, and stops no other. It needs the profile maintainer.", "text", "commit", "strategy", "base"),
		reviewAction[reviewTextIn]("pr", "Push the branch of a task, and open a pull request with gh or glab.",
			"It pushes to origin. cairn review sync asks later what became of it. It needs the profile maintainer.", "base"),
		declare(command{
			name: "review show", prints: "get",
			usage: "Show what there is to review of a task: what its branch changes, checks, approval, decisions, comments, the last job.",
		}, func(ctx context.Context, c *call, in reviewShowIn) error {
			more := map[string]any{"include": []string{"review"}}
			if in.Diff {
				more = map[string]any{"part": "diff"}
			}
			return c.review(ctx, verbCommand{verb: verbNamed("get")}, more)
		}),
	}
}

// reviewAction is the command of an action of review_apply. It takes some of the verb's fields beside its own.
func reviewAction[In any](action, usage, about string, fields ...string) command {
	return declare(command{
		name: "review " + action, usage: usage, about: about, signs: action == "approve",
		prints: "review_apply", takes: someFields("review_apply", append(fields, "idempotency_key")...),
	}, func(ctx context.Context, c *call, _ In) error {
		v := verbCommand{verb: verbNamed("review_apply"), as: "review " + action}
		if action == "merge" {
			v.sum = "merged"
		}
		return c.review(ctx, v, map[string]any{"action": action})
	})
}

func (c *call) review(ctx context.Context, v verbCommand, more map[string]any) error {
	w, err := c.workspace(ctx)
	if err == nil {
		err = c.giveSigner(ctx, w)
	}
	if err != nil {
		return err
	}
	return c.standFor(ctx, w, v, more)
}

// pairCommand is cairn pair ID: it opens a pair as cairn pair open does, and starts the agent where the person is.
type pairCommand struct{ *program }

type pairIn struct {
	ID       record.ID `json:"id" doc:"task to work on" cli:"arg" from:"open-tasks"`
	In       string    `json:"in,omitempty" doc:"start it in a PLACE: shell (a shell in the work tree), tmux, code or cursor; by default the agent in this terminal" cli:"value=PLACE" values:"shell,tmux,code,cursor"`
	Executor string    `json:"executor,omitempty" doc:"the program of the agent, such as claude; the workspace's config may name the usual one" from:"executors"`
}

// complete makes the command of the noun, which has commands below it, one that takes a task.
func (p pairCommand) complete(c *cli.Command) {
	c.ArgsUsage = "ID | COMMAND"
	own := declare(command{name: c.Name, args: c.ArgsUsage}, runPair).make(p.program)
	c.Flags = own.Flags
	ofNoun := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Len() != 1 || !strings.ContainsAny(c.Args().First(), "-0123456789") {
			return ofNoun(ctx, c)
		}
		return own.Action(ctx, c)
	}
}

func runPair(ctx context.Context, c *call, in pairIn) error {
	if places := []string{"shell", "tmux", "code", "cursor"}; c.line.IsSet("in") && !slices.Contains(places, in.In) {
		return usage("--in is %q", in.In).WithHint("shell, tmux, code or cursor; without it the agent starts in this terminal")
	}
	if c.json {
		return usage("starts a program, which prints what it likes").WithHint("cairn pair open ID --json says how it is started")
	}
	w, err := c.workspace(ctx)
	if err != nil {
		return err
	}
	pair, err := callVerb[pairs.Pair](ctx, w, "pair_open", map[string]any{"id": in.ID, "executor": in.Executor})
	if err != nil {
		return err
	}
	err = pairCommand{c.program}.start(pair, in.In)
	c.printf("%s is open on %s, in %s\ncairn pair close %s ends it; with --summary TEXT it is handed over for review\n", pair.Session, pair.Task, pair.Root, pair.Task)
	return err
}

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

// offerCommit asks a person at the terminal under which message that is committed which a closed pair left uncommitted,
// and closes it once more with that. Without one it stays as it is.
func (p verbCommand) offerCommit(ctx context.Context, w *verb.Workspace, in *input, closed pairs.Pair) (any, error) {
	p.printf("The work tree has changes that %s has not. Message of a commit of them (empty for none): ", closed.Branch)
	message, err := terminal.ReadLine(ctx, p.Stdin)
	if err != nil || message == "" {
		return closed, err
	}
	for _, done := range []string{"summary", "idempotency_key"} {
		delete(in.values, done)
	}
	in.values["commit"] = message
	return p.callOnce(ctx, w, in)
}

// ofAnother reports whether a variable tells of a session or a repository in which this program runs itself.
func ofAnother(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains(background.NotInherited, name) || slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "PWD", "OLDPWD"}, name)
}

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

func (p pairCommand) shell() string {
	if runtime.GOOS == "windows" {
		return cmp.Or(p.Getenv("COMSPEC"), "cmd.exe")
	}
	return cmp.Or(p.Getenv("SHELL"), "sh")
}
