package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
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

type initIn struct {
	Prefix      string `json:"prefix,omitempty" doc:"what ids begin with, as PREFIX-...; by default, made of the folder's name" cli:"value=PREFIX"`
	MergeDriver bool   `json:"merge_driver,omitempty" doc:"install the merge driver too, as cairn setup merge-driver --yes does"`
}

func initCommands() []command {
	return []command{declare(command{
		name:  "init",
		usage: "Make this folder a workspace, or finish one that is half made; nothing is overwritten.",
		group: "workspace",
	}, runInit)}
}

func runInit(ctx context.Context, c *call, in initIn) error {
	w, err := c.workspace(ctx)
	if err != nil {
		return err
	}
	var driver *store.MergeSetup
	if in.MergeDriver { // it is planned first, so that nothing is made if the plan is impossible
		at, err := layout.At(w.Dir)
		if err == nil {
			driver, err = store.PlanMergeDriver(ctx, at, false)
		}
		if err != nil {
			return err
		}
	}
	outer := outerWorkspace(w.Dir)
	made, err := projects.Init(ctx, w, w.Dir, in.Prefix)
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
	c.showInit(r, made.Harmless)
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

func (p *call) showInit(r initResult, harmless bool) {
	if p.asJSON(r) {
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

// flowAt is the flow of the workspace that a file belongs to; the default one if its config cannot be read, as in the
// middle of a merge.
func (p Env) flowAt(name string) task.Flow {
	for dir := filepath.Dir(p.abs(name)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) != layout.Folder {
			continue
		}
		if flow, err := snapshot.FlowHere(layout.Layout{Root: filepath.Dir(dir)}); err == nil {
			return flow
		}
	}
	return kind.DefaultConfig().Flow
}
