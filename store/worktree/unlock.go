package worktree

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/problem"
)

// lockSettles is how long a lock file of git must stay as it is before it counts as one that a killed git left.
const lockSettles = time.Second

// Unlock removes the lock files that a killed git left in a work tree: of its index, its HEAD and its branch. It is for who has ended every process
// that worked there; a lock that changes or goes meanwhile is that of a git that lives, and stays. It returns the names of those that it removed, and
// the errors of Verify.
func (w *Worktrees) Unlock(ctx context.Context, t Tree) (removed []string, err error) {
	if err := w.Verify(ctx, t); err != nil {
		return nil, err
	}
	there, err := w.opened(t.Path)
	if err != nil {
		return nil, err
	}
	held := map[string]os.FileInfo{}
	for _, path := range []string{
		filepath.Join(there.GitDir, "index.lock"), filepath.Join(there.GitDir, "HEAD.lock"),
		filepath.Join(there.CommonDir, "refs", "heads", filepath.FromSlash(t.Branch)+".lock"),
	} {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			held[path] = info
		}
	}
	if len(held) == 0 {
		return nil, nil
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
