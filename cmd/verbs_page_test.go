package cmd

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

//go:embed verbs_intro.md
var verbsIntro string

// verbsPage is the reference page of all verbs of the catalogue, and of the commands that are no verbs.
func verbsPage() string {
	var b strings.Builder
	b.WriteString(generatedMark + verbsIntro)
	rows := [][]string{{"verb", "kind", "profile", "what it is for"}}
	for _, v := range catalogue.All {
		rows = append(rows, []string{fmt.Sprintf("[%s](#%s)", v.Name, v.Name), kinds[v.Kind], v.Profile.String(), v.Summary})
	}
	b.WriteString(markdown(rows))
	for _, v := range catalogue.All {
		traits := ""
		if v.Idempotent && v.Kind != verb.Read {
			traits += " Doing it twice does no more than doing it once."
		}
		if v.Runs {
			traits += " It may run the commands of checks."
		}
		fmt.Fprintf(&b, "### %s\n\n%s %s\n\n", v.Name, v.Summary, v.When)
		fmt.Fprintf(&b, "A %s, from the profile %s on.%s\n\n", kinds[v.Kind], v.Profile, traits)
		fmt.Fprintf(&b, "    %s\n\n", usageLine(v.Command(), verbCommand{program: &program{}, verb: v}.command()))
		b.WriteString(argumentTable(v.Fields()))
	}
	b.WriteString("## Commands that are no verbs\n\nThey exist on the command line only.\n\n")
	section := func(c *cli.Command, name string) {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", name, c.Usage)
		if c.Description != "" {
			fmt.Fprintf(&b, "%s\n\n", c.Description)
		}
		fmt.Fprintf(&b, "    %s\n\n", usageLine(name, c))
		b.WriteString(flagTable(c.Flags))
	}
	for _, c := range otherCommands() {
		section(c, c.Name)
	}
	for _, noun := range catalogue.Nouns() {
		for _, c := range below(noun) {
			section(c.make(&program{}), c.name)
		}
	}
	b.WriteString("## Flags of every command\n\n" + flagTable(rootFlags()))
	return b.String()
}

var kinds = map[verb.Kind]string{verb.Read: "read", verb.Run: "run of commands", verb.Write: "write", verb.Destructive: "destructive write"}

func argumentTable(fields []verb.Field) string {
	rows := [][]string{{"argument", "type", "on the command line", "meaning"}}
	add := func(f verb.Field, name, form string) {
		kind := typeNames[f.Type]
		if f.Required {
			kind += ", required"
		}
		if f.Doc != "-" { // no schema shows it either
			rows = append(rows, []string{"`" + name + "`", kind, form, f.Doc})
		}
	}
	for _, f := range fields {
		forms := []string{"`" + argName(f) + "`"}
		if !f.Arg {
			forms = nil
			for _, flag := range flagsOf([]verb.Field{f}) {
				forms = append(forms, flagForm(flag))
			}
		}
		add(f, f.Name, strings.Join(forms, ", "))
		for _, sub := range f.Fields {
			if f.Doc != "-" {
				add(sub, f.Name+"[]."+sub.Name, "")
			}
		}
	}
	if len(rows) == 1 {
		return "It takes no arguments.\n\n"
	}
	return markdown(rows)
}

var typeNames = map[verb.Type]string{
	verb.Text: "text", verb.Number: "number", verb.Decimal: "number", verb.Boolean: "boolean",
	verb.Texts: "list of texts", verb.Numbers: "list of numbers", verb.Object: "object", verb.Objects: "list of objects",
	verb.Pairs: "object of texts",
}

func usageLine(name string, c *cli.Command) string {
	line := "cairn " + name
	if len(shownFlags(c.Flags)) > 0 {
		line += " [FLAG...]"
	}
	if c.ArgsUsage != "" {
		line += " " + c.ArgsUsage
	}
	return line
}

func flagTable(flags []cli.Flag) string {
	rows := [][]string{{"flag", "meaning"}}
	for _, f := range shownFlags(flags) {
		rows = append(rows, []string{flagForm(f), textOf(f, "").about})
	}
	if len(rows) == 1 {
		return ""
	}
	return markdown(rows)
}

// shownFlags leaves out those that stand for an argument.
func shownFlags(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool { return !textOf(f, "").shown })
}

// flagForm is a flag with the name of its value.
func flagForm(f cli.Flag) string {
	usual := "VALUE"
	if _, number := f.(numberFlag); number {
		usual = "INT"
	}
	t := textOf(f, usual)
	form := t.names[0]
	for _, name := range t.names[1:] {
		if len(name) == 2 {
			form = name + ", " + form
		}
	}
	return "`" + strings.TrimSpace(form+" "+t.value) + "`"
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
