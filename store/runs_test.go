package store

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Two logs of one moment do not overwrite each other, and both lie where git ignores them.
func TestWriteLog(t *testing.T) {
	s := newStore(t)
	for _, row := range []struct{ text, path string }{
		{"first", ".cairn/runs/PROJ-1-20260701T120000.000Z.log"},
		{"second", ".cairn/runs/PROJ-1-20260701T120000.000Z-1.log"},
	} {
		path, err := s.WriteLog("PROJ-1", noon, func(out io.Writer) error {
			_, err := io.WriteString(out, row.text)
			return err
		})
		wantCode(t, err, "")
		if path != row.path {
			t.Errorf("wrote %s, and should have written %s", path, row.path)
		}
		if got := string(readAll(t, filepath.Join(s.Root, filepath.FromSlash(path)))); got != row.text {
			t.Errorf("%s holds %q", path, got)
		}
	}
}

// Whoever has to wait for a run is told whose it is; once that run is over the next one may begin.
func TestLockRunsNamesItsHolder(t *testing.T) {
	s := newStore(t)
	release, err := s.LockRuns(soon(t), "PROJ-1 by human:lee")
	wantCode(t, err, "")
	s.lockPatience = time.Millisecond
	_, err = s.LockRuns(soon(t), "PROJ-2 by agent:a")
	wantMessage(t, err, task.Busy, "PROJ-1 by human:lee")
	release()
	s.lockPatience = lockPatience
	release, err = s.LockRuns(soon(t), "PROJ-2 by agent:a")
	wantCode(t, err, "")
	release()
}

// Checks run beside writes: neither waits for the other.
func TestRunsDoNotHoldUpWrites(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	release, err := s.LockRuns(soon(t), "PROJ-1 by human:lee")
	wantCode(t, err, "")
	defer release()
	wantCode(t, newActor(s, "human:lee").note("PROJ-1", "meanwhile"), "")
}

// The worktrees of a clone have files of their own, so each may run checks at the same time.
func TestRunsOfTwoWorktrees(t *testing.T) {
	repo := newRepo(t)
	here, there := newStoreAt(t, repo), newStoreAt(t, linkWorktree(t, repo))
	release, err := here.LockRuns(soon(t), "PROJ-1 here")
	wantCode(t, err, "")
	defer release()
	releaseThere, err := there.LockRuns(soon(t), "PROJ-1 there")
	wantCode(t, err, "")
	releaseThere()
}
