package store

import (
	"context"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
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

// Commit resolves the name of a commit that a caller gave, as field, to its hash. It returns INVALID_INPUT if the clone has no
// commit of that name, and outside git.
func (s *Store) Commit(ctx context.Context, field, name string) (string, error) {
	if s.Repo == nil {
		return "", noGit(field)
	}
	if err := s.Repo.Usable(ctx); err != nil {
		return "", err
	}
	hash, err := s.Repo.Commit(ctx, name)
	if err == nil && hash == "" {
		err = task.Errorf(task.InvalidInput, "%s is %q, and the clone has no such commit", field, name).
			WithHint("leave it out to take the commit that is checked out; git log lists others")
	}
	return hash, err
}

// Branch returns INVALID_INPUT if the clone knows no branch of the name that a caller gave, of its own or of a remote, and
// outside git.
func (s *Store) Branch(ctx context.Context, field, name string) error {
	if s.Repo == nil {
		return noGit(field)
	}
	if err := s.Repo.Usable(ctx); err != nil {
		return err
	}
	if s.Repo.HasBranch(ctx, name) || s.Repo.HasRemoteBranch(ctx, name) {
		return nil
	}
	return task.Errorf(task.InvalidInput, "%s is %q, and the clone has no such branch", field, name).
		WithHint("leave it out to take the branch that is checked out; git branch --all lists others")
}

// HasBranch reports whether a branch that a record names is still there. One without a name, and what git cannot say, counts
// as there.
func (s *Store) HasBranch(ctx context.Context, name string) bool {
	return name == "" || s.Repo == nil || s.Repo.Usable(ctx) != nil || s.Repo.HasBranch(ctx, name)
}

func noGit(field string) error {
	return task.Errorf(task.InvalidInput, "%s names something in git, and there is no repository here", field).WithHint("leave it out")
}
