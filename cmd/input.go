package cmd

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
	"gopkg.in/yaml.v3"
)

// flags makes the flags of a verb, for each field that is no positional argument.
func flags(v verb.Verb) []cli.Flag {
	var out []cli.Flag
	for _, f := range v.Fields {
		if f.Arg {
			continue
		}
		out = append(out, flagsOf(f)...)
	}
	out = append(out, signFlags(v)...)
	return append(out, &cli.StringFlag{
		Name: "input", Local: true, Usage: "the whole input as JSON, from standard input, a file or this argument: `-|FILE|JSON`",
	})
}

// input is what the command line says, as the JSON object that the verb decodes: --input first, then arguments and flags.
func (p *program) input(ctx context.Context, c *cli.Command, v verb.Verb) (map[string]any, error) {
	in, err := p.wholeInput(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.arguments(ctx, c, v, in); err != nil {
		return nil, err
	}
	for _, f := range v.Fields {
		if f.Arg {
			continue
		}
		if err := p.flag(ctx, c, f, in); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (p *program) wholeInput(ctx context.Context, c *cli.Command) (map[string]any, error) {
	source := c.String("input")
	if source == "" {
		return map[string]any{}, nil
	}
	text, err := p.inputText(ctx, source)
	if err != nil {
		return nil, err
	}
	return verb.ReadObject([]byte(text))
}

func (p *program) inputText(ctx context.Context, source string) (string, error) {
	switch {
	case source == "-":
		return p.readStdin(ctx)
	case strings.HasPrefix(strings.TrimSpace(source), "{"):
		return source, nil
	}
	if !filepath.IsAbs(source) {
		source = filepath.Join(p.Dir, source)
	}
	f, err := interruptible(ctx, func() (*os.File, error) { return os.Open(source) })
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", usage("the input: %v", err).WithHint("it is -, a file, or an {...} object")
	}
	defer func() { _ = f.Close() }()
	return readAll(ctx, "--input", f)
}

// arguments fills the positional fields in their order.
func (p *program) arguments(ctx context.Context, c *cli.Command, v verb.Verb, in map[string]any) error {
	args := c.Args().Slice()
	for _, f := range v.Fields {
		if !f.Arg || len(args) == 0 {
			continue
		}
		if err := p.argument(ctx, f, args[0], in); err != nil {
			return err
		}
		args = args[1:]
	}
	if len(args) > 0 {
		return usage("does not take the argument %q", args[0]).
			WithHint("cairn %s %s; quote text that has spaces", c.Name, argsUsage(v))
	}
	return nil
}

func (p *program) argument(ctx context.Context, f verb.Field, arg string, in map[string]any) error {
	if f.File {
		return p.fromFile(ctx, f, arg, in)
	}
	text, err := p.text(ctx, f, arg)
	in[f.Name] = text
	return err
}

// fromFile takes a field from a file in YAML or JSON, where - is standard input. The file holds the field's value, or an
// object with that field and others.
func (p *program) fromFile(ctx context.Context, f verb.Field, name string, in map[string]any) error {
	text, err := p.inputText(ctx, name)
	if err != nil {
		return err
	}
	var got any
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		return usage("%s: %v", name, err).WithHint("a list of %s in YAML or JSON, or an object with %s in it", f.Name, f.Name)
	}
	object, ok := got.(map[string]any)
	if !ok {
		object = map[string]any{f.Name: got}
	}
	maps.Copy(in, object)
	return nil
}

func (p *program) flag(ctx context.Context, c *cli.Command, f verb.Field, in map[string]any) error {
	switch {
	case f.Not != "":
		return choiceFromFlags(c, f, in)
	case f.Type == verb.Objects:
		return objectsFromFlags(c, f, in)
	}
	name := f.Flag
	if !c.IsSet(name) {
		return nil
	}
	var err error
	switch f.Type {
	case verb.Boolean:
		in[f.Name] = c.Bool(name)
	case verb.Texts, verb.Numbers:
		in[f.Name] = cleared(c.StringSlice(name))
	default:
		in[f.Name], err = p.text(ctx, f, c.String(name))
	}
	return err
}

// cleared reads one empty value as the empty list, so that --label ” clears the labels.
func cleared(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return []string{}
	}
	return values
}

// text is a value as given, or what is on stdin if it is "-" and the field takes free text.
func (p *program) text(ctx context.Context, f verb.Field, value string) (string, error) {
	if value != "-" || f.Names != "" || f.Type != verb.Text {
		return value, nil
	}
	text, err := p.readStdin(ctx)
	return strings.TrimRight(text, "\r\n"), err
}
