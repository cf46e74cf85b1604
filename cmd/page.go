package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

const verbsIntro = `# Verbs

A verb is one thing that can be done. Each is an MCP tool of the name given here, and a command of the same name with
dashes for underscores; those about one noun stand below it: ` + "`decision_log` is `cairn decision log`" + `. Arguments that are left out stay as they are, or filter nothing.

Reads change nothing. Writes change tasks or sessions, and nothing is lost; they return the task or session whole, as it is
afterwards. The profile is the least that may call a verb: ` + "`cairn serve --profile`" + ` sets it for an agent, and at the command
line everybody is a maintainer. How a call is refused is in [errors.md](errors.md).

At the command line

- the id of a record may be shortened to any part that no other has;
- where a usage says ` + "`ID...`" + ` several may be named. All are looked up first; then each is done in turn, every refusal is told and the exit number is that of the
  first. ` + "`--json`" + ` prints one object: ` + "`tasks`" + ` (rows of what was done), ` + "`records`" + ` (what is no task) and ` + "`errors`" + ` (each with its ` + "`id`" + `). Only ` + "`update`" + ` changes all or none;
- a time is a date, a moment, a word such as ` + "`fri`" + ` or ` + "`yesterday`" + `, or so long from now or ago, such as ` + "`7d`" + `; a number of seconds may be written as ` + "`10m`" + ` or ` + "`2h`" + `;
- ` + "`-`" + ` in place of a text reads it from standard input;
- a flag for a list may be repeated, and one empty value clears the list;
- a FILE of tasks is a list in YAML or JSON, and ` + "`-`" + ` is standard input:
  ` + "`[{title: Build, checks: [{desc: it builds, cmd: make}]}, {title: Ship, deps: ['#0']}]`" + `;
- every verb takes ` + "`--input -|FILE|JSON`" + `, the whole input as the MCP tool takes it;
- every verb takes ` + "`--fields KEYS`, `--format TEMPLATE` or `--jq PROGRAM`" + `, which say what of its result is printed: [how-to/scripts.md](how-to/scripts.md);
- and the [flags of every command](#flags-of-every-command).

`

// VerbsPage is the reference page of all verbs of the catalogue, and of the commands that are no verbs, in Markdown:
// docs/verbs.md.
func VerbsPage() string {
	var b strings.Builder
	b.WriteString(generatedMark + verbsIntro)
	b.WriteString(verbsTable())
	for _, v := range catalogue.All {
		b.WriteString(verbSection(v))
	}
	b.WriteString("## Commands that are no verbs\n\nThey exist on the command line only.\n\n")
	for _, c := range otherCommands() {
		b.WriteString(commandSection(c, c.Name))
	}
	for _, noun := range catalogue.Nouns() {
		for _, c := range (&program{}).further(noun) {
			b.WriteString(commandSection(c, noun+" "+c.Name))
		}
	}
	b.WriteString("## Flags of every command\n\n" + flagTable((&program{}).root().Flags))
	return b.String()
}

func verbsTable() string {
	rows := [][]string{{"verb", "kind", "profile", "what it is for"}}
	for _, v := range catalogue.All {
		rows = append(rows, []string{fmt.Sprintf("[%s](#%s)", v.Name, v.Name), kinds[v.Kind], v.Profile.String(), v.Summary})
	}
	return markdown(rows)
}

var kinds = map[verb.Kind]string{verb.Read: "read", verb.Write: "write", verb.Destructive: "destructive write"}

func verbSection(v verb.Verb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s %s\n\n", v.Name, v.Summary, v.When)
	fmt.Fprintf(&b, "A %s, from the profile %s on.%s\n\n", kinds[v.Kind], v.Profile, traits(v))
	fmt.Fprintf(&b, "    %s\n\n", usageLine(v.Command(), verbCommand{program: &program{}, verb: v}.command()))
	b.WriteString(argumentTable(v.Fields()))
	return b.String()
}

// traits are what a caller should know about a verb beyond its kind.
func traits(v verb.Verb) string {
	text := ""
	if v.Idempotent && v.Kind != verb.Read {
		text += " Doing it twice does no more than doing it once."
	}
	if v.Runs {
		text += " It may run the commands of checks."
	}
	return text
}

func argumentTable(fields []verb.Field) string {
	rows := [][]string{{"argument", "type", "on the command line", "meaning"}}
	for _, f := range fields {
		if f.Doc == "-" { // no schema shows it either
			continue
		}
		rows = append(rows, []string{"`" + f.Name + "`", typeOf(f), onCommandLine(f), f.Doc})
		for _, sub := range f.Fields {
			if sub.Doc != "-" { // no schema shows it either
				rows = append(rows, []string{"`" + f.Name + "[]." + sub.Name + "`", typeOf(sub), "", sub.Doc})
			}
		}
	}
	if len(rows) == 1 {
		return "It takes no arguments.\n\n"
	}
	return markdown(rows)
}

func typeOf(f verb.Field) string {
	if f.Required {
		return typeNames[f.Type] + ", required"
	}
	return typeNames[f.Type]
}

// onCommandLine is how an argument is given on the command line: by its position, or by its flags.
func onCommandLine(f verb.Field) string {
	if f.Arg {
		return "`" + argName(f) + "`"
	}
	var forms []string
	for _, flag := range flagsOf(f) {
		forms = append(forms, flagForm(flag.(flagDocs)))
	}
	return strings.Join(forms, ", ")
}

var typeNames = map[verb.Type]string{
	verb.Text: "text", verb.Number: "number", verb.Decimal: "number", verb.Boolean: "boolean",
	verb.Texts: "list of texts", verb.Numbers: "list of numbers", verb.Object: "object", verb.Objects: "list of objects",
	verb.Pairs: "object of texts",
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

func commandSection(c *cli.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n", name, sentence(c.Usage))
	if c.Description != "" {
		fmt.Fprintf(&b, "%s\n\n", c.Description)
	}
	fmt.Fprintf(&b, "    %s\n\n", usageLine(name, c))
	b.WriteString(flagTable(c.Flags))
	return b.String()
}

func usageLine(name string, c *cli.Command) string {
	line := "cairn " + name
	if len(c.Flags) > 0 {
		line += " [FLAG...]"
	}
	if c.ArgsUsage != "" {
		line += " " + c.ArgsUsage
	}
	return line
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	text = strings.ToUpper(text[:1]) + text[1:]
	return strings.TrimSuffix(text, ".") + "."
}

func flagTable(flags []cli.Flag) string {
	if len(flags) == 0 {
		return ""
	}
	rows := [][]string{{"flag", "meaning"}}
	for _, f := range flags {
		rows = append(rows, flagRow(f.(flagDocs)))
	}
	return markdown(rows)
}

// flagDocs is what a flag of urfave/cli says about itself.
type flagDocs interface {
	Names() []string
	TakesValue() bool
	GetUsage() string
}

func flagRow(f flagDocs) []string {
	return []string{flagForm(f), strings.ReplaceAll(f.GetUsage(), "`", "")}
}

// flagForm is a flag with the name of its value, which stands in backquotes in its usage.
func flagForm(f flagDocs) string {
	form := complete.Dashed(f.Names()[0])
	for _, name := range f.Names()[1:] {
		if len(name) == 1 {
			form = complete.Dashed(name) + ", " + form
		}
	}
	if f.TakesValue() {
		value := valueName(f.GetUsage())
		if _, number := f.(numberFlag); number && value == "VALUE" {
			value = "INT"
		}
		form += " " + value
	}
	return "`" + form + "`"
}

func valueName(usage string) string {
	if parts := strings.Split(usage, "`"); len(parts) > 2 {
		return parts[1]
	}
	return "VALUE"
}

const generatedMark = "<!-- Generated from the declarations by the tests of cmd. Do not edit; make docs writes it anew. -->\n\n"

// markdown is a table, with its head in the first row, and an empty line behind it.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for j := range row {
			row[j] = strings.ReplaceAll(row[j], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String() + "\n"
}
