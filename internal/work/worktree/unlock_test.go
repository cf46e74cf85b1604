package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestSlowUnlockRemovesWhatAKilledGitLeft(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree, err := f.w.Make(t.Context(), "PROJ-1", "", "")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSpace(storetest.GitOutput(t, tree.Path, "rev-parse", "--absolute-git-dir"))
	index, branch := filepath.Join(own, "index.lock"), filepath.Join(f.repo, ".git", "refs", "heads", "cairn", "PROJ-1.lock")
	main := filepath.Join(f.repo, ".git", "index.lock")
	for _, path := range []string{index, branch, main} {
		storetest.WriteFile(t, path, "")
	}
	removed, err := f.w.Unlock(t.Context(), tree)
	slices.Sort(removed)
	if err != nil || !slices.Equal(removed, []string{"PROJ-1.lock", "index.lock"}) {
		t.Errorf("removed %v, %v", removed, err)
	}
	if _, err := os.Stat(main); err != nil {
		t.Error("the lock of another work tree was removed")
	}
	storetest.Remove(t, main)
	if _, err := f.w.Commit(t.Context(), tree, "nothing"); err != nil {
		t.Error(err)
	}
}

// A lock that changes is that of a git that lives.
func TestSlowUnlockLeavesALockThatIsAlive(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree, err := f.w.Make(t.Context(), "PROJ-1", "", "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(storetest.GitOutput(t, tree.Path, "rev-parse", "--absolute-git-dir")), "index.lock")
	storetest.WriteFile(t, path, "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 30 { // a git writes the index that is to replace the old one
			_ = os.WriteFile(path, make([]byte, n+1), 0o600)
			time.Sleep(50 * time.Millisecond)
		}
	}()
	removed, err := f.w.Unlock(t.Context(), tree)
	<-done
	if err != nil || len(removed) > 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestCommitRecordsCommitsNothingElse(t *testing.T) {
	f := newField(t)
	tree, err := f.w.Make(t.Context(), "PROJ-1", "", "")
	if err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, filepath.Join(tree.Path, "left.txt"), "left by a check\n")
	storetest.WriteFile(t, filepath.Join(tree.Path, "staged.txt"), "x\n")
	storetest.Git(t, tree.Path, "add", "staged.txt")
	if committed, err := f.w.CommitRecords(t.Context(), tree, "nothing"); err != nil || committed {
		t.Errorf("committed %v, %v", committed, err)
	}
	storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-9")
	committed, err := f.w.CommitRecords(t.Context(), tree, "the record")
	if err != nil || !committed {
		t.Fatalf("committed %v, %v", committed, err)
	}
	if got := storetest.GitOutput(t, tree.Path, "show", "--name-only", "--format=%s"); !strings.Contains(got, "the record") || !strings.Contains(got, "PROJ-9.md") || strings.Contains(got, ".txt") {
		t.Errorf("the commit has %s", got)
	}
	if got := storetest.GitOutput(t, tree.Path, "status", "--porcelain"); !strings.Contains(got, "?? left.txt") || !strings.Contains(got, "A  staged.txt") {
		t.Errorf("left is %s", got)
	}
}
