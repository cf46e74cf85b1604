package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

// flagsOf are the flags of fields that are no positional arguments, with their letters: those that a field declares,
// else one for its type.
func flagsOf(fields []verb.Field) []cli.Flag {
	var out []cli.Flag
	for _, f := range fields {
		if f.Arg {
			if name := argumentFlag(f); !taken(fields, name) {
				out = append(out, &cli.StringFlag{Name: name, Local: true, Usage: usageOf(f), Hidden: true})
			}
			continue
		}
		text := func(about string, also ...string) *cli.StringFlag {
			return &cli.StringFlag{Name: f.Flag, Aliases: also, Local: true, Usage: usageOf(f) + about, Hidden: f.Doc == "-"}
		}
		list := func(name, about string) *cli.StringSliceFlag {
			return &cli.StringSliceFlag{Name: name, Local: true, Usage: about}
		}
		var also []string
		if f.Also != "" {
			also = []string{f.Also}
		}
		switch {
		case f.Type == verb.Object:
			out = append(out, flagsOf(f.Fields)...)
		case f.Type == verb.Objects:
			for _, flag := range objectFlags(f) {
				out = append(out, list(flag.Name, flag.Doc+", as `"+flag.Form+"`; may be repeated"))
			}
		case f.Type == verb.Pairs:
			out = append(out, list(f.Flag, f.Doc+", as `NAME=VALUE`; may be repeated"))
		case f.Type == verb.Boolean:
			out = append(out, &cli.BoolFlag{Name: f.Flag, Aliases: also, Local: true, Usage: usageOf(f)})
			if f.Not != "" {
				out = append(out, &cli.BoolFlag{Name: f.Not, Local: true, Usage: "the opposite of --" + f.Flag})
			}
		case f.Value != "" && f.Type == verb.Texts: // whose doc says by its word that it may be repeated
			out = append(out, list(f.Flag, usageOf(f)))
		case f.Type == verb.Texts || f.Type == verb.Numbers:
			out = append(out, list(f.Flag, f.Doc+"; may be repeated"))
		case inSeconds(f):
			out = append(out, text("; a number, or such as `90s`, 10m, 2h or 7d", strings.TrimSuffix(f.Flag, "-seconds")))
		case f.Type == verb.Number:
			out = append(out, numberFlag{text("")})
		default:
			out = append(out, text("", also...))
		}
	}
	return out
}

// argumentFlag is the name of the flag that can be given in place of an argument: agents and scripts name what they give.
func argumentFlag(f verb.Field) string { return verb.CommandName(f.Name) }

// taken reports whether a flag of another meaning has a name.
func taken(fields []verb.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f verb.Field) bool { return !f.Arg && (f.Flag == name || f.Not == name || f.Also == name) }) ||
		slices.ContainsFunc(append(rootFlags(), formFlags()...), func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) || name == "input"
}

// usageOf is what a field means, with the word that stands for the value of its flag in backquotes.
func usageOf(f verb.Field) string {
	doc := f.Doc
	if f.From == "filters" {
		doc += "; cairn help filters explains them"
	}
	if strings.Contains(doc, "{values}") {
		var values []string
		for _, v := range f.Values {
			values = append(values, v.Text)
		}
		doc = strings.ReplaceAll(doc, "{values}", strings.Join(values, ", "))
	}
	if f.Value == "" {
		return doc
	}
	return strings.Replace(doc, f.Value, "`"+f.Value+"`", 1)
}

// inSeconds reports whether a field is a number of seconds by its name. On the command line it may be written as a
// duration, and its flag has a shorter name without the unit.
func inSeconds(f verb.Field) bool { return strings.HasSuffix(f.Flag, "-seconds") }

const longestForm = 200 // bytes of the keys of an object that help shows as its value

// objectFlags are the flags of a list of objects: those that it declares, else one whose values are objects as JSON.
func objectFlags(f verb.Field) []verb.ObjectFlag {
	if len(f.Flags) == 0 {
		var keys []string
		for _, inner := range f.Fields {
			if inner.Doc != "-" {
				keys = append(keys, fmt.Sprintf("%q: …", inner.Name))
			}
		}
		parse := func(value string) (map[string]any, error) { return verb.ReadObject([]byte(value)) }
		form := "{" + strings.Join(keys, ", ") + "}"
		if len(form) > longestForm {
			form = "JSON"
		}
		return []verb.ObjectFlag{{Name: f.Flag, Doc: f.Doc, Form: form, Parse: parse}}
	}
	out := slices.Clone(f.Flags)
	for i := range out {
		out[i].Doc = cmp.Or(out[i].Doc, f.Doc)
	}
	return out
}

// argsUsage names the positional arguments among fields, as in "ID [TEXT]".
func argsUsage(fields []verb.Field) string {
	var words []string
	for _, f := range fields {
		if !f.Arg {
			continue
		}
		word := argName(f)
		if f.Many {
			word += "..."
		}
		if !f.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func argName(f verb.Field) string {
	switch {
	case f.File:
		return "FILE"
	case f.Names == "session" && f.Type == verb.Text:
		return "SESSION|TASK"
	default:
		return cmp.Or(f.Value, strings.ToUpper(f.Name))
	}
}

// letters stand for the flags of these names in each command that has one. A letter that several flags of one command
// could have is that of the first.
var letters = map[string]string{
	"text": "m", "note": "m", "reason": "m", "summary": "m", "message": "m",
	"body":  "d", // what it is about: the description
	"label": "l", "priority": "p", "assignee": "a", "status": "s", "state": "s", "limit": "n", "check": "c", "type": "t",
	"force": "f", "executor": "x",
}

// withLetters gives the flags of a command their letters. In a command that reads, a text is a filter and has none.
func withLetters(flags []cli.Flag, kind verb.Kind) []cli.Flag {
	var taken []string
	for _, f := range flags {
		taken = append(taken, f.Names()...)
	}
	for _, f := range flags {
		letter := letters[f.Names()[0]]
		if letter == "" || letter == "m" && kind == verb.Read || slices.Contains(taken, letter) {
			continue
		}
		taken = append(taken, letter)
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Aliases = append(f.Aliases, letter)
		case numberFlag:
			f.Aliases = append(f.Aliases, letter)
		case *cli.StringSliceFlag:
			f.Aliases = append(f.Aliases, letter)
		case *cli.BoolFlag:
			f.Aliases = append(f.Aliases, letter)
		}
	}
	return flags
}

// numberFlag is a flag for a whole number. It keeps what was typed, since the verb says best what is wrong with it.
type numberFlag struct{ *cli.StringFlag }

// TypeName is what help shows for the value.
func (numberFlag) TypeName() string { return "int" }

// String is the flag as help shows it.
func (f numberFlag) String() string { return flagLine(f) }

type flagText struct {
	names []string // as they are typed
	value string   // what stands for its value; "" if it takes none
	about string
	shown bool // in help
}

// textOf is what a flag says of itself. Usual stands for a value that has no name of its own: "" for its type.
func textOf(f cli.Flag, usual string) flagText {
	docs := f.(cli.DocGenerationFlag)
	visible, hides := f.(cli.VisibleFlag)
	t := flagText{about: docs.GetUsage(), shown: !hides || visible.IsVisible()}
	for _, name := range f.Names() {
		t.names = append(t.names, complete.Dashed(name))
	}
	if docs.TakesValue() {
		t.value = cmp.Or(usual, docs.TypeName())
		if parts := strings.Split(t.about, "`"); len(parts) > 2 {
			t.value = parts[1]
		}
	}
	t.about = strings.ReplaceAll(t.about, "`", "")
	return t
}

// flagLine is a flag as help shows it: -l, --label string, and what it means behind a tab. One that may be repeated
// ends with an ellipsis.
func flagLine(f cli.Flag) string {
	t := textOf(f, "")
	sorted.By(t.names, func(a, b string) int { return min(len(a), 3) - min(len(b), 3) }) // the letter first
	line := strings.TrimSpace(strings.Join(t.names, ", ") + " " + t.value)
	if many, ok := f.(cli.DocGenerationMultiValueFlag); ok && many.IsMultiValueFlag() {
		line += "..."
	}
	return line + "\t" + t.about
}

func shownAs(flags []cli.Flag) {
	for _, f := range flags {
		if own, ok := f.(interface{ SetStringer(cli.FlagStringFunc) }); ok {
			own.SetStringer(flagLine)
		}
	}
}
