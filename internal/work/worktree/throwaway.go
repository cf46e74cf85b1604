package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Throwaway says what is in a throw-away work tree.
type Throwaway struct {
	Lock   string // under whose name it is made: others wait for it, and it removes what a killed one left
	Commit string // that is checked out
	From   string // the top of the work tree for which it stands in

	Changes bool     // it has what is not committed there, too
	Links   []string // folders that git ignores there, as paths from the top: it has links to those that are there
}

// InThrowaway makes a throw-away work tree, calls use with its top, and removes it, also where ctx ends. What is written
// there is lost. A kill leaves the folder to the next call of Sweep or InThrowaway.
func (w *Worktrees) InThrowaway(ctx context.Context, what Throwaway, use func(top string) error) error {
	if err := w.mayWrite(); err != nil {
		return err
	}
	w.Sweep(ctx)
	release, err := w.lock(ctx, what.Lock)
	if err != nil {
		return err
	}
	defer release()
	within := scratches{clone: w.clone, lock: what.Lock}
	within.sweep(ctx)
	top, err := within.add(ctx, what.Commit)
	if err != nil {
		return err
	}
	defer func() {
		if within.remove(ctx, top) == nil { // if it fails, a later call does it
			removeEmpty(filepath.Dir(top), filepath.Dir(filepath.Dir(top)))
		}
	}()
	if what.Changes {
		if err := w.bringChanges(ctx, what, top); err != nil {
			return err
		}
	}
	if err := what.link(top); err != nil {
		return err
	}
	return use(top)
}

// bringChanges gives a throw-away work tree what another work tree has beside its commit.
func (w *Worktrees) bringChanges(ctx context.Context, what Throwaway, top string) error {
	from, found, err := git.Find(what.From)
	if err != nil || !found {
		return err
	}
	changes, err := from.Changes(ctx, git.Looks{Shallow: true})
	if err != nil {
		return err
	}
	var there []string
	for _, c := range changes { // what is gone goes first: a link may stand in the place of its folder
		path := strings.TrimSuffix(c.Path, "/")
		if lies(what.From, path) {
			there = append(there, path)
		} else if err := Clear(top, path); err != nil {
			return err
		}
	}
	for _, path := range there {
		if err := bring(what.From, top, path); err != nil {
			return err
		}
	}
	return nil
}

// lies reports whether there is something at a path below a folder, and no link on the way to it.
func lies(folder, rel string) bool {
	at, names := folder, strings.Split(rel, "/")
	for i, name := range names {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err != nil || i < len(names)-1 && !info.IsDir() {
			return false
		}
	}
	return true
}

// link makes the links.
func (what Throwaway) link(top string) error {
	for _, folder := range what.Links {
		here, there := filepath.Join(what.From, filepath.FromSlash(folder)), filepath.Join(top, filepath.FromSlash(folder))
		if info, err := os.Stat(here); err != nil || !info.IsDir() {
			continue
		}
		err := disk.Do(disk.Open, there, func() error { return os.Symlink(here, there) })
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return problem.IO(err)
		}
	}
	return nil
}

// mostCopied is how large a file may be that a throw-away work tree gets, in bytes.
const mostCopied = 1 << 30

// bring gives a path of one folder the file or the link that is at the same path of another. What was there is replaced,
// also a folder above it that is a link. A folder is left out.
func bring(from, to, rel string) error {
	info, err := os.Lstat(filepath.Join(from, filepath.FromSlash(rel)))
	if err != nil {
		return problem.IO(err)
	}
	if info.IsDir() {
		return nil
	}
	if err := Clear(to, rel); err != nil {
		return err
	}
	local := filepath.FromSlash(rel)
	if info.Mode()&fs.ModeSymlink == 0 {
		_, err = disk.CopyIn(from, to, local, mostCopied)
		return problem.IO(err)
	}
	target, err := os.Readlink(filepath.Join(from, local))
	if err != nil {
		return problem.IO(err)
	}
	return problem.IO(disk.Do(disk.Open, filepath.Join(to, local), func() error {
		root, err := os.OpenRoot(to)
		if err != nil {
			return err
		}
		defer func() { _ = root.Close() }()
		if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return err
		}
		return root.Symlink(target, local)
	}))
}

// PutFile gives a path below a folder a content, with git's mode of it. With the mode "" it takes away what is there. It
// returns INVALID_INPUT for a submodule.
func PutFile(folder, rel, mode, content string) error {
	if strings.HasPrefix(mode, "16") {
		return record.Errorf(record.InvalidInput, "%s is a submodule, and cannot be put back as it was", rel)
	}
	if err := Clear(folder, rel); err != nil || mode == "" {
		return err
	}
	at, local := filepath.Join(folder, filepath.FromSlash(rel)), filepath.FromSlash(rel)
	return problem.IO(disk.Do(disk.Open, at, func() error {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return err
		}
		defer func() { _ = root.Close() }()
		if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return err
		}
		if strings.HasPrefix(mode, "12") {
			return root.Symlink(content, local)
		}
		perm := fs.FileMode(0o644)
		if strings.HasSuffix(mode, "755") {
			perm = 0o755
		}
		return root.WriteFile(local, []byte(content), perm)
	}))
}

// Clear takes away what is at a path below a folder, and whatever stands above it that is no folder.
func Clear(folder, rel string) error {
	at := folder
	for name := range strings.SplitSeq(rel, "/") { // from above, so that no link is followed
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil || !info.IsDir() {
			break
		}
	}
	return problem.IO(disk.RemoveTree(at))
}
