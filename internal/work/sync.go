package work

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Sync says how a workspace is brought together with the upstream of the branch that is checked out.
type Sync struct {
	Publish bool // a branch that the remote does not have is pushed too
	Ask     bool // git may ask for a password on the terminal
	Now     func() time.Time
}

// Run brings the workspace together with the upstream, as worktree.Sync says, and has the merge driver installed if
// it is not. It returns the changes of that, for people. A .gitattributes with uncommitted changes is left alone, and
// so is the driver then.
func (in Sync) Run(ctx context.Context, s *store.Store) (done worktree.Synced, driver []string, err error) {
	trees, err := Trees(s, in.Now)
	if err != nil {
		return done, nil, err
	}
	done, err = trees.Sync(ctx, worktree.Sync{
		Publish: in.Publish, Ask: in.Ask, Exclusively: exclusively(s),
		SetUp: func(ctx context.Context) (changed []string, err error) {
			driver, changed, err = installDriver(ctx, s.Layout)
			return changed, err
		},
	})
	return done, driver, err
}

// installDriver installs the merge driver where it is not. It returns the changes for people, and the files that are to
// be committed, which also are those that a killed process changed before.
func installDriver(ctx context.Context, l layout.Layout) (lines, changed []string, err error) {
	const name = ".gitattributes"
	now, err := layout.ReadFile(l.Abs(name))
	if err != nil && !problem.Missing(err) {
		return nil, nil, problem.IO(err)
	}
	var was []byte
	err = l.Repo.Objects().Blobs(ctx, []string{"HEAD:" + l.InRepo(name)}, 1<<20, func(_ int, b git.Blob) { was = b.Content })
	if err != nil {
		return nil, nil, err
	}
	want := store.WithMergeDriver(string(was))
	if !slices.Contains([]string{string(was), want}, string(now)) {
		return nil, nil, nil
	}
	d, err := store.MergeDriverOf(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	if !d.Attributes || d.Command == "" {
		plan, err := store.PlanMergeDriver(ctx, l, false)
		if err == nil {
			err = plan.Apply(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		lines = plan.Lines
	}
	if want != string(was) && (!d.Attributes || want == string(now)) {
		changed = []string{name}
	}
	return lines, changed, nil
}
