package cmd

import (
	"context"
	"runtime/debug"

	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// Version is the module's version, as the Go toolchain stamped it: a tag, or "(devel)" for a build from a work tree.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versionResult is what version says. Schema is the number of the JSON promise: fields are only ever added under it.
type versionResult struct {
	Version string `json:"version"`
	Schema  int    `json:"schema"`
	Format  int    `json:"format"`
}

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name:     "version",
		Usage:    "Print the version.",
		Category: "workspace",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if p.json {
				p.printJSON(versionResult{Version(), 1, store.Format})
				return nil
			}
			p.printf("cairn %s\n", Version())
			return nil
		},
	}
}
