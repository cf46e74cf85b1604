package worktree

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store/layout"
)

// clone is the clone that the work trees belong to, with the workspace in it and the options. Whatever is done to a
// work tree holds one.
type clone struct {
	layout layout.Layout
	repo   *git.Repo
	o      Options
}

func (c *clone) records() records { return records{c.layout.Live} }

// treeOf is the work tree that a record describes.
func (c *clone) treeOf(m made) Tree {
	return Tree{Task: m.Task, Path: m.Path, Root: c.rootIn(m.Path), Branch: m.Branch, Base: m.Base, BaseCommit: m.BaseCommit}
}

// rootIn is the workspace in a work tree of the clone.
func (c *clone) rootIn(top string) string {
	return filepath.Join(top, filepath.FromSlash(layout.SlashRel(c.repo.Top, c.layout.Root)))
}

// adminDir is the folder in which git keeps what it knows of a work tree. It stays where it is when the work tree is
// moved.
func (c *clone) adminDir(m made) string {
	return filepath.Join(c.repo.CommonDir, filepath.FromSlash(m.GitDir))
}

// opened is the repository of the work tree whose top is a path.
func opened(path string) (*git.Repo, error) {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return nil, record.Errorf(record.NotFound, "there is no folder %s", path)
	}
	repo, ok, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if !ok || repo.Top != path {
		return nil, record.Errorf(record.Conflict, "%s is no work tree", path)
	}
	return repo, nil
}

// isOurs reports whether a repository is a work tree of this clone, other than the main one.
func (c *clone) isOurs(there *git.Repo) bool {
	return there.Linked() && there.CommonDir == c.repo.CommonDir
}

// trusted reports whether programs that the clone's config names may be started.
func (c *clone) trusted() bool {
	return c.o.StateDir == "" || trust.Trusted(c.layout, c.o.StateDir)
}

// mayWrite returns UNTRUSTED if the user has not let the commands of the clone run: what git does for a commit, a
// checkout or a merge starts the hooks, filters and drivers of its config.
func (c *clone) mayWrite() error {
	if c.trusted() {
		return nil
	}
	return record.Errorf(record.Untrusted, "the commands of this clone were not approved on this machine, and git would run some").
		WithHint("read what its .git/config and hooks run; %s approves it", record.CallTo("trust"))
}

// lock takes a lock of the clone by its name: that of a task, or of a base. Only its holder changes the work tree of
// the task, or the base.
func (c *clone) lock(ctx context.Context, name string) (release func(), err error) {
	if err := c.layout.MakeWorktrees(); err != nil {
		return nil, err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(c.layout.Live.Worktrees(), name+".lock"))
	if ctx.Err() != nil {
		return nil, record.Errorf(record.Busy, "another process works on %s for too long: %w", name, ctx.Err()).WithHint("try again later")
	}
	if err != nil {
		return nil, c.layout.Live.Failed(err)
	}
	return func() { _ = lock.Release() }, nil
}

// lockTask takes the lock of the work tree of a task.
func (c *clone) lockTask(ctx context.Context, id record.ID) (release func(), err error) {
	return c.lock(ctx, taskLock(id))
}

func taskLock(id record.ID) string { return "task-" + string(id) }
