package gates

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/progress"
)

// noLimit is the time limit of a set-up command that has none.
const noLimit = 24 * time.Hour

// SetUp runs the set-up command of a work tree (worktree_setup), as the config there has it; without one it does
// nothing. The caller has asked whether the clone is trusted. If the command fails, the error has the given code and
// message, and the end of what it printed; its hint is the caller's to add.
func SetUp(ctx context.Context, s *store.Store, code record.Code, message string) (failed *record.Error, err error) {
	line := s.Config.WorktreeSetup
	if line == "" {
		return nil, nil
	}
	reported := reportWhile(progress.Of(ctx), 0, 1, "setting up the work tree", cmp.Or(s.Config.SetupTimeout, noLimit))
	got, err := check.Attempt(ctx, check.Spec{Cmd: line, Root: s.Root, Timeout: cmp.Or(s.Config.SetupTimeout, noLimit)})
	reported()
	if err != nil || got.Passed {
		return nil, err
	}
	failed = record.Errorf(code, "%s: %s", message, got.Summary()).WithHint("it ends with: %s", verb.Tail(got.Output, 300))
	failed.Details = map[string]any{"output": verb.Tail(got.Output, 2000)}
	return failed, nil
}
