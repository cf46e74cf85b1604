package cmd

import (
	"context"
	"embed"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
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
	maxCandidates  = 100         // that are offered at once
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
	typed := readLine(line, escape)
	words, ours := typed.afterProgram()
	if !ours || typed.file {
		return
	}
	c := &completer{program: p.program, ctx: ctx, root: p.root(), given: map[string]string{}}
	word := words[len(words)-1]
	for _, found := range fitting(c.candidates(words[:len(words)-1], word), word) {
		about := clip(harmless.Line(found.about), maxAbout)
		switch {
		case shell == "bash":
			kept := 0
			if !typed.open { // within quotes bash replaces the whole word
				kept = brokenAt(word, breaks)
			}
			if kept > 0 && !strings.HasPrefix(found.value, word) {
				continue
			}
			if value, ok := forBash(found.value[kept:], typed.open); ok {
				p.printf("%s\n", value)
			}
		case about == "":
			p.printf("%s\n", found.value)
		default:
			p.printf("%s\t%s\n", found.value, about)
		}
	}
}

// fitting are the candidates that begin with the word; if there are none, the one that contains it, if there is only
// one. Values with characters that are not shown as they are, are left out.
func fitting(all []candidate, word string) []candidate {
	var begins, contains []candidate
	for _, one := range all {
		switch {
		case one.value == "" || harmless.Line(one.value) != one.value:
		case strings.HasPrefix(one.value, word):
			begins = append(begins, one)
		case strings.Contains(strings.ToLower(one.value), strings.ToLower(word)):
			contains = append(contains, one)
		}
	}
	if len(begins) == 0 && len(contains) == 1 {
		return contains
	}
	return begins[:min(len(begins), maxCandidates)]
}

// brokenAt is how many bytes of the word bash keeps. It replaces only what follows the last of the characters that
// break words.
func brokenAt(word, breaks string) int {
	for _, quote := range " \t\n\"'><=;|&(:" {
		if !strings.ContainsRune("=:", quote) {
			breaks = strings.ReplaceAll(breaks, string(quote), "")
		}
	}
	return strings.LastIndexAny(word, breaks) + 1
}

// forBash quotes a value for bash. Inside quotes it returns false for everything but plain text.
func forBash(value string, open bool) (string, bool) {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+,@%"
	if open {
		return value, strings.Trim(value, plain+" <>~()") == ""
	}
	var b strings.Builder
	for _, r := range value {
		if r < 0x80 && !strings.ContainsRune(plain, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// clip shortens text to a number of characters.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// typedLine is a command line up to the cursor, as text that is not evaluated.
type typedLine struct {
	words []string // of the command at the cursor, without quotes; the last is being typed and may be ""
	open  bool     // the last word is inside quotes
	file  bool     // the last word is the file of a redirection
}

// readLine splits a line into words as shells do, and keeps those of the command at the cursor. It removes quotes,
// escapes and redirections. Variables, substitutions and patterns stay as they were typed.
func readLine(line string, escape rune) typedLine {
	var t typedLine
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	end := func() {
		if begun && !t.file {
			t.words = append(t.words, word.String())
		}
		if begun {
			t.file = false
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == escape && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case strings.ContainsRune(" \t\r", r):
			end()
		case strings.ContainsRune(";|&\n", r):
			end()
			t.words, t.file = nil, false
		case r == '<' || r == '>':
			if strings.Trim(word.String(), "0123456789") != "" {
				end()
			}
			word.Reset()
			begun, t.file = false, true
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	t.words = append(t.words, word.String())
	t.open = quote != 0
	return t
}

// afterProgram are the words after the program's name. It returns false if the command is not cairn or its name is
// being typed.
func (t typedLine) afterProgram() ([]string, bool) {
	for i, word := range t.words[:len(t.words)-1] {
		name := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
		if name == "cairn" {
			return t.words[i+1:], true
		}
	}
	return nil, false
}
