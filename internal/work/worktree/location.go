package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// location is the folder in which the work trees of a workspace lie. It is outside the repository.
type location struct {
	repo    *git.Repo
	live    layout.Live // its hash is part of the name, since several workspaces may have one setting
	setting string      // Options.Setting
}

func (c *clone) location() location { return location{c.repo, c.layout.Live, c.o.Setting} }

// home is the folder of the repository: the top of its main work tree, or the git folder if there is none.
func (l location) home() string {
	switch {
	case !l.repo.Linked():
		return l.repo.Top
	case filepath.Base(l.repo.CommonDir) == ".git":
		return filepath.Dir(l.repo.CommonDir)
	default:
		return l.repo.CommonDir
	}
}

// path is the path of the folder. The setting names the folder around it: absolute, from the user's home if it begins
// with "~/", or else from the folder of the repository. It returns INVALID_INPUT if that lies in the repository.
func (l location) path() (string, error) {
	home := l.home()
	name := strings.TrimPrefix(filepath.Base(home), ".")
	around := filepath.Join(filepath.Dir(home), "."+name+"-worktrees")
	if set := filepath.FromSlash(l.setting); set != "" {
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
	for _, inside := range []string{home, l.repo.Top, l.repo.CommonDir} {
		if disk.Within(inside, around) {
			return "", record.Errorf(record.InvalidInput, "work trees would lie in %s, which is in the repository", around).
				WithHint("set worktrees in .cairn/config.yaml to a folder outside, such as ../worktrees")
		}
	}
	sum := sha256.Sum256([]byte(l.live))
	return filepath.Join(around, name+"-"+hex.EncodeToString(sum[:])[:8]), nil
}

// make makes the folder, and returns its path. It returns INVALID_INPUT if a link is on the way to it.
func (l location) make() (string, error) {
	dir, err := l.path()
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
		return "", record.Errorf(record.IO, "cannot make the folder of the work trees: %w", err).
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
		return record.Errorf(record.InvalidInput, "%s leads through a link, to %s, and work trees do not", path, resolved).
			WithHint("set worktrees in .cairn/config.yaml to %s", resolved)
	}
	return nil
}
