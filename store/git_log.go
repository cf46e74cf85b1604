package store

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/git"
)

// LogIn says which commits a log lists.
type LogIn = git.LogIn

// Logged is a commit in a log.
type Logged = git.Logged

// Log lists commits that lead to the one that is checked out, the newest first; keep chooses the added lines that it
// keeps. It reports whether there may be more: older ones, or such as the clone does not have. Outside git, and where
// there is no commit yet, there are none. It returns GIT if git is missing or refuses, and if a partial clone lacks a
// file that would have to be compared.
func (g Git) Log(ctx context.Context, in LogIn, keep func(line string) bool) (all []Logged, cut bool, err error) {
	if g.repo == nil {
		return nil, false, nil
	}
	if err := g.repo.Usable(ctx); err != nil {
		return nil, false, err
	}
	head, err := g.repo.Commit(ctx, "HEAD")
	if err != nil || head == "" {
		return nil, false, err
	}
	all, cut, err = g.repo.History().Log(ctx, in, keep)
	return all, cut || g.repo.History().Shallow(), err
}
