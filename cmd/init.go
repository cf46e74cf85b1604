package cmd

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// initResult is what init did.
type initResult struct {
	Workspace string   `json:"workspace"`
	Prefix    string   `json:"prefix"`
	Made      []string `json:"made"`
	Trusted   bool     `json:"trusted"`
	Outer     string   `json:"outer,omitempty"` // the workspace that a new one was made in

	MergeDriver []string `json:"merge_driver,omitempty"` // what installing it changed
}

func (p *program) initCommand() *cli.Command {
	return &cli.Command{
		Name:     "init",
		Usage:    "Make this folder a workspace, or finish one that is half made; nothing is overwritten.",
		Category: "workspace",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "prefix", Local: true, Usage: "what ids begin with, as `PREFIX`-...; made of the folder's name unless told"},
			&cli.BoolFlag{Name: "merge-driver", Local: true, Usage: "install the merge driver too, as cairn setup merge-driver --yes does"},
		},
		Action: p.runInit,
	}
}

func (p *program) runInit(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	dir, err := p.dir(c)
	if err != nil {
		return err
	}
	actor, err := p.actor(ctx, c, dir)
	if err != nil {
		return err
	}
	driver, err := p.planMergeDriver(ctx, c, dir)
	if err != nil {
		return err
	}
	outer := outerWorkspace(dir)
	layout, made, err := store.Init(dir, c.String("prefix"))
	if err != nil {
		return err
	}
	s, err := store.Open(layout.Root, p.stateDir())
	if err != nil {
		return err
	}
	harmless, err := s.Harmless(ctx)
	if err != nil {
		return err
	}
	if harmless {
		err = s.SetTrust(actor, p.Now())
	}
	r := initResult{Workspace: s.Root, Prefix: s.Config.Prefix, Made: append([]string{}, made...), Trusted: s.Trusted()}
	if len(made) > 0 {
		r.Outer = outer
	}
	if driver != nil {
		r.MergeDriver = driver.Lines
	}
	p.showInit(r, harmless)
	if driver != nil {
		err = errors.Join(err, driver.Apply(ctx))
	}
	return err // what was made stands, even where consent cannot be kept
}

// outerWorkspace is the workspace that commands in a folder work on while it is none itself; "" if there is none.
func outerWorkspace(dir string) string {
	layout, err := store.Find(dir)
	if err != nil || layout.Root == filepath.Clean(dir) {
		return ""
	}
	return layout.Root
}

// planMergeDriver is nil unless the driver was asked for. It comes first, so that nothing is made where it cannot be.
func (p *program) planMergeDriver(ctx context.Context, c *cli.Command, dir string) (*store.MergeSetup, error) {
	if !c.Bool("merge-driver") {
		return nil, nil
	}
	layout, err := store.LayoutAt(dir)
	if err != nil {
		return nil, err
	}
	return layout.PlanMergeDriver(ctx, false)
}

func (p *program) showInit(r initResult, harmless bool) {
	if p.json {
		p.printJSON(r)
		return
	}
	if len(r.Made) == 0 {
		p.printf("%s is a workspace already (prefix %s)\n", r.Workspace, r.Prefix)
	}
	for _, path := range r.Made {
		p.printf("wrote %s\n", path)
	}
	if r.Outer != "" {
		p.printf("It lies in the workspace %s; commands in this folder do not work on that one any longer.\n", r.Outer)
	}
	for _, line := range r.MergeDriver {
		p.printf("%s\n", line)
	}
	if !r.Trusted && !harmless {
		p.printf("It has tasks or commands that came from elsewhere: cairn trust lists the commands before any of them runs.\n")
	}
	if len(r.Made) > 0 {
		p.printf("Next: cairn create 'what is to be done', and commit .cairn.\n")
	}
}

func noArguments(c *cli.Command) error {
	if c.Args().Len() > 0 {
		return usage("does not take the argument %q", c.Args().First()).WithHint("cairn help %s", c.Name)
	}
	return nil
}
