package worktree

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/problem"
)

// lockSettles is how long a lock file of git must stay as it is before it counts as one that a killed git left.
const lockSettles = time.Second

// Unlock removes the lock files that a killed git left in a work tree: of its index, its HEAD and its branch. The
// caller has ended every process that worked there. A lock that changes or goes within a second belongs to a git that
// still runs, and stays. Unlock returns the names of the files that it removed, and the errors of Verify.
func (w *Worktrees) Unlock(ctx context.Context, t Tree) (removed []string, err error) {
	return w.on(t).unlock(ctx)
}

func (w work) unlock(ctx context.Context) (removed []string, err error) {
	if err := w.verify(ctx); err != nil {
		return nil, err
	}
	held, err := w.lockFiles()
	if err != nil || len(held) == 0 {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(lockSettles):
	}
	for path, before := range held {
		now, err := os.Lstat(path)
		if err != nil || !os.SameFile(before, now) || !now.ModTime().Equal(before.ModTime()) || now.Size() != before.Size() {
			continue
		}
		if err := disk.RemoveFile(path); err != nil {
			return removed, problem.IO(err)
		}
		removed = append(removed, filepath.Base(path))
	}
	return removed, nil
}

// lockFiles are the lock files of git in the work tree, by their paths.
func (w work) lockFiles() (map[string]os.FileInfo, error) {
	there, err := opened(w.tree.Path)
	if err != nil {
		return nil, err
	}
	held := map[string]os.FileInfo{}
	for _, path := range []string{
		filepath.Join(there.GitDir, "index.lock"), filepath.Join(there.GitDir, "HEAD.lock"),
		filepath.Join(there.CommonDir, "refs", "heads", filepath.FromSlash(w.tree.Branch)+".lock"),
	} {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			held[path] = info
		}
	}
	return held, nil
}
