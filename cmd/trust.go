package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// trustResult is what trust decided, and about what.
type trustResult struct {
	Workspace string          `json:"workspace"`
	Trusted   bool            `json:"trusted"`
	Commands  []store.Command `json:"commands"`
}

func (p *program) trustCommand() *cli.Command {
	return &cli.Command{
		Name:     "trust",
		Usage:    "Let the commands of this clone's checks run on this machine; lists them and asks first.",
		Category: "workspace",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "do not ask; for a person who has read them"},
			&cli.BoolFlag{Name: "revoke", Local: true, Usage: "take the consent back"},
		},
		Action: p.runTrust,
	}
}

func (p *program) runTrust(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	s, err := w.Open()
	if err != nil {
		return err
	}
	if c.Bool("revoke") {
		return p.showTrust(trustResult{Workspace: s.Root, Commands: []store.Command{}}, s.Revoke())
	}
	commands, err := s.Commands(ctx)
	if err != nil {
		return err
	}
	if !s.Trusted() {
		if err := p.consent(ctx, w.Actor, commands, c.Bool("yes")); err != nil {
			return err
		}
		err = s.SetTrust(w.Actor, p.Now())
	}
	return p.showTrust(trustResult{s.Root, true, commands}, err)
}

// consent asks the person at the terminal. Only a person may say yes.
func (p *program) consent(ctx context.Context, actor task.Actor, commands []store.Command, yes bool) error {
	if !actor.Human() {
		return task.Errorf(task.Forbidden, "%s cannot approve commands", actor).WithHint("a person runs cairn trust")
	}
	if yes {
		return nil
	}
	if _, ok := isTerminal(p.Stdin); !ok {
		return task.Errorf(task.Untrusted, "there is no terminal to ask on, and %d commands to approve", len(commands)).
			WithHint("run cairn trust in a terminal; or, having read the commands, cairn trust --yes")
	}
	p.printf("These commands would run on this machine when tasks are checked:\n")
	for _, cmd := range commands {
		p.printf("  %s: %s\n", cmd.Where, cmd.Cmd)
	}
	ok, err := p.ask(ctx, "Approve this clone, whatever commands its files hold later?")
	if err == nil && !ok {
		return task.Errorf(task.Untrusted, "not approved").WithHint("nothing was changed")
	}
	return err
}

// ask puts a question to the person at the terminal. Only yes means yes.
func (p *program) ask(ctx context.Context, question string) (bool, error) {
	p.printf("%s [y/N] ", question)
	answer, err := interruptible(ctx, func() (string, error) { return bufio.NewReader(p.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return false, task.Errorf(task.IO, "the terminal: %w", err)
	}
	a := strings.ToLower(strings.TrimSpace(answer))
	return a == "y" || a == "yes", nil
}

func (p *program) showTrust(r trustResult, err error) error {
	switch {
	case err != nil:
		return err
	case p.json:
		p.printJSON(r)
	case r.Trusted:
		p.printf("%s may run the commands of its checks on this machine\n", r.Workspace)
	default:
		p.printf("%s may no longer run commands on this machine\n", r.Workspace)
	}
	return nil
}
