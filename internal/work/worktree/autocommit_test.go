package worktree_test

import (
	"context"
	"testing"

	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// What is written in the work tree of a task is committed with the work, and in the workspace itself by the write.
func TestAutocommitLeavesWorkTreesAlone(t *testing.T) {
	f := newField(t)
	free := func(_ context.Context, fn func() error) error { return fn() }
	tree := f.make("PROJ-1")
	l, err := layout.Find(tree.Root)
	storetest.WantCode(t, err, "")
	there, err := worktree.Open(l, worktree.Options{})
	storetest.WantCode(t, err, "")
	before := f.in(tree, "rev-parse", "HEAD")
	put(t, tree.Root, ".cairn/config.yaml", "prefix: PROJ\n# a line\n")
	storetest.WantCode(t, there.Autocommit(t.Context(), free), "")
	if now := f.in(tree, "rev-parse", "HEAD"); now != before {
		t.Errorf("the write was committed in the work tree of a task")
	}
}
