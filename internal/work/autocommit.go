package work

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
)

// Autocommit commits what was written in each workspace whose config says that each write is a commit, as
// worktree.Autocommit says. The writes stand, whatever comes of it: it returns a line for people for each workspace
// where the commit could not be made.
func Autocommit(ctx context.Context, w *store.Writes, stateDir string, now func() time.Time) (warnings []string) {
	for _, root := range w.Take() {
		s, err := store.Open(root, stateDir)
		if err != nil || !s.Config.Autocommit || s.Repo == nil || ctx.Err() != nil {
			continue
		}
		trees, err := Trees(s, now)
		if err == nil {
			err = trees.Autocommit(ctx, exclusively(s))
		}
		if err != nil && ctx.Err() == nil {
			warnings = append(warnings, "it was written, and not committed: "+reason(err))
		}
	}
	return warnings
}

// exclusively runs functions while nothing is written in a workspace.
func exclusively(s *store.Store) func(context.Context, func() error) error {
	return func(ctx context.Context, fn func() error) error {
		return s.Update(ctx, func(*store.Tx) error { return fn() })
	}
}

// reason is an error in a line.
func reason(err error) string {
	text := record.MessageOf(err)
	if git.Exited(err) != 0 {
		text = "git failed: " + git.Complaint(err)
	}
	return record.Clip(text, 300)
}
