package worktree

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// holder is the work tree that has a base checked out. Nothing but git itself may move the base then.
type holder struct {
	*git.Repo
	base string // short name
}

// holderOf is the work tree that has a base checked out; nil if none has. It returns BASE_DIRTY if two have, or if a
// rebase or a bisection of the base is under way in one.
func (c *clone) holderOf(ctx context.Context, base string) (*holder, error) {
	all, err := c.repo.ListWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	var found *holder
	for _, one := range all {
		path, holds := filepath.FromSlash(one.Path), one.Branch == "refs/heads/"+base
		there, err := opened(path)
		if one.Bare || err != nil {
			if holds && layout.Exists(path) && !one.Bare {
				return nil, err
			}
			continue // its folder is gone
		}
		if what := underWay(there, base); what != "" {
			return nil, record.Errorf(record.BaseDirty, "%s of %s is under way in %s", what, base, there.Top).
				WithHint("bring it to its end there, and try again")
		}
		if !holds {
			continue
		}
		if found != nil {
			return nil, record.Errorf(record.BaseDirty, "%s is checked out in %s and in %s", base, found.Top, there.Top).
				WithHint("check out another branch in one of them")
		}
		found = &holder{there, base}
	}
	return found, nil
}

// underWay says which operation on a branch is unfinished in a work tree, of those during which the branch is not
// checked out; "" if none is.
func underWay(there *git.Repo, branch string) string {
	for file, what := range map[string]string{"rebase-merge/head-name": "a rebase", "rebase-apply/head-name": "a rebase", "BISECT_START": "a bisection"} {
		text, err := disk.ReadRegular(filepath.Join(there.GitDir, filepath.FromSlash(file)), 4096)
		if err == nil && strings.TrimPrefix(strings.TrimSpace(string(text)), "refs/heads/") == branch {
			return what
		}
	}
	return ""
}

// mustBeClean returns BASE_DIRTY if tracked files outside .cairn have uncommitted changes.
func (h *holder) mustBeClean(ctx context.Context) error {
	all, err := h.Changes(ctx, git.Looks{})
	if err != nil {
		return err
	}
	var dirty []string
	for _, c := range all {
		if !c.Untracked && !git.Ours(c.Path) {
			dirty = append(dirty, c.Path)
		}
	}
	return h.dirty(dirty)
}

// dirty is the error of files whose uncommitted changes are in the way; nil if there are none.
func (h *holder) dirty(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return record.Errorf(record.BaseDirty, "%s is checked out in %s, where changes are not committed: %s", h.base, h.Top, someOf(paths)).
		WithHint("commit or stash them there, and try again")
}

// gitPatience is how long a merge waits for another git command in the work tree that has the base checked out.
const gitPatience = 5 * time.Second

// awaitGit waits until no other git command holds the index, for gitPatience at most.
func (h *holder) awaitGit(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(gitPatience); layout.Exists(filepath.Join(h.GitDir, "index.lock")) && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
