package cmd

import (
	"context"

	"github.com/urfave/cli/v3"
)

func (p *program) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "Explain a command, or exit-codes.",
		ArgsUsage: "[COMMAND | exit-codes]",
		Category:  "workspace",
		Action:    p.runHelp,
	}
}

func (p *program) runHelp(ctx context.Context, c *cli.Command) error {
	root := c.Root()
	topic := c.Args().First()
	switch {
	case topic == "":
		return cli.ShowRootCommandHelp(root)
	case topic == "exit-codes":
		p.printf("%s\ncairn help check tells of the numbers of check.\n", lines(exitCodes()))
		return nil
	case root.Command(topic) == nil:
		return usage("there is no command or topic %q", topic).WithHint("cairn help lists the commands; cairn help exit-codes the numbers")
	default:
		return cli.ShowCommandHelp(ctx, root, topic)
	}
}
