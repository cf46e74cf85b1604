package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// exitConflict is what git reads as a file with conflicts.
const exitConflict = 1

func (p *program) mergeDriverCommand() *cli.Command {
	return &cli.Command{
		Name:      "merge-driver",
		Usage:     "Merge two versions of a file of a workspace, key by key; git calls it.",
		ArgsUsage: "BASE OURS THEIRS MARKER-SIZE PATH",
		Category:  "workspace",
		Description: "The result takes the place of OURS. It exits with 0 if nothing is left to settle and with 1 if there are conflict\n" +
			"markers in it. cairn setup merge-driver has git call it.",
		SkipFlagParsing: true, // a path may begin with a dash
		Action:          p.runMergeDriver,
	}
}

// runMergeDriver is pure but for its files: no lock, no clock, no prompt, and no git process, since git is running already.
func (p *program) runMergeDriver(ctx context.Context, c *cli.Command) error {
	args := c.Args().Slice()
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cli.ShowCommandHelp(ctx, c.Root(), c.Name)
	}
	if len(args) != 5 {
		return usage("takes 5 arguments and not %d", len(args)).WithHint("git calls it as cairn merge-driver %%O %%A %%B %%L %%P")
	}
	size, err := strconv.Atoi(args[3])
	if err != nil || size < 1 || size > 1000 {
		return usage("%q is not the size of a marker", args[3]).WithHint("git passes it as %%L, and it is 7 as a rule")
	}
	var versions [3][]byte
	for i, name := range args[:3] {
		if versions[i], err = store.ReadInput(p.at(name)); err != nil {
			return usage("%v", err).WithHint("git passes the names of three files as %%O %%A %%B")
		}
	}
	markers := frontmatter.Markers{Size: size, Ours: "ours", Theirs: "theirs"}
	merged, clean := store.Merge(filepath.ToSlash(args[4]), versions[0], versions[1], versions[2], p.flowAt(args[4]), markers)
	// The file is git's own, temporary, and read as soon as we exit.
	if err := os.WriteFile(p.at(args[1]), merged, 0o666); err != nil {
		return task.Errorf(task.IO, "%w", err)
	}
	if !clean {
		p.exit = exitConflict
	}
	return nil
}

// at is a path as seen from the working directory.
func (p *program) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// flowAt is the flow of the workspace that a file belongs to. A config that cannot be read, as it may be in the middle of a
// merge, says nothing.
func (p *program) flowAt(name string) task.Flow {
	for dir := filepath.Dir(p.at(name)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) != store.Folder {
			continue
		}
		if flow, err := (store.Layout{Root: filepath.Dir(dir)}).FlowHere(); err == nil {
			return flow
		}
	}
	return store.DefaultConfig().Flow
}
