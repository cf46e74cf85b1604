package worktree

import "github.com/cairn-tasks/cairn/store/layout"

// BaseLock is the name of the lock of a base.
func BaseLock(base string) string { return "base-" + layout.Name(base) }
