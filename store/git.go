package store

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Tree is a state of the working tree outside .cairn folders: all files that are tracked or not ignored, with their
// modes. Its Fingerprint identifies it, and Changed lists the files in which two states differ. Nil is an unknown
// state.
type Tree = git.Tree

// Git reads the git repository around a workspace.
type Git struct{ repo *git.Repo }

// Git returns the git repository around the workspace, which outside git is none.
func (s *Store) Git() Git { return Git{s.Repo} }

// WorkTree reads the state of the working tree; nil outside git. It returns GIT if git is missing or refuses.
func (g Git) WorkTree(ctx context.Context) (Tree, error) {
	if g.repo == nil {
		return nil, nil
	}
	return g.repo.WorkTree(ctx)
}

// Usable returns GIT, with a hint, if git is missing, too old, or refuses the repository; nil outside git.
func (g Git) Usable(ctx context.Context) error {
	if g.repo == nil {
		return nil
	}
	return g.repo.Usable(ctx)
}

// UserName is git's user.name in a folder, or "".
func UserName(ctx context.Context, dir string) string {
	name, err := git.UserName(ctx, dir)
	if err != nil {
		return ""
	}
	return name
}

// Commit resolves the name of a commit, which the caller gave as field, to its hash. It returns INVALID_INPUT if the
// clone has no such commit, and outside git.
func (g Git) Commit(ctx context.Context, field, name string) (string, error) {
	if g.repo == nil {
		return "", noGit(field)
	}
	if err := g.repo.Usable(ctx); err != nil {
		return "", err
	}
	hash, err := g.repo.Commit(ctx, name)
	if err == nil && hash == "" {
		err = record.Errorf(record.InvalidInput, "%s is %q, and the clone has no such commit", field, name).
			WithHint("leave it out to take the commit that is checked out; git log lists others")
	}
	return hash, err
}

// Branch returns INVALID_INPUT if the clone has no branch of a name, which the caller gave as field: neither a local
// nor a remote-tracking one. It does so outside git too.
func (g Git) Branch(ctx context.Context, field, name string) error {
	if g.repo == nil {
		return noGit(field)
	}
	if err := g.repo.Usable(ctx); err != nil {
		return err
	}
	if g.repo.Refs().HasBranch(ctx, name) || g.repo.Refs().HasRemoteBranch(ctx, name) {
		return nil
	}
	return record.Errorf(record.InvalidInput, "%s is %q, and the clone has no such branch", field, name).
		WithHint("leave it out to take the branch that is checked out; git branch --all lists others")
}

// HasBranch reports whether a local branch still exists. It reports true for "", and if git cannot tell.
func (g Git) HasBranch(ctx context.Context, name string) bool {
	return name == "" || g.repo == nil || g.repo.Usable(ctx) != nil || g.repo.Refs().HasBranch(ctx, name)
}

// Repository is the repository that a branch is shared through, as record.RepoOf writes it; "" if the clone has no
// remote.
func (g Git) Repository(branch string) string {
	if g.repo == nil {
		return ""
	}
	return record.RepoOf(g.repo.Remote(branch))
}

// Tag is the commit of a tag, which the caller gave as field. It returns INVALID_INPUT if the clone has no such tag.
func (g Git) Tag(ctx context.Context, field, name string) (string, error) {
	if g.repo == nil {
		return "", noGit(field)
	}
	hash, err := g.repo.Commit(ctx, "refs/tags/"+name)
	if err == nil && hash == "" {
		err = record.Errorf(record.InvalidInput, "%s is %q, and the clone has no such tag", field, name).WithHint("git tag lists those there are")
	}
	return hash, err
}

// Known reports whether the caller's clone is of this repository: it has no remote, or one that is this.
func (g Git) Known(repo, branch string) bool {
	return g.repo != nil && (repo == "" || repo == g.Repository(branch))
}

func noGit(field string) error {
	return record.Errorf(record.InvalidInput, "%s names something in git, and there is no repository here", field).WithHint("leave it out")
}

// Between counts the commits that lead to one commit and not to another, most of them at most. It returns 0 outside
// git, and if the clone lacks one of them.
func (g Git) Between(ctx context.Context, from, to string, most int) int {
	if g.repo == nil || from == "" || to == "" || g.repo.Usable(ctx) != nil {
		return 0
	}
	n, err := g.repo.Refs().Between(ctx, from, to, most)
	if err != nil {
		return 0
	}
	return n
}
