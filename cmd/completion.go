package cmd

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/urfave/cli/v3"
)

//go:embed shells
var shellScripts embed.FS

// shells are the shells that have completion, each with the file extension of its script.
var shells = map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1", "pwsh": "ps1"}

type completionIn struct {
	Shell  string `json:"shell,omitempty" doc:"the shell" cli:"arg" from:"shells"`
	Line   string `json:"line,omitempty" doc:"print what can stand at the end of the command line TEXT, up to the cursor" cli:"value=TEXT"`
	Breaks string `json:"breaks,omitempty" doc:"the shell replaces only what follows the last of CHARACTERS in the last word" cli:"value=CHARACTERS"`
}

func completionCommands() []command {
	return []command{declare(command{
		name:  "completion",
		usage: "Print a completion script for a shell, or what can stand at the end of a line.",
		args:  "bash|zsh|fish|powershell",
		group: "workspace",
		about: "To install it, in bash put this into ~/.bashrc:\n\n" +
			"    source <(cairn completion bash)\n\n" +
			"in zsh, before compinit runs:\n\n" +
			"    cairn completion zsh > \"${fpath[1]}/_cairn\"\n\n" +
			"in fish:\n\n" +
			"    cairn completion fish > ~/.config/fish/completions/cairn.fish\n\n" +
			"in PowerShell put this into the file that $PROFILE names:\n\n" +
			"    cairn completion powershell | Out-String | Invoke-Expression\n\n" +
			"The scripts evaluate nothing: they hand the line to cairn with --line, which reads it as text, runs and writes nothing,\n" +
			"and prints a candidate on each line, with a tab and a few words about it where the shell shows them.",
	}, runCompletion)}
}

func runCompletion(ctx context.Context, c *call, in completionIn) error {
	ending, known := shells[in.Shell]
	if !known {
		return usage("needs the name of a shell").WithHint("one of %s", strings.Join(slices.Sorted(maps.Keys(shells)), ", "))
	}
	if c.line.IsSet("line") {
		c.completeLine(ctx, in)
		return nil
	}
	script, err := shellScripts.ReadFile("shells/cairn." + ending)
	if err != nil {
		return err
	}
	c.printf("%s", screen.Painted(script)) // a script of ours, unchanged
	return nil
}

const (
	completionTime = time.Second // how long the shell is kept waiting
	maxAbout       = 59          // bytes about one of them
)

func (p *call) completeLine(ctx context.Context, in completionIn) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	escape := '\\'
	if shells[in.Shell] == "ps1" {
		escape = '`'
	}
	typed := complete.ReadLine(in.Line, escape)
	words, ours := typed.AfterProgram()
	if !ours || typed.File {
		return
	}
	word := words[len(words)-1]
	for _, found := range complete.Fitting(complete.Candidates(ctx, completion(p.program), words[:len(words)-1], word), word) {
		about := record.Clip(harmless.Line(found.About), maxAbout)
		switch {
		case in.Shell == "bash":
			kept := 0
			if !typed.Open { // within quotes bash replaces the whole word
				kept = complete.BrokenAt(word, in.Breaks)
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

func completion(p *program) complete.Env {
	return complete.Env{
		Root: p.root(), Getenv: p.Getenv, Now: p.Now, StateDir: p.stateDir(), ConfigDir: p.configDir(),
		Folder:   func(path string) string { return p.abs(p.underHome(cmp.Or(path, p.Dir))) }, // ~ as the shell would put it there, in time
		Shells:   slices.Sorted(maps.Keys(shells)),
		Clients:  append(clientNames(), mergeDriver),
		Topics:   append(helpTopics(), complete.Candidate{Value: topicsWord, About: "The list of the topics"}),
		Commands: otherCommands(),
		Declared: func(path string) (fields []verb.Field, prints string) {
			if c, ok := ownCommand(path); ok {
				return c.fields(), c.prints
			}
			switch path {
			case pairs.Noun:
				return verb.FieldsOf[pairIn](), ""
			case transfer.ImportName:
				return verb.FieldsOf[importIn](), ""
			}
			return nil, ""
		},
	}
}

// otherCommands are the commands that are no verbs, and not nouns with verbs below them.
func otherCommands() []*cli.Command {
	var out []*cli.Command
	nouns := catalogue.Nouns()
	for _, c := range (&program{}).root().Commands {
		if _, isVerb := catalogue.Named(strings.ReplaceAll(c.Name, "-", "_")); !isVerb && !slices.Contains(nouns, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// manual is the manual page of the program in the language of man(7). It has neither a date nor a version, so that it
// changes only with the commands.
func manual(root *cli.Command) string {
	var b strings.Builder
	b.WriteString(".TH CAIRN 1 \"\" \"cairn\" \"User Commands\"\n.SH NAME\n")
	fmt.Fprintf(&b, "cairn \\- %s\n", roff(root.Usage))
	b.WriteString(".SH SYNOPSIS\n.B cairn\n[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.SH OPTIONS\n")
	manFlags(&b, root.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands {
		if !c.Hidden {
			manOf(&b, c, "cairn ")
		}
	}
	b.WriteString(".SH TOPICS\nAs cairn help TOPIC shows them.\n")
	for _, word := range peoplesTopics() {
		text, _ := topic(word)
		title, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		fmt.Fprintf(&b, ".SS %s: %s\n", roff(word), roff(title))
		manText(&b, rest, "")
	}
	b.WriteString(".SH EXIT STATUS\n.nf\n" + roff(exitCodes()) + "\n.fi\n")
	b.WriteString(".SH SEE ALSO\n.BR git (1).\nThe pages of docs/, which come with the source.\n")
	return b.String()
}

func manOf(b *strings.Builder, c *cli.Command, around string) {
	name := around + c.Name
	fmt.Fprintf(b, ".SS %s\n", roff(strings.TrimSpace(name+" "+c.ArgsUsage)))
	fmt.Fprintf(b, "%s\n", roff(c.Usage))
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, ".PP\nAlso called %s.\n", roff(strings.Join(c.Aliases, ", ")))
	}
	if c.Description != "" {
		manText(b, c.Description, ".PP\n")
	}
	manFlags(b, c.Flags)
	for _, sub := range c.Commands {
		manOf(b, sub, name+" ")
	}
}

// manText is text in paragraphs, between which a line is blank; first stands before the first one. Indented ones are
// shown as they are.
func manText(b *strings.Builder, text, first string) {
	begin := first
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(part, "    ") {
			fmt.Fprintf(b, "%s.nf\n%s\n.fi\n", begin, roff(part))
		} else {
			fmt.Fprintf(b, "%s%s\n", begin, roff(part))
		}
		begin = ".PP\n"
	}
}

func manFlags(b *strings.Builder, flags []cli.Flag) {
	for _, f := range flags {
		t := textOf(f, "VALUE")
		if !t.shown || slices.Equal(f.Names(), []string{"help", "h"}) {
			continue
		}
		for i, name := range t.names {
			t.names[i] = "\\fB" + roff(name) + "\\fR"
		}
		if t.value != "" {
			t.value = " \\fI" + roff(t.value) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s%s\n%s\n", strings.Join(t.names, ", "), t.value, roff(t.about))
	}
}

// roff is text as man(7) shows it: nothing in it is taken for a request or an escape.
func roff(text string) string {
	text = strings.ReplaceAll(text, "\\", "\\e")
	text = strings.ReplaceAll(text, "-", "\\-")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = "\\&" + line
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\[u%04X]", r)
		}
	}
	return b.String()
}
