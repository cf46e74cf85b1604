package cmd

import (
	"context"
	"slices"

	"github.com/urfave/cli/v3"
)

var shells = []string{"bash", "zsh", "fish", "pwsh"}

// completion makes the command that urfave/cli has for completion scripts one of ours: listed, and clear about misuse.
func (p *program) completion(c *cli.Command) {
	c.Hidden, c.Category = false, "workspace"
	c.Usage, c.ArgsUsage = "Print a completion script.", "bash|zsh|fish|pwsh"
	script := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Len() != 1 || !slices.Contains(shells, c.Args().First()) {
			return usage("needs the name of a shell").WithHint("one of bash, zsh, fish, pwsh")
		}
		return script(ctx, c)
	}
	p.strict(c)
}
