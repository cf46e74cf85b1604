package doctor

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store"
)

const setupFix = "cairn setup merge-driver"

// mergeDriver finds a half of the merge driver that is missing: the attributes, which are committed, or the command in
// the clone's own config, which no clone inherits. If both are missing, nobody asked for the driver, and that is a
// notice without a repair.
func (v Visit) mergeDriver(ctx context.Context) ([]Finding, error) {
	if v.Store.Repo == nil {
		return nil, nil
	}
	d, err := store.MergeDriverOf(ctx, v.Store.Layout)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Attributes && d.Command == "":
		return v.setup(ctx, find(MergeDriverMissing, "", "git merges tasks line by line here: this clone's config does not name the driver that the attributes ask for", ""))
	case d.Attributes && !found(d.Command, v.Store.Worktree):
		return []Finding{find(MergeDriverNotFound, "", "git cannot merge tasks: it is to run "+d.Command+", and there is no such program",
			"put cairn on the PATH that git sees")}, nil
	case !d.Attributes && d.Installed:
		return v.setup(ctx, find(MergeAttributes, ".gitattributes", "git merges tasks line by line here: no attributes ask for the driver that this clone's config names", ""))
	case !d.Attributes:
		return []Finding{find(MergeDriverOff, "", "git merges tasks line by line, and two branches that write to one task conflict", setupFix)}, nil
	default:
		return nil, nil
	}
}

// setup gives a finding the repair that cairn setup merge-driver makes.
func (v Visit) setup(ctx context.Context, f Finding) ([]Finding, error) {
	plan, err := store.PlanMergeDriver(ctx, v.Store.Layout, false)
	if err != nil {
		return nil, err
	}
	f = f.fixable(plan.Lines, plan.Apply)
	f.Fix = setupFix
	return []Finding{f}, nil
}

// found reports whether the program of a command can be found from the top of the work tree, where git runs it. A
// command that is more than a program and its arguments is the shell's to judge.
func found(command, top string) bool {
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if strings.ContainsAny(program, `'"$=\(;&|~`) {
		return true
	}
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(top, program)
	}
	_, err := exec.LookPath(program)
	return err == nil
}
