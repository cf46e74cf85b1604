package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// home is the folder of the repository: the top of its main work tree, or the git folder if there is none.
func (w *Worktrees) home() string {
	switch {
	case !w.repo.Linked():
		return w.repo.Top
	case filepath.Base(w.repo.CommonDir) == ".git":
		return filepath.Dir(w.repo.CommonDir)
	default:
		return w.repo.CommonDir
	}
}

// place is the folder in which the work trees of this workspace lie. It returns INVALID_INPUT if the setting leads into the repository.
//
// The setting is a path: absolute, from the user's home if it begins with "~/", or else from the folder of the repository.
func (w *Worktrees) place() (string, error) {
	home := w.home()
	name := strings.TrimPrefix(filepath.Base(home), ".")
	around := filepath.Join(filepath.Dir(home), "."+name+"-worktrees")
	if set := filepath.FromSlash(w.o.Setting); set != "" {
		if below, ok := strings.CutPrefix(set, "~"+string(filepath.Separator)); ok {
			user, err := os.UserHomeDir()
			if err != nil {
				return "", problem.IO(err)
			}
			set = filepath.Join(user, below)
		}
		if !filepath.IsAbs(set) {
			set = filepath.Join(home, set)
		}
		around = filepath.Clean(set)
	}
	for _, inside := range []string{home, w.repo.Top, w.repo.CommonDir} {
		if within(inside, around) {
			return "", task.Errorf(task.InvalidInput, "work trees would lie in %s, which is in the repository", around).
				WithHint("set worktrees in .cairn/config.yaml to a folder outside, such as ../worktrees")
		}
	}
	sum := sha256.Sum256([]byte(w.layout.Live))
	return filepath.Join(around, name+"-"+hex.EncodeToString(sum[:])[:8]), nil
}

// within reports whether a path is a folder or lies in it. Both are clean.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// makePlace makes the folder in which the work trees lie. It returns INVALID_INPUT if a link is on the way to it.
func (w *Worktrees) makePlace() (string, error) {
	dir, err := w.place()
	if err != nil {
		return "", err
	}
	if err := noLinks(dir); err != nil {
		return "", err
	}
	there := dir
	for !layout.Exists(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	if err := disk.MakeVolatile(there, dir); err != nil {
		return "", task.Errorf(task.IO, "cannot make the folder of the work trees: %w", err).
			WithHint("set worktrees in .cairn/config.yaml to a folder that can be written")
	}
	return dir, nil
}

// noLinks returns INVALID_INPUT if a path, as far as it exists, leads through a link.
func noLinks(path string) error {
	for !layout.Exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if problem.Missing(err) {
		return problem.Link(path) // one that leads nowhere
	}
	if err != nil {
		return problem.IO(err)
	}
	if resolved != path {
		return task.Errorf(task.InvalidInput, "%s leads through a link, to %s, and work trees do not", path, resolved).
			WithHint("set worktrees in .cairn/config.yaml to %s", resolved)
	}
	return nil
}
