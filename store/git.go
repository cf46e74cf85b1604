package store

import (
	"context"

	"github.com/cairn-tasks/cairn/store/internal/git"
)

// Tree is a state of the working tree outside every .cairn: all tracked and unignored files with their modes. Its
// Fingerprint identifies it, and Changed names the files in which two states differ. Nil is a state that nobody knows.
type Tree = git.Tree

// Head is the commit and the branch of the worktree. Outside git, and where git cannot say, it is empty.
func (s *Store) Head(ctx context.Context) git.Head {
	if s.Repo == nil {
		return git.Head{}
	}
	head, err := s.Repo.Head(ctx)
	if err != nil {
		return git.Head{}
	}
	return head
}

// WorkTree reads the state of the working tree. Outside git nothing can vouch for a state, and it is nil. It returns GIT
// if git is missing or refuses.
func (s *Store) WorkTree(ctx context.Context) (Tree, error) {
	if s.Repo == nil {
		return nil, nil
	}
	return s.Repo.WorkTree(ctx)
}

// GitUsable returns GIT, with a hint, if git is missing, too old, or refuses the repository. Outside git it is not asked.
func (s *Store) GitUsable(ctx context.Context) error {
	if s.Repo == nil {
		return nil
	}
	return s.Repo.Usable(ctx)
}

// UserName is git's user.name as it holds in dir, or "".
func UserName(ctx context.Context, dir string) string {
	name, err := git.UserName(ctx, dir)
	if err != nil {
		return ""
	}
	return name
}
