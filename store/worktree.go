package store

import (
	"path/filepath"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// GitDir is the git folder of this worktree, from the common one of the clone; "" outside git. Unlike the worktree's path it
// stays the same when the worktree or the whole clone is moved, and no two worktrees share it.
func (l Layout) GitDir() string {
	if l.Repo == nil {
		return ""
	}
	return gitDirOf(l.Repo)
}

func gitDirOf(r *git.Repo) string {
	rel, err := filepath.Rel(r.CommonDir, r.GitDir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// worktreeOf is where the worktree of a claim is by now. It returns the path that the claim names, and false, if it is gone,
// or was moved in a way that git does not know of.
func (l Layout) worktreeOf(lease session.Lease) (string, bool) {
	if lease.Worktree == "" {
		return "", true // it is held by somebody, wherever they are
	}
	places := []string{lease.Worktree}
	if l.Repo != nil && lease.GitDir != "" {
		places = append(places, l.Worktree, git.WorktreeAt(filepath.Join(l.Repo.CommonDir, filepath.FromSlash(lease.GitDir))))
	}
	for _, place := range places {
		if l.holds(place, lease) {
			return place, true
		}
	}
	return lease.Worktree, false
}

// holds reports whether a folder is the worktree of a claim. It may be gone, or another worktree's or clone's by now.
func (l Layout) holds(place string, lease session.Lease) bool {
	if l.Repo == nil || !isFolder(place) {
		return isFolder(place)
	}
	repo, ok, err := git.Find(place)
	if task.CodeOf(err) == task.IO {
		return place == lease.Worktree // it cannot be looked into from here, which does not make it free
	}
	return ok && repo.Top == place && repo.CommonDir == l.Repo.CommonDir && (lease.GitDir == "" || gitDirOf(repo) == lease.GitDir)
}
