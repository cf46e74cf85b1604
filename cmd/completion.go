package cmd

import (
	"cmp"
	"context"
	"embed"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/urfave/cli/v3"
)

//go:embed shells
var shellScripts embed.FS

// shells are the shells that have completion, each with the file extension of its script.
var shells = map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1", "pwsh": "ps1"}

// completionCommand is cairn completion.
type completionCommand struct{ *program }

func (p completionCommand) command() *cli.Command {
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
		Action: p.run,
	}
}

func (p completionCommand) run(ctx context.Context, c *cli.Command) error {
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
	p.printf("%s", screen.Painted(script)) // a script of ours, unchanged
	return nil
}

const (
	completionTime = time.Second // how long the shell is kept waiting
	maxAbout       = 60          // characters about one of them
)

// completeLine prints the candidates for the end of a line, one a line.
func (p completionCommand) completeLine(ctx context.Context, shell, line, breaks string) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	escape := '\\'
	if shells[shell] == "ps1" {
		escape = '`'
	}
	typed := complete.ReadLine(line, escape)
	words, ours := typed.AfterProgram()
	if !ours || typed.File {
		return
	}
	word := words[len(words)-1]
	for _, found := range complete.Fitting(complete.Candidates(ctx, p.completion(), words[:len(words)-1], word), word) {
		about := clip(harmless.Line(found.About), maxAbout)
		switch {
		case shell == "bash":
			kept := 0
			if !typed.Open { // within quotes bash replaces the whole word
				kept = complete.BrokenAt(word, breaks)
			}
			if kept > 0 && !strings.HasPrefix(found.Value, word) {
				continue
			}
			if value, ok := complete.ForBash(found.Value[kept:], typed.Open); ok {
				p.printf("%s\n", value)
			}
		case about == "":
			p.printf("%s\n", found.Value)
		default:
			p.printf("%s\t%s\n", found.Value, about)
		}
	}
}

// clip shortens text to a number of characters.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// completion is what completion takes from this program.
func (p *program) completion() complete.Env {
	return complete.Env{
		Root: p.root(), Getenv: p.Getenv, Now: p.Now, StateDir: p.stateDir(), ConfigDir: p.configDir(),
		Folder:   func(path string) string { return p.abs(p.underHome(cmp.Or(path, p.Dir))) }, // ~ as the shell would put it there, in time
		Shells:   slices.Sorted(maps.Keys(shells)),
		Places:   places,
		Clients:  append(clientNames(), mergeDriver),
		Topics:   append(helpTopics(), complete.Candidate{Value: topicsWord, About: "The list of the topics"}),
		Commands: otherCommands(),
	}
}
