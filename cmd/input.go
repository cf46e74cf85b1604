package cmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/urfave/cli/v3"
)

// flags are the flags of a verb's command: those of each field that is no positional argument, and those of every verb.
func flags(v verb.Verb) []cli.Flag {
	var out []cli.Flag
	for _, f := range v.Fields() {
		if !f.Arg {
			out = append(out, flagsOf(f)...)
		}
	}
	if v.Signs {
		out = append(out, signFlags()...)
	}
	out = append(withShorts(out, v.Kind), &cli.StringFlag{
		Name: "input", Local: true, Usage: "the whole input as JSON, from standard input, a file or this argument: `-|FILE|JSON`",
	})
	return append(out, formFlags()...)
}

// flagsOf are the flags of a field: those that it declares, else one for its type.
func flagsOf(f verb.Field) []cli.Flag {
	switch {
	case f.Not != "":
		return []cli.Flag{
			&cli.BoolFlag{Name: f.Flag, Local: true, Usage: f.Doc},
			&cli.BoolFlag{Name: f.Not, Local: true, Usage: "the opposite of --" + f.Flag},
		}
	case f.Type == verb.Object:
		var out []cli.Flag
		for _, inner := range f.Fields {
			out = append(out, flagsOf(inner)...)
		}
		return out
	case f.Type == verb.Objects:
		var out []cli.Flag
		for _, flag := range objectFlags(f) {
			out = append(out, &cli.StringSliceFlag{Name: flag.Name, Local: true, Usage: flag.Doc + ", as `" + flag.Form + "`; may be repeated"})
		}
		return out
	case f.Type == verb.Pairs:
		return []cli.Flag{&cli.StringSliceFlag{Name: f.Flag, Local: true, Usage: f.Doc + ", as `NAME=VALUE`; may be repeated"}}
	case f.Type == verb.Boolean:
		return []cli.Flag{&cli.BoolFlag{Name: f.Flag, Local: true, Usage: f.Doc}}
	case f.Type == verb.Texts || f.Type == verb.Numbers:
		return []cli.Flag{&cli.StringSliceFlag{Name: f.Flag, Local: true, Usage: f.Doc + "; may be repeated"}}
	case inSeconds(f):
		return []cli.Flag{&cli.StringFlag{Name: f.Flag, Aliases: []string{strings.TrimSuffix(f.Flag, "-seconds")}, Local: true, Usage: f.Doc + "; a number, or such as `90s`, 10m, 2h or 7d"}}
	case f.Type == verb.Number:
		return []cli.Flag{numberFlag{&cli.StringFlag{Name: f.Flag, Local: true, Usage: f.Doc}}}
	default:
		return []cli.Flag{&cli.StringFlag{Name: f.Flag, Local: true, Usage: f.Doc, Hidden: f.Doc == "-"}}
	}
}

// inSeconds reports whether a field is a number of seconds by its name. On the command line it may be written as a
// duration, and its flag has a shorter name without the unit.
func inSeconds(f verb.Field) bool { return strings.HasSuffix(f.Flag, "-seconds") }

// objectFlags are the flags of a list of objects: those that it declares, else one whose values are objects as JSON.
func objectFlags(f verb.Field) []verb.ObjectFlag {
	if len(f.Flags) == 0 {
		parse := func(value string) (map[string]any, error) { return verb.ReadObject([]byte(value)) }
		return []verb.ObjectFlag{{Name: f.Flag, Doc: f.Doc, Form: objectForm(f.Fields), Parse: parse}}
	}
	out := make([]verb.ObjectFlag, len(f.Flags))
	for i, flag := range f.Flags {
		if out[i] = flag; flag.Doc == "" {
			out[i].Doc = f.Doc
		}
	}
	return out
}

// objectForm shows the keys of an object, as {"title": …, "url": …}.
func objectForm(fields []verb.Field) string {
	var keys []string
	for _, f := range fields {
		if f.Doc != "-" {
			keys = append(keys, fmt.Sprintf("%q: …", f.Name))
		}
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// input reads the input of a verb off the command line, as the JSON object that the verb decodes.
type input struct {
	*program
	line   *cli.Command
	verb   verb.Verb
	values map[string]any
	from   *inputFile // that a field was read from; nil for none

	several string   // the field of which the line names more than one; "" if it does not
	each    []string // these
}

func newInput(p *program, line *cli.Command, v verb.Verb) *input {
	return &input{program: p, line: line, verb: v, values: map[string]any{}}
}

// read reads --input, then the arguments and the flags, which replace what --input says.
func (in *input) read(ctx context.Context) error {
	if err := in.whole(ctx); err != nil {
		return err
	}
	if err := in.arguments(ctx); err != nil {
		return err
	}
	for _, f := range in.verb.Fields() {
		if f.Arg {
			continue
		}
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// whole reads the flag --input.
func (in *input) whole(ctx context.Context) error {
	source := in.line.String("input")
	if source == "" {
		return nil
	}
	text, err := in.inputText(ctx, source)
	if err != nil {
		return err
	}
	values, err := verb.ReadObject([]byte(text))
	if err == nil {
		in.values = values
	}
	return err
}

// arguments reads the positional fields in their order. One that may be left out is, if there are no more arguments
// than those that must be given.
func (in *input) arguments(ctx context.Context) error {
	args := in.many(in.line.Args().Slice())
	needed := 0 // arguments that must be given
	for _, f := range in.verb.Fields() {
		if f.Arg && f.Required {
			needed++
		}
	}
	for _, f := range in.verb.Fields() {
		if !f.Arg || len(args) == 0 || !f.Required && len(args) <= needed {
			continue
		}
		if f.Required {
			needed--
		}
		if err := in.argument(ctx, f, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	if len(args) > 0 {
		return usage("does not take the argument %q", args[0]).
			WithHint("%s; quote text that has spaces", in.form())
	}
	return nil
}

// missing is the error for what must be given and is not, flags too: it shows the whole form of the command.
func (in *input) missing() error {
	absent := func(f verb.Field) bool { return f.Required && !f.File && in.values[f.Name] == nil && f.Own == "" }
	if !slices.ContainsFunc(in.verb.Fields(), func(f verb.Field) bool { return f.Arg && absent(f) }) {
		return nil
	}
	err := verb.Missing(in.verb.Fields(), "", absent)
	return err.WithHint("%s; %s", in.form(), err.Hint)
}

// form is the command and its arguments, by the name that was typed.
func (in *input) form() string {
	name := in.line.FullName()
	if typed := in.commandTyped(in.verb.Name); slices.Contains(in.verb.Aliases, typed) {
		name = "cairn " + typed
	}
	return strings.TrimSpace(name + " " + argsUsage(in.verb))
}

// many takes the arguments of a field of which several may be named, all but the first, if there are more arguments
// than fields.
func (in *input) many(args []string) []string {
	fields := slices.DeleteFunc(slices.Clone(in.verb.Fields()), func(f verb.Field) bool { return !f.Arg })
	at := slices.IndexFunc(fields, func(f verb.Field) bool { return f.Many })
	spare := len(args) - len(fields)
	if at < 0 || spare <= 0 {
		return args
	}
	in.several, in.each = fields[at].Name, slices.Clone(args[at:at+spare+1])
	return slices.Concat(args[:at+1], args[at+spare+1:])
}

func (in *input) argument(ctx context.Context, f verb.Field, arg string) (err error) {
	if f.File {
		return in.file(ctx, f, arg)
	}
	in.values[f.Name], err = in.text(ctx, f, arg)
	return err
}

// file reads a field from a file in YAML or JSON; the name - is standard input. The file contains the field's value, or
// an object with that field and others.
func (in *input) file(ctx context.Context, f verb.Field, name string) error {
	text, err := in.inputText(ctx, name)
	if err != nil {
		return err
	}
	var got any
	var root format.Node
	err = format.Unmarshal([]byte(text), &root)
	if err == nil {
		datesAsTexts(&root)
		err = root.Decode(&got)
	}
	if err != nil {
		return usage("%s: %s", name, yamlMessage(err)).WithHint("a list of %s in YAML or JSON, or an object with %s in it", f.Name, f.Name)
	}
	object, ok := got.(map[string]any)
	if !ok {
		object = map[string]any{f.Name: got}
	}
	maps.Copy(in.values, object)
	in.from = &inputFile{name, f.Name, &root}
	return nil
}

// flag reads the flags of a field. Without them the field keeps the value that it has.
func (in *input) flag(ctx context.Context, f verb.Field) (err error) {
	switch {
	case f.Not != "":
		return in.choice(f)
	case f.Type == verb.Object:
		return in.object(ctx, f)
	case f.Type == verb.Objects:
		return in.objects(f)
	case !in.line.IsSet(f.Flag):
		return nil
	}
	switch f.Type {
	case verb.Boolean:
		in.values[f.Name] = in.line.Bool(f.Flag)
	case verb.Pairs:
		return in.pairs(f)
	case verb.Texts, verb.Numbers:
		in.values[f.Name] = cleared(in.line.StringSlice(f.Flag))
	default:
		in.values[f.Name], err = in.text(ctx, f, in.line.String(f.Flag))
		if span, spanErr := verb.Span(in.line.String(f.Flag)); inSeconds(f) && spanErr == nil {
			in.values[f.Name] = strconv.FormatFloat(span.Seconds(), 'f', -1, 64)
		}
	}
	return err
}

// pairs reads texts by name, each as NAME=VALUE. NAME= is an empty one.
func (in *input) pairs(f verb.Field) error {
	object, _ := in.values[f.Name].(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	for _, pair := range in.line.StringSlice(f.Flag) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(name) == "" {
			return usage("--%s %q is no NAME=VALUE", f.Flag, pair).WithHint("--%s severity=high; an empty value takes it away", f.Flag)
		}
		object[strings.TrimSpace(name)] = value
	}
	in.values[f.Name] = object
	return nil
}

// choice reads a boolean that has a flag for each of its values.
func (in *input) choice(f verb.Field) error {
	yes, no := in.line.Bool(f.Flag), in.line.Bool(f.Not)
	_, given := in.values[f.Name]
	switch {
	case yes && no:
		return usage("--%s and --%s exclude each other", f.Flag, f.Not).WithHint("leave out the one that does not hold")
	case yes || no:
		in.values[f.Name] = yes
	case f.Required && !given:
		return usage("says neither --%s nor --%s", f.Flag, f.Not).WithHint("add the one that holds")
	}
	return nil
}

// object reads one object by the flags of its fields.
func (in *input) object(ctx context.Context, f verb.Field) error {
	inner := newInput(in.program, in.line, in.verb)
	if had, ok := in.values[f.Name].(map[string]any); ok {
		inner.values = had
	}
	for _, field := range f.Fields {
		if err := inner.flag(ctx, field); err != nil {
			return err
		}
	}
	if len(inner.values) > 0 {
		in.values[f.Name] = inner.values
	}
	return nil
}

// objects reads a list of objects, flag by flag. One empty value of the first flag clears the list.
func (in *input) objects(f verb.Field) error {
	objects := []map[string]any{}
	given := false
	for i, flag := range objectFlags(f) {
		given = given || in.line.IsSet(flag.Name)
		values := in.line.StringSlice(flag.Name)
		if i == 0 {
			values = cleared(values)
		}
		for _, value := range values {
			object, err := flag.Parse(value)
			if err != nil {
				return err
			}
			objects = append(objects, object)
		}
	}
	if given {
		in.values[f.Name] = objects
	}
	return nil
}

// cleared is the empty list for one empty value, so that --label= clears the labels.
func cleared(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return []string{}
	}
	return values
}

// text is a value as given. For free text, - stands for standard input.
func (in *input) text(ctx context.Context, f verb.Field, value string) (string, error) {
	if value != "-" || f.Names != "" || f.Type != verb.Text {
		return value, nil
	}
	text, err := readAll(ctx, "standard input", in.Stdin)
	return strings.TrimRight(text, "\r\n"), err
}

// fillOwn fills in what the command line knows and a tool has to be told: who acts, and a key for a call that is made
// once.
func (in *input) fillOwn(w *verb.Workspace) error {
	for _, f := range in.verb.Fields() {
		if f.Own == "" || in.values[f.Name] != nil {
			continue
		}
		switch f.Own {
		case "actor":
			in.values[f.Name] = string(w.Actor())
		case "key":
			token, err := record.Token(w.Now(), w.Rand)
			if err != nil {
				return err
			}
			in.values[f.Name] = "cli-" + token
		}
	}
	return nil
}

const maxInput = 4 << 20 // bytes; no file in a workspace may be larger

// inputText reads what a flag or an argument names: - is standard input, {...} is the text itself, and the rest is a
// file.
func (p *program) inputText(ctx context.Context, source string) (string, error) {
	switch {
	case source == "-":
		return readAll(ctx, "standard input", p.Stdin)
	case strings.HasPrefix(strings.TrimSpace(source), "{"):
		return source, nil
	}
	f, err := interruptible(ctx, func() (*os.File, error) { return os.Open(p.abs(source)) })
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", usage("the input: %v", err).WithHint("it is -, a file, or an {...} object")
	}
	defer func() { _ = f.Close() }()
	return readAll(ctx, "--input", f)
}

// readAll reads a stream to its end. It returns an error if ctx ends first, or if there are more than maxInput bytes.
func readAll(ctx context.Context, name string, in io.Reader) (string, error) {
	text, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxInput+1)) })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", record.Errorf(record.IO, "%s: %w", name, err).WithHint("name a file that can be read")
	case len(text) > maxInput:
		return "", usage("%s is longer than %d bytes", name, maxInput).WithHint("no file of cairn's may be larger")
	}
	return string(text), nil
}
