package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Git takes no lock of cairn's. A checkout looks at a file, finds it as it was committed, and replaces it: what was written in
// between is in no file, no commit and no stash. A stash reads the files, and resets them some time later. So a write waits
// while git is at work in the worktree, looks afterwards whether git came in between, and is made again if its entry is gone.
// What slips through all the same, because git had looked before and replaced the file after, is known from the journal.

const (
	gitPatience = 5 * time.Second        // for how long a write waits for git in all, and how old a lock of git's may be that it waits for
	gitQuiet    = 30 * time.Millisecond  // git is done once it has made no file for so long; the steps of a stash are closer
	gitStash    = 300 * time.Millisecond // a stash resets the files so long after it has named the commit that keeps them, on a slow machine
	gitNap      = 2 * time.Millisecond
)

// gitSigns is what tells one moment of git's work from another.
type gitSigns struct {
	locked  bool
	folder  time.Time // the git folder was last changed; git makes its lock in it, and renames that
	stashed time.Time
}

func (l Layout) gitSigns() gitSigns {
	if l.Repo == nil {
		return gitSigns{}
	}
	return gitSigns{exists(l.gitLock()), modified(l.Repo.GitDir), modified(l.stashRef())}
}

// gitLock is the lock under which git changes the files of this worktree.
func (l Layout) gitLock() string { return filepath.Join(l.Repo.GitDir, "index.lock") }

// stashRef names the newest stash of the clone, where refs are files.
func (l Layout) stashRef() string { return filepath.Join(l.Repo.CommonDir, "refs", "stash") }

// awaitGit waits until git is not at work in this worktree, or until a moment, and reports whether it still may be. A lock that
// is older than five seconds belongs to a command that was killed, or to one that waits for a person: nobody waits for it.
func (l Layout) awaitGit(ctx context.Context, until time.Time) (atWork bool) {
	if l.Repo == nil {
		return false
	}
	for l.gitAtWork() {
		if time.Now().After(until) || ctx.Err() != nil {
			return true
		}
		time.Sleep(gitNap)
	}
	return exists(l.gitLock())
}

// gitAtWork reports whether git holds its lock, or did so a moment ago, or is in the middle of a stash.
func (l Layout) gitAtWork() bool {
	now := time.Now()
	young := func(path string, than time.Duration) bool {
		at := modified(path)
		return !at.IsZero() && at.After(now.Add(-than)) && at.Before(now.Add(than))
	}
	switch {
	case young(l.gitLock(), gitPatience), young(l.Repo.GitDir, gitQuiet), young(l.stashRef(), gitStash):
		return true
	case young(l.Repo.GitDir, gitPatience):
		entries, _ := os.ReadDir(l.Repo.GitDir)
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "index.stash.") })
	default:
		return false
	}
}

// sight notes what the tasks of the write are written on.
func (tx *Tx) sight() {
	tx.on = map[task.ID]writtenOn{}
	for _, id := range tx.order {
		tx.on[id] = writtenOn{rev: tx.tasks[id].was.Rev, modified: modified(tx.s.task(id))}
	}
}

// sighted notes that the tasks are written.
func (tx *Tx) sighted(beside bool) {
	for id, on := range tx.on {
		on.at, on.beside = time.Now().UTC(), beside
		tx.on[id] = on
	}
}

// lostToGit reports whether a write has to be made again, since git replaced its file. It must be of one task and nothing else:
// of several files some may have stayed.
func (tx *Tx) lostToGit() bool {
	if len(tx.order) != 1 || len(tx.others)+len(tx.trash) > 0 {
		return false
	}
	for _, ses := range tx.sessions {
		if ses.changed() {
			return false
		}
	}
	st := tx.tasks[tx.order[0]]
	if st.file.doc == nil || st.gone {
		return false
	}
	_, now, err := tx.s.readTask(st.now.ID)
	return err == nil && !now.Provenance.Has(st.now.Provenance.Last().Hash())
}
