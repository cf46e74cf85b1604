package cmd

import (
	"context"
	"runtime/debug"

	"github.com/cairn-tasks/cairn/store/record"
	"github.com/urfave/cli/v3"
)

// helpCommand is cairn help.
type helpCommand struct{ *program }

func (p helpCommand) command() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "Explain a command, or exit-codes.",
		ArgsUsage: "[COMMAND | exit-codes]",
		Category:  "workspace",
		Action:    p.run,
	}
}

func (p helpCommand) run(ctx context.Context, c *cli.Command) error {
	root := c.Root()
	topic := c.Args().First()
	switch {
	case topic == "":
		return cli.ShowRootCommandHelp(root)
	case topic == "exit-codes":
		p.printf("%s\ncairn help check explains the numbers of check.\n", lines(exitCodes()))
		return nil
	case root.Command(topic) == nil:
		return usage("there is no command or topic %q", topic).WithHint("cairn help lists the commands; cairn help exit-codes the numbers")
	case c.Args().Get(1) != "":
		around, sub := root.Command(topic), c.Args().Get(1)
		if around.Command(sub) == nil {
			return usage("there is no command %q", topic+" "+sub).WithHint("cairn help %s", topic)
		}
		return cli.ShowCommandHelp(ctx, around, sub)
	default:
		return cli.ShowCommandHelp(ctx, root, topic)
	}
}

// Version is the module's version, as the Go toolchain stamped it: a tag, or "(devel)" for a build from a work tree.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versionResult is what version prints. Schema is the version of all JSON output: under one number fields are only added.
type versionResult struct {
	Version string `json:"version"`
	Schema  int    `json:"schema"`
	Format  int    `json:"format"`
}

// versionCommand is cairn version.
type versionCommand struct{ *program }

func (p versionCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "version",
		Usage:    "Print the version.",
		Category: "workspace",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if p.json {
				p.printJSON(versionResult{Version(), 1, record.Format})
				return nil
			}
			p.printf("cairn %s\n", Version())
			return nil
		},
	}
}
