package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

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
