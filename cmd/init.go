package cmd

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
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

// initCommand is cairn init.
type initCommand struct{ *program }

func (p initCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "init",
		Usage:    "Make this folder a workspace, or finish one that is half made; nothing is overwritten.",
		Category: "workspace",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "prefix", Local: true, Usage: "what ids begin with, as `PREFIX`-...; by default, made of the folder's name"},
			&cli.BoolFlag{Name: "merge-driver", Local: true, Usage: "install the merge driver too, as cairn setup merge-driver --yes does"},
		},
		Action: p.run,
	}
}

func (p initCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	dir := w.Dir
	driver, err := p.planMergeDriver(ctx, c, dir)
	if err != nil {
		return err
	}
	outer := outerWorkspace(dir)
	made, err := projects.Init(ctx, w, dir, c.String("prefix"))
	if err != nil {
		return err
	}
	s, err := made.Store, made.Consent
	r := initResult{Workspace: s.Root, Prefix: s.Config.Prefix, Made: append([]string{}, made.Files...), Trusted: s.Trusted()}
	if len(made.Files) > 0 {
		r.Outer = outer
	}
	if driver != nil {
		r.MergeDriver = driver.Lines
	}
	p.show(r, made.Harmless)
	if driver != nil {
		err = errors.Join(err, driver.Apply(ctx))
	}
	return err // the workspace is made, even if the consent could not be stored
}

// outerWorkspace is the workspace above a folder that is none itself; "" if there is none.
func outerWorkspace(dir string) string {
	layout, err := layout.Find(dir)
	if err != nil || layout.Root == filepath.Clean(dir) {
		return ""
	}
	return layout.Root
}

// planMergeDriver plans what --merge-driver asks for, or returns nil. It is called first, so that init makes nothing if
// the plan is impossible.
func (p initCommand) planMergeDriver(ctx context.Context, c *cli.Command, dir string) (*store.MergeSetup, error) {
	if !c.Bool("merge-driver") {
		return nil, nil
	}
	layout, err := layout.At(dir)
	if err != nil {
		return nil, err
	}
	return store.PlanMergeDriver(ctx, layout, false)
}

func (p initCommand) show(r initResult, harmless bool) {
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
		p.printf("Next: cairn add 'what is to be done', and commit .cairn.\n")
	}
}
