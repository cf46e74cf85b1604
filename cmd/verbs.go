package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

// verbCommand is the command of a verb: its arguments, flags and help are read off the declaration.
func (p *program) verbCommand(v verb.Verb) *cli.Command {
	c := &cli.Command{
		Name:        commandName(v.Name),
		Aliases:     slices.Clone(v.Aliases),
		Usage:       v.Summary,
		ArgsUsage:   argsUsage(v),
		Description: description(v),
		Category:    v.Group,
		Flags:       flags(v),
		Action:      func(ctx context.Context, c *cli.Command) error { return p.runVerb(ctx, c, v) },
	}
	if c.Name != v.Name {
		c.Aliases = append(c.Aliases, v.Name)
	}
	return c
}

func commandName(verbName string) string { return strings.ReplaceAll(verbName, "_", "-") }

// argsUsage names the positional arguments, as in "ID TEXT".
func argsUsage(v verb.Verb) string {
	var words []string
	for _, f := range v.Fields {
		if !f.Arg {
			continue
		}
		word := argName(f)
		if !f.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// argName is what help calls a positional argument.
func argName(f verb.Field) string {
	if f.File {
		return "FILE"
	}
	return strings.ToUpper(f.Name)
}

// description says when to use a verb, and what is in the file that it takes.
func description(v verb.Verb) string {
	for _, f := range v.Fields {
		if !f.File {
			continue
		}
		var names []string
		for _, sub := range f.Fields {
			names = append(names, sub.Name)
		}
		return fmt.Sprintf("%s\n%s is a list of %s in YAML or JSON, and - is standard input. One has %s.",
			v.When, argName(f), f.Name, strings.Join(names, ", "))
	}
	return v.When
}

// runVerb calls a verb with what the command line says and prints what it returns.
func (p *program) runVerb(ctx context.Context, c *cli.Command, v verb.Verb) error {
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	if v.Signs {
		if err := p.signer(ctx, c, w); err != nil {
			return err
		}
	}
	in, err := p.input(ctx, c, v)
	if err != nil {
		return err
	}
	if err := completeIDs(w, v, in); err != nil {
		return err
	}
	return p.call(ctx, w, v, in)
}

func (p *program) call(ctx context.Context, w *verb.Workspace, v verb.Verb, in map[string]any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return usage("the input does not make JSON: %v", err)
	}
	out, err := v.Call(ctx, w, raw)
	if err != nil {
		return err
	}
	if v.Exit != nil {
		p.exit = v.Exit(out)
	}
	if p.json {
		p.printJSON(out)
		return nil
	}
	p.render(v, out)
	return nil
}

func (p *program) printJSON(v any) {
	line, err := harmless.Marshal(v)
	var text bytes.Buffer
	if err == nil {
		err = json.Indent(&text, line, "", "  ")
	}
	if err != nil {
		fprintf(p.Stderr, "cairn: the result does not make JSON: %v\n", err)
		p.exit = exitFailure
		return
	}
	text.WriteByte('\n')
	_, _ = text.WriteTo(p.out)
}

// completeIDs replaces parts of ids by the ids they are parts of. What takes something away wants the whole id.
func completeIDs(w *verb.Workspace, v verb.Verb, in map[string]any) error {
	if v.Kind == verb.Destructive {
		return nil
	}
	for _, f := range v.Fields {
		if f.Names == "" || in[f.Name] == nil {
			continue
		}
		var err error
		switch value := in[f.Name].(type) {
		case string:
			in[f.Name], err = completeID(w, f.Names, value)
		case []string:
			for i, part := range value {
				if value[i], err = completeID(w, f.Names, part); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func completeID(w *verb.Workspace, kind, part string) (string, error) {
	if part == "" {
		return "", nil
	}
	s, err := w.Open()
	if err != nil {
		return "", err
	}
	if kind == "session" {
		return s.ResolveSession(part)
	}
	id, err := s.Resolve(part)
	if _, malformed := task.ParseID(part); task.CodeOf(err) == task.NotFound && malformed == nil {
		return part, nil // a whole id that is not there: the verb knows what that means
	}
	return string(id), err
}
