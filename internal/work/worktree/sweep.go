package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Sweep removes the throw-away work trees that killed processes left, also from git's list. The lock under which one was
// made is the proof that its maker lives, and as long as it is held nothing is touched. What cannot be removed now stays
// for a later call. Where there is none Sweep reads one folder.
func (w *Worktrees) Sweep(ctx context.Context) {
	for name, found := range w.scratches() {
		if age := w.o.Now().Sub(found.Tried); age >= 0 && age < triedAgain {
			continue
		}
		in := w
		if found.Repo != w.o.Repo && w.o.Other != nil {
			in, _ = w.o.Other(found.Repo)
		}
		if in == nil || in.o.Repo != found.Repo {
			continue
		}
		lock, free, err := filelock.TryAcquire(in.lockFile(found.For))
		if err != nil || !free {
			continue
		}
		if _, err := os.Lstat(in.records().file(name)); err == nil { // else its maker has just removed it
			scratches{clone: in.clone, lock: found.For}.clear(ctx, name, found)
		}
		_ = lock.Release()
	}
}

const (
	triedAgain  = time.Minute      // after which Sweep tries again to remove what could not be
	stillComing = 10 * time.Second // for how long a git that outlived its caller may still begin to make the work tree
)

// scratches are the throw-away work trees that were made and not removed, by the names of their records.
func (c *clone) scratches() map[string]scratch {
	names, _ := c.records().names()
	var all map[string]scratch
	for _, name := range names {
		if !strings.HasPrefix(name, scratchPrefix) {
			continue
		}
		data, err := disk.ReadRegular(c.records().file(name), maxRecord)
		var found scratch
		if err != nil || !decode(data, &found) || !absolute(found.Path) || filepath.Base(found.Path) != name || filepath.Base(found.For) != found.For {
			continue
		}
		if all == nil {
			all = map[string]scratch{}
		}
		all[name] = found
	}
	return all
}

// sweep removes what a killed process made under the lock, unless something still works in it.
func (s scratches) sweep(ctx context.Context) {
	for name, found := range s.scratches() {
		if found.For == s.lock {
			s.clear(ctx, name, found)
		}
	}
}

// clear removes what a killed process made. If it cannot, or if a git that it started may still make it, the record
// stays.
func (s scratches) clear(ctx context.Context, name string, found scratch) {
	path := found.Path
	if live, err := proc.Inside(path); err == nil && len(live) > 0 {
		return
	}
	if there, err := s.opened(path); err == nil && there.CommonDir != s.repo.CommonDir {
		return // it belongs to another clone
	}
	_, missing := os.Lstat(path)
	coming := missing != nil && s.o.Now().Sub(found.MadeAt) < stillComing
	switch err := s.removeTree(ctx, path); {
	case err != nil:
		found.Tried = s.o.Now().UTC()
		_ = s.records().put(name, found)
	case !coming:
		_ = s.records().forget(name)
		removeEmpty(filepath.Dir(path), filepath.Dir(filepath.Dir(path)))
	}
}

// remove removes a throw-away work tree. If it cannot, the record stays, and a later sweep removes it.
func (s scratches) remove(ctx context.Context, path string) error {
	if err := s.removeTree(ctx, path); err != nil {
		return err
	}
	return s.records().forget(filepath.Base(path))
}

// removeTree removes a throw-away work tree, from git's list first.
func (s scratches) removeTree(ctx context.Context, path string) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := (git.Writing{}).Run(ctx, s.repo.Top, "worktree", "remove", "--force", "--force", path); err != nil {
		tops, listErr := s.repo.Worktrees(ctx)
		if listErr != nil || slices.Contains(tops, filepath.ToSlash(path)) {
			return err // git still has it
		}
	}
	return problem.IO(disk.RemoveTree(path))
}

// removeEmpty removes folders that nothing lies in, so that a close leaves none beside the repository.
func removeEmpty(folders ...string) {
	for _, folder := range folders {
		_ = disk.Do(disk.Remove, folder, func() error { return os.Remove(folder) })
	}
}
