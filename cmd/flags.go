package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

// numberFlag is a flag for a whole number. It keeps what was typed, since the verb says best what is wrong with it.
type numberFlag struct{ *cli.StringFlag }

// TypeName is what help shows for the value.
func (numberFlag) TypeName() string { return "int" }

// String is the flag as help shows it.
func (f numberFlag) String() string { return flagLine(f) }

// flagLine is a flag as help shows it: -l, --label string, and what it means behind a tab. One that may be repeated
// ends with an ellipsis.
func flagLine(f cli.Flag) string {
	docs, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	names := make([]string, len(f.Names()))
	for i, name := range f.Names() {
		names[i] = complete.Dashed(name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return min(len(a), 3) - min(len(b), 3) }) // the letter first
	line, usage := strings.Join(names, ", "), docs.GetUsage()
	if docs.TakesValue() {
		value := docs.TypeName()
		if parts := strings.Split(usage, "`"); len(parts) > 2 {
			value = parts[1]
		}
		line += " " + cmp.Or(value, "string")
	}
	if many, ok := f.(cli.DocGenerationMultiValueFlag); ok && many.IsMultiValueFlag() {
		line += "..."
	}
	return line + "\t" + strings.ReplaceAll(usage, "`", "")
}

// shownAs gives the flags of a command the form in which help shows them.
func shownAs(flags []cli.Flag) {
	for _, f := range flags {
		if own, ok := f.(interface{ SetStringer(cli.FlagStringFunc) }); ok {
			own.SetStringer(flagLine)
		}
	}
}

// shortOf is the letter that stands for a flag in each command that has it; "" for a flag that has none. A letter that
// several flags of one command could have is that of the first.
func shortOf(flag string, kind verb.Kind) string {
	switch flag {
	case "text", "note", "reason", "summary", "message":
		if kind == verb.Read {
			return "" // it is a filter there
		}
		return "m"
	case "body":
		return "d" // what it is about: the description
	case "label":
		return "l"
	case "priority":
		return "p"
	case "assignee":
		return "a"
	case "status", "state":
		return "s"
	case "limit":
		return "n"
	case "check":
		return "c"
	case "type":
		return "t"
	case "force":
		return "f"
	case "executor":
		return "x"
	}
	return ""
}

// withShorts gives the flags of a command their letters.
func withShorts(flags []cli.Flag, kind verb.Kind) []cli.Flag {
	var taken []string
	for _, f := range flags {
		taken = append(taken, f.Names()...)
	}
	for _, f := range flags {
		short := shortOf(f.Names()[0], kind)
		if short == "" || slices.Contains(taken, short) {
			continue
		}
		taken = append(taken, short)
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Aliases = append(f.Aliases, short)
		case numberFlag:
			f.Aliases = append(f.Aliases, short)
		case *cli.StringSliceFlag:
			f.Aliases = append(f.Aliases, short)
		case *cli.IntFlag:
			f.Aliases = append(f.Aliases, short)
		case *cli.BoolFlag:
			f.Aliases = append(f.Aliases, short)
		}
	}
	return flags
}
