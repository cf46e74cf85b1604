package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// exitConflict says to git that the file has conflicts.
const exitConflict = 1

func mergeCommands() []command {
	return []command{declare(command{
		name:  mergeDriver,
		usage: "Merge two versions of a file of a workspace, key by key; git calls it.",
		args:  "BASE OURS THEIRS MARKER-SIZE PATH",
		group: "workspace",
		about: "The result takes the place of OURS. It exits with 0 if nothing is left to settle and with 1 if there are conflict\n" +
			"markers in it. cairn setup merge-driver has git call it.",
		raw: true, // a path may begin with a dash
	}, runMergeDriver)}
}

// runMergeDriver reads and writes only the files that it is given: it takes no lock, asks nothing, and runs no git,
// which waits for it.
func runMergeDriver(ctx context.Context, p *call, _ nothing) error {
	args := p.words()
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cli.ShowCommandHelp(ctx, p.line.Root(), p.line.Name)
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
		if versions[i], err = layout.ReadInput(p.abs(name)); err != nil {
			return usage("%v", err).WithHint("git passes the names of three files as %%O %%A %%B")
		}
	}
	markers := format.Markers{Size: size, Ours: "ours", Theirs: "theirs"}
	merged, clean := kind.Merge(filepath.ToSlash(args[4]), versions[0], versions[1], versions[2], p.flowAt(args[4]), markers)
	// The file is a temporary one of git's, which reads it when this process ends.
	if err := os.WriteFile(p.abs(args[1]), merged, 0o666); err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	if !clean {
		p.exit = exitConflict
	}
	return nil
}

// flowAt is the flow of the workspace that a file belongs to; the default one for one of no workspace.
func (p Env) flowAt(name string) task.Flow {
	for dir := filepath.Dir(p.abs(name)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == layout.Folder {
			return snapshot.FlowToMerge(layout.Layout{Root: filepath.Dir(dir)})
		}
	}
	return kind.DefaultConfig().Flow
}
