package cmd

import (
	"context"

	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// setupResult is what setup changed.
type setupResult struct {
	Workspace string   `json:"workspace"`
	Changed   []string `json:"changed"`
}

func (p *program) setupCommand() *cli.Command {
	return &cli.Command{
		Name:      "setup",
		Usage:     "Install the merge driver in this clone, or remove it; shows the changes and asks first.",
		ArgsUsage: "merge-driver",
		Category:  "workspace",
		Description: "It writes lines between two marks in the workspace's .gitattributes, to be committed, and merge.cairn.name and\n" +
			"merge.cairn.driver in the clone's own git config, which every clone needs for itself.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "remove", Local: true, Usage: "take it out again"},
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "do not ask"},
		},
		Action: p.runSetup,
	}
}

func (p *program) runSetup(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 || c.Args().First() != "merge-driver" {
		return usage("does not know what to set up").WithHint("cairn setup merge-driver")
	}
	layout, err := p.layout(c)
	if err != nil {
		return err
	}
	return p.setUpMergeDriver(ctx, layout, c.Bool("remove"), c.Bool("yes"))
}

// setUpMergeDriver shows what will change and, once that is agreed to, changes it.
func (p *program) setUpMergeDriver(ctx context.Context, layout store.Layout, remove, yes bool) error {
	plan, err := layout.PlanMergeDriver(ctx, remove)
	if err != nil {
		return err
	}
	if !p.json {
		for _, line := range plan.Lines {
			p.printf("%s\n", line)
		}
	}
	if len(plan.Lines) > 0 && !yes {
		if err := p.agree(ctx, "cairn setup merge-driver --yes makes the changes"); err != nil {
			return err
		}
	}
	if err := plan.Apply(ctx); err != nil {
		return err
	}
	switch {
	case p.json:
		p.printJSON(setupResult{layout.Root, append([]string{}, plan.Lines...)})
	case len(plan.Lines) == 0:
		p.printf("nothing to change\n")
	}
	return nil
}

// agree asks the person at the terminal whether what was shown may be changed. The hint says how it is done without one.
func (p *program) agree(ctx context.Context, hint string) error {
	if _, ok := isTerminal(p.Stdin); !ok || p.json {
		return usage("there is no terminal to ask on").WithHint("%s", hint)
	}
	ok, err := p.ask(ctx, "Make these changes?")
	if err == nil && !ok {
		return usage("not agreed to").WithHint("nothing was changed")
	}
	return err
}
