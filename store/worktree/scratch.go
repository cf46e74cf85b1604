package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// scratch is a work tree that is thrown away: it has no branch, and lies beside those of the tasks. Its record has the same name.
type scratch struct {
	Path   string    `json:"path"`
	For    string    `json:"for"` // the lock under which it was made, and is taken away
	MadeAt time.Time `json:"made_at"`
}

const scratchPrefix = ".merge-"

func (w *Worktrees) scratchFile(path string) string {
	return filepath.Join(w.layout.Live.Worktrees(), filepath.Base(path)+".json")
}

// newScratch makes a work tree of a commit. The caller holds the lock, and calls discard in the end.
func (w *Worktrees) newScratch(ctx context.Context, lock, commit string) (s scratch, err error) {
	dir, err := w.makePlace()
	if err != nil {
		return s, err
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it never fails
	s = scratch{filepath.Join(dir, scratchPrefix+hex.EncodeToString(random)), lock, w.o.Now().UTC()}
	data, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.Write(w.scratchFile(s.Path), append(data, '\n'), 0o644)
	}
	if err != nil {
		return s, w.layout.Live.Failed(err)
	}
	_, err = git.Writing{}.Run(ctx, w.repo.Top, "worktree", "add", "--quiet", "--detach", s.Path, commit)
	if err != nil {
		_ = w.discard(ctx, s) // the next one does it again
	}
	return s, err
}

// discard removes a work tree that is thrown away. If it cannot, the record stays, and the next one under the same lock removes it.
func (w *Worktrees) discard(ctx context.Context, s scratch) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := (git.Writing{}).Run(ctx, w.repo.Top, "worktree", "remove", "--force", "--force", s.Path); err != nil && w.registered(ctx, s.Path) {
		return err
	}
	if err := disk.RemoveTree(s.Path); err != nil {
		return problem.IO(err)
	}
	if err := disk.RemoveFile(w.scratchFile(s.Path)); err != nil {
		return w.layout.Live.Failed(err)
	}
	return nil
}

// registered reports whether git has a work tree at a path, or cannot tell.
func (w *Worktrees) registered(ctx context.Context, path string) bool {
	all, err := w.repo.ListWorktrees(ctx)
	for _, other := range all {
		if filepath.FromSlash(other.Path) == path {
			return true
		}
	}
	return err != nil
}

// scratches lists the recorded work trees that are to be thrown away. Records that say something else than cairn writes are left out.
func (w *Worktrees) scratches() ([]scratch, error) {
	entries, err := os.ReadDir(w.layout.Live.Worktrees())
	if err != nil && !problem.Missing(err) {
		return nil, w.layout.Live.Failed(err)
	}
	var all []scratch
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !strings.HasPrefix(name, scratchPrefix) {
			continue
		}
		data, err := disk.ReadRegular(filepath.Join(w.layout.Live.Worktrees(), e.Name()), maxRecord)
		if err != nil {
			continue // another process has just removed it
		}
		var s scratch
		in := json.NewDecoder(bytes.NewReader(data))
		in.DisallowUnknownFields()
		if in.Decode(&s) == nil && filepath.IsAbs(s.Path) && filepath.Clean(s.Path) == s.Path && filepath.Base(s.Path) == name {
			all = append(all, s)
		}
	}
	return all, nil
}

// sweep removes what a killed process made under a lock that the caller now holds, unless something still works in it.
func (w *Worktrees) sweep(ctx context.Context, lock string) error {
	all, err := w.scratches()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.For != lock {
			continue
		}
		if live, err := inside(s.Path); err == nil && len(live) > 0 {
			continue
		}
		if there, err := w.opened(s.Path); err == nil && there.CommonDir != w.repo.CommonDir {
			continue // it is not ours
		}
		if err := w.discard(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// rootIn is the workspace in a work tree of the clone.
func (w *Worktrees) rootIn(top string) string {
	return filepath.Join(top, filepath.FromSlash(layout.SlashRel(w.repo.Top, w.layout.Root)))
}
