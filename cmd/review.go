package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

// reviewCommand is one action of the verb review_apply, as in cairn review approve ID.
type reviewCommand struct {
	*program
	action string
	usage  string
	about  string   // when it is used
	text   string   // what the text is called behind the id; "" if there is none
	flags  []string // fields that have a flag, beside those that every action has
}

// reviewCommands are the commands below cairn review that are no verbs.
func (p *program) reviewCommands() []*cli.Command {
	var out []*cli.Command
	for _, c := range []reviewCommand{
		{action: "approve", text: "[TEXT]", usage: "Approve the work on a task, as its branch has it.", about: "It counts for the files as they are; a later commit of code makes it stale. Where the task names a reviewer, only that one can."},
		{action: "reject", text: "TEXT", flags: []string{"restart"}, usage: "Send a task back to work, with the reason.", about: "Whoever goes on with the task is told the reason."},
		{action: "rebase", flags: []string{"base"}, usage: "Rebase the branch of a task onto its base.", about: "A conflict changes nothing. It needs the profile maintainer."},
		{action: "merge", text: "[MESSAGE]", flags: []string{"strategy", "base"}, usage: "Merge the branch of a task, once it was tested as merged, and close the task.", about: "The merge is made and checked in a work tree that is thrown away; what is refused changes nothing. It needs the profile maintainer."},
		{action: "pr", text: "[TEXT]", flags: []string{"base"}, usage: "Push the branch of a task, and open a pull request with gh or glab.", about: "It pushes to origin. cairn review sync asks later what became of it. It needs the profile maintainer."},
	} {
		c.program = p
		out = append(out, c.command())
	}
	return append(out, reviewShowCommand{p}.command())
}

func (p reviewCommand) verb() verb.Verb {
	v, _ := catalogue.Named("review_apply")
	return v
}

func (p reviewCommand) fields() []verb.Field {
	return slices.DeleteFunc(slices.Clone(p.verb().Fields()), func(f verb.Field) bool {
		return !slices.Contains(append(p.flags, "idempotency_key"), f.Name)
	})
}

func (p reviewCommand) command() *cli.Command {
	c := &cli.Command{Name: p.action, Usage: p.usage, ArgsUsage: "ID", Description: p.about, Action: p.run}
	if p.text != "" {
		c.ArgsUsage += " " + p.text
	}
	for _, f := range p.fields() {
		c.Flags = append(c.Flags, flagsOf(f)...)
	}
	if p.action == "approve" {
		c.Flags = append(c.Flags, signFlags()...)
	}
	return c
}

func (p reviewCommand) run(ctx context.Context, c *cli.Command) error {
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	if p.action == "approve" {
		if err := p.giveSigner(ctx, c, w); err != nil {
			return err
		}
	}
	in := newInput(p.program, c, p.verb())
	in.values["action"] = p.action
	args := c.Args().Slice()
	most := 1
	if p.text != "" {
		most = 2
	}
	if len(args) > most {
		return usage("does not take the argument %q", args[most]).WithHint("cairn review %s %s; quote text that has spaces", p.action, c.ArgsUsage)
	}
	if least := len(strings.Fields(strings.ReplaceAll(c.ArgsUsage, " ["+strings.Trim(p.text, "[]")+"]", ""))); len(args) < least {
		return usage("needs %s", c.ArgsUsage).WithHint("cairn review %s %s", p.action, c.ArgsUsage)
	}
	for i, name := range []string{"id", "text"}[:len(args)] {
		f := p.verb().Fields()[slices.IndexFunc(p.verb().Fields(), func(f verb.Field) bool { return f.Name == name })]
		if err := in.argument(ctx, f, args[i]); err != nil {
			return err
		}
	}
	for _, f := range p.fields() {
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	return verbCommand{program: p.program, verb: p.verb(), as: "review " + p.action}.call(ctx, w, in)
}

// reviewShowCommand is cairn review show: the verb that reads a task, with its part about the review.
type reviewShowCommand struct{ *program }

func (p reviewShowCommand) command() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "Show what there is to review of a task: what its branch changes, checks, approval, decisions, comments, the last job.",
		ArgsUsage: "ID", Action: p.run,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "diff", Local: true, Usage: "show the whole diff instead"}},
	}
}

func (p reviewShowCommand) run(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return usage("needs the id of a task").WithHint("cairn review show ID")
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	get, _ := catalogue.ReaderOf("task")
	in := newInput(p.program, c, get)
	in.values["id"] = c.Args().First()
	if c.Bool("diff") {
		in.values["part"] = "diff"
	} else {
		in.values["include"] = []string{"review"}
	}
	return verbCommand{program: p.program, verb: get}.call(ctx, w, in)
}
