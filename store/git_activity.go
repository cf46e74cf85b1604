package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Git does not take cairn's lock. A checkout reads a file, finds it unchanged, and replaces it; what was written in
// between is in no file, no commit and no stash. A stash reads the files, and resets them some time later. So a write
// waits while git is at work in the worktree, checks afterwards whether git was at work meanwhile, and is made again if
// its entry is gone. What is lost all the same, if git read the file before the write and replaced it afterwards, is
// known from the journal (session.Overwritten).

const (
	gitPatience = 5 * time.Second        // how long a write waits for git in all; it does not wait for an older lock of git's
	gitQuiet    = 30 * time.Millisecond  // git is done if it has made no file for so long; the steps of a stash are closer
	gitStash    = 300 * time.Millisecond // how long after naming its commit a stash resets the files, on a slow machine
	gitNap      = 2 * time.Millisecond
)

// gitActivity shows when git is at work in a worktree. Outside git it never is.
type gitActivity struct{ repo *git.Repo }

// gitTrace is what git leaves when it works: if two traces are equal, git was not at work between them.
type gitTrace struct {
	locked  bool
	folder  time.Time // when the git folder was last changed: git makes and renames its lock there
	stashed time.Time
}

func (g gitActivity) trace() gitTrace {
	if g.repo == nil {
		return gitTrace{}
	}
	return gitTrace{layout.Exists(g.lock()), layout.Modified(g.repo.GitDir), layout.Modified(g.stash())}
}

// lock is the path of the lock under which git changes the files of this worktree.
func (g gitActivity) lock() string { return filepath.Join(g.repo.GitDir, "index.lock") }

// stash is the path of the ref of the newest stash, where refs are files.
func (g gitActivity) stash() string { return filepath.Join(g.repo.CommonDir, "refs", "stash") }

// await waits until git is not at work in this worktree, or until a moment, and reports whether git may still be at
// work. It does not wait for a lock that is older than five seconds: the command was killed, or waits for a person.
func (g gitActivity) await(ctx context.Context, until time.Time) (atWork bool) {
	if g.repo == nil {
		return false
	}
	for g.atWork() {
		if time.Now().After(until) || ctx.Err() != nil {
			return true
		}
		time.Sleep(gitNap)
	}
	return layout.Exists(g.lock())
}

// atWork reports whether git holds its lock, or did so a moment ago, or is in the middle of a stash.
func (g gitActivity) atWork() bool {
	now := time.Now()
	young := func(path string, than time.Duration) bool {
		at := layout.Modified(path)
		return !at.IsZero() && at.After(now.Add(-than)) && at.Before(now.Add(than))
	}
	switch {
	case young(g.lock(), gitPatience), young(g.repo.GitDir, gitQuiet), young(g.stash(), gitStash):
		return true
	case young(g.repo.GitDir, gitPatience):
		entries, _ := os.ReadDir(g.repo.GitDir)
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "index.stash.") })
	default:
		return false
	}
}
