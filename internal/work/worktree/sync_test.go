package worktree_test

import (
	"context"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A sync pushes nothing over what it has not merged, also if another git in the clone fetches that meanwhile, or takes
// the branch back.
func TestSlowSyncOverwritesNothing(t *testing.T) {
	slowtest.Skip(t)
	for name, meanwhile := range map[string]func(f *field){
		"fetched": func(f *field) {
			tree := f.git("commit-tree", "-p", "origin/main", "-m", "theirs", "origin/main^{tree}")
			f.git("push", "-q", "origin", tree+":refs/heads/main")
			f.git("fetch", "-q", "origin")
		},
		"taken back": func(f *field) { f.git("reset", "-q", "--hard", "origin/main^") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			f.remote()
			f.git("commit", "-q", "--allow-empty", "-m", "second")
			f.git("push", "-q", "-u", "origin", "main")
			theirs := ""
			_, err := f.w.Sync(t.Context(), worktree.Sync{
				Exclusively: func(_ context.Context, fn func() error) error { return fn() },
				SetUp: func(context.Context) ([]string, error) { // it comes after the merge and before the push
					meanwhile(f)
					f.git("commit", "-q", "--allow-empty", "-m", "ours")
					theirs = f.git("rev-parse", "origin/main")
					return nil, nil
				},
			})
			storetest.WantCode(t, err, "")
			f.git("fetch", "-q", "origin")
			f.git("merge-base", "--is-ancestor", theirs, "origin/main")
			if here, there := f.git("rev-parse", "main"), f.git("rev-parse", "origin/main"); here != there {
				t.Errorf("main is %s here and %s there", here, there)
			}
		})
	}
}
