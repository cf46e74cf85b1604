package cmd

import (
	"context"
	"embed"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

//go:embed shells
var shellScripts embed.FS

// shells are the shells that lines are completed in, each with the ending of its script.
var shells = map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1", "pwsh": "ps1"}

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "Print a completion script for a shell, or what can stand at the end of a line.",
		ArgsUsage: "bash|zsh|fish|powershell",
		Category:  "workspace",
		Description: "To install it, in bash put this into ~/.bashrc:\n\n" +
			"    source <(cairn completion bash)\n\n" +
			"in zsh, before compinit runs:\n\n" +
			"    cairn completion zsh > \"${fpath[1]}/_cairn\"\n\n" +
			"in fish:\n\n" +
			"    cairn completion fish > ~/.config/fish/completions/cairn.fish\n\n" +
			"in PowerShell put this into the file that $PROFILE names:\n\n" +
			"    cairn completion powershell | Out-String | Invoke-Expression\n\n" +
			"The scripts evaluate nothing: they hand the line to cairn with --line, which reads it as text, runs and writes nothing,\n" +
			"and prints a candidate on each line, with a tab and a few words about it where the shell shows them.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "line", Local: true, Usage: "print what can stand at the end of the command line `TEXT`, up to the cursor"},
			&cli.StringFlag{Name: "breaks", Local: true, Usage: "the shell replaces only what follows the last of `CHARACTERS` in the last word"},
		},
		Action: p.runCompletion,
	}
}

func (p *program) runCompletion(ctx context.Context, c *cli.Command) error {
	shell := c.Args().First()
	ending, known := shells[shell]
	if c.Args().Len() != 1 || !known {
		return usage("needs the name of a shell").WithHint("one of %s", strings.Join(slices.Sorted(maps.Keys(shells)), ", "))
	}
	if c.IsSet("line") {
		p.completeLine(ctx, shell, c.String("line"), c.String("breaks"))
		return nil
	}
	script, err := shellScripts.ReadFile("shells/cairn." + ending)
	if err != nil {
		return err
	}
	p.printf("%s", painted(script)) // ours, and to be run as it is
	return nil
}
