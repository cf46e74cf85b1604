package cmd

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// command is a command that is no verb. It is declared as a verb is: what it takes are the fields of a struct, from
// which its arguments, flags, help and completion follow.
type command struct {
	name   string // in full, as in "trust signer add"
	usage  string // one sentence
	about  string // when it is used
	group  string // the heading under which help lists it
	args   string // how help shows its arguments; "" for what its fields say
	hidden bool   // cairn starts it, and no person types it
	raw    bool   // every word of its line is an argument, also one that begins with a dash
	signs  bool   // its result can be signed
	prints string // the verb whose result it prints, in the form that its caller asks for; "" for none

	takes func() []verb.Field // of a verb, in which it stands for that
	own   func() []verb.Field // of its struct
	run   func(context.Context, *call) error
}

// declare makes a command of a function. In is the struct whose fields it takes; parts of ids in them are completed.
func declare[In any](c command, run func(context.Context, *call, In) error) command {
	c.own = verb.FieldsOf[In]
	c.run = func(ctx context.Context, l *call) error {
		if err := l.completeIDs(ctx); err != nil {
			return err
		}
		own := map[string]any{}
		for _, f := range verb.FieldsOf[In]() {
			if value, given := l.in.values[f.Name]; given {
				own[f.Name] = value
			}
		}
		src, err := json.Marshal(own)
		if err != nil {
			return err
		}
		in, err := verb.DecodeInput[In](src)
		if err == nil {
			err = l.mayInJob(c.name)
		}
		if err != nil {
			return err
		}
		return run(ctx, l, in)
	}
	return c
}

// completeIDs replaces parts of ids by the whole ids, where a flag or an argument can name a record.
func (c *call) completeIDs(ctx context.Context) error {
	named := func(f verb.Field) bool { return f.Names != "" && c.in.values[f.Name] != nil }
	if !slices.ContainsFunc(c.in.fields, named) {
		return nil
	}
	w, err := c.workspace(ctx)
	if err != nil {
		return err
	}
	return c.in.completeIDs(ctx, w)
}

// notInJobs are the commands that are no verbs and change what belongs to the clone, and not to the task of a job.
var notInJobs = []string{"trust", "sync", "setup", "join", "evidence add"}

// mayInJob returns FORBIDDEN for one of notInJobs in the shell of a job's agent.
func (c *call) mayInJob(command string) error {
	if !slices.Contains(notInJobs, command) {
		return nil
	}
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if rights, inJob := c.jobRights(dir); inJob {
		return rights.Allow(verb.Verb{Kind: verb.Write})
	}
	return nil
}

type nothing struct{}

// commands are those that are no verbs, in the order in which help lists them. The first few stand before the verbs.
func commands() []command {
	return slices.Concat(
		initCommands(), readyCommands(), boardCommands(), webCommands(), exportCommands(), editCommands(), closeCommands(),
		checkCommands(), doctorCommands(), workCommands(), trustCommands(), setupCommands(), mergeCommands(), serveCommands(),
		completionCommands(), helpCommands(), skillCommands(), jobCommands(), reviewCommands(), remoteCommands(),
		syncCommands(), resolveCommands(), joinCommands(), answerCommands(), evidenceCommands(),
	)
}

// beforeVerbs is the last of the commands that help lists before the verbs.
const beforeVerbs = "reopen"

// ownCommand is the command that is called so in full and is no verb.
func ownCommand(name string) (command, bool) {
	all := commands()
	return record.Find(all, func(c command) bool { return c.name == name })
}

func verbFields(name string, but ...string) func() []verb.Field {
	return func() []verb.Field {
		return slices.DeleteFunc(slices.Clone(verbNamed(name).Fields()), func(f verb.Field) bool {
			return f.Arg || slices.Contains(but, f.Name)
		})
	}
}

func someFields(name string, names ...string) func() []verb.Field {
	return func() []verb.Field {
		return slices.DeleteFunc(slices.Clone(verbNamed(name).Fields()), func(f verb.Field) bool {
			return !slices.Contains(names, f.Name)
		})
	}
}

func verbNamed(name string) verb.Verb {
	v, _ := catalogue.Named(name)
	return v
}

func (c command) fields() []verb.Field {
	out := c.own()
	if c.takes != nil {
		out = append(out, c.takes()...)
	}
	return out
}

// below are the commands whose names go on behind that of another, and that are no deeper.
func below(name string) []command {
	return slices.DeleteFunc(commands(), func(c command) bool {
		rest, ok := strings.CutPrefix(c.name, name+" ")
		return !ok || strings.Contains(rest, " ")
	})
}

func (c command) make(p *program) *cli.Command {
	fields := c.fields()
	out := &cli.Command{
		Name: c.name[strings.LastIndex(c.name, " ")+1:], Usage: c.usage, Description: c.about, Category: c.group,
		ArgsUsage: c.args, Hidden: c.hidden, SkipFlagParsing: c.raw, Flags: flagsOf(fields),
	}
	if c.args == "" {
		out.ArgsUsage = argsUsage(fields)
	}
	prints := verbNamed(c.prints)
	if c.signs {
		out.Flags = append(out.Flags, signFlags()...)
	}
	if c.prints != "" {
		out.Flags = append(withLetters(out.Flags, prints.Kind), formFlags()...)
	}
	for _, sub := range below(c.name) {
		out.Commands = append(out.Commands, sub.make(p))
	}
	out.Action = func(ctx context.Context, line *cli.Command) error {
		l := &call{program: p, line: line, in: newInput(p, line, fields)}
		if !c.raw {
			l.in.plain = true
			if err := l.in.read(ctx); err != nil {
				return err
			}
			if err := l.in.missing(ctx); err != nil {
				return err
			}
		}
		if err := p.checkForm(ctx, prints); err != nil {
			return err
		}
		if !c.hidden && !c.raw {
			defer l.suggestJoin(ctx)
		}
		return c.run(ctx, l)
	}
	return out
}

// call is one call of a command: its line, and what that says.
type call struct {
	*program
	line *cli.Command
	in   *input
}

func (c *call) words() []string { return c.line.Args().Slice() }

// open returns workspace, and opens its store.
func (c *call) open(ctx context.Context) (*verb.Workspace, *store.Store, error) {
	w, err := c.workspace(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := w.Open()
	return w, s, err
}

// standFor calls a verb as a command that stands for it: with what the line says of its fields, and some values more.
func (c *call) standFor(ctx context.Context, w *verb.Workspace, v verbCommand, more map[string]any) error {
	v.program = c.program
	in := newInput(c.program, c.line, v.verb.Fields())
	in.several, in.each = c.in.several, c.in.each
	for _, f := range v.verb.Fields() {
		for _, values := range []map[string]any{c.in.values, more} {
			if value, given := values[f.Name]; given {
				in.values[f.Name] = value
			}
		}
	}
	return v.call(ctx, w, in)
}

// callVerb calls a verb with an input, and returns its result.
func callVerb[Out any](ctx context.Context, w *verb.Workspace, name string, in map[string]any) (Out, error) {
	var got Out
	src, err := json.Marshal(in)
	if err != nil {
		return got, usage("the input does not make JSON: %v", err)
	}
	out, err := verbNamed(name).Call(ctx, w, src)
	if err == nil {
		got, _ = out.(Out)
	}
	return got, err
}
