package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Tree is a state of the working tree outside .cairn folders: all files that are tracked or not ignored, with their
// modes. Its Fingerprint identifies it, and Changed lists the files in which two states differ. Nil is an unknown
// state.
type Tree = git.Tree

// Git reads the git repository around a workspace.
type Git struct{ repo *git.Repo }

// Git returns the git repository around the workspace, which outside git is none.
func (s workTree) Git() Git { return Git{s.Repo} }

// WorkTree reads the state of the working tree; nil outside git. It returns GIT if git is missing or refuses.
func (g Git) WorkTree(ctx context.Context) (Tree, error) {
	if g.repo == nil {
		return nil, nil
	}
	return g.repo.WorkTree(ctx)
}

// WorkTreeAndAbsent is WorkTree, and lists the files in it that are not on disk, since git was told not to look at them.
func (g Git) WorkTreeAndAbsent(ctx context.Context) (t Tree, absent []string, err error) {
	if g.repo == nil {
		return nil, nil, nil
	}
	return g.repo.WorkTreeAndAbsent(ctx)
}

// Usable returns GIT, with a hint, if git is missing, too old, or refuses the repository; nil outside git.
func (g Git) Usable(ctx context.Context) error {
	if g.repo == nil {
		return nil
	}
	return g.repo.Usable(ctx)
}

// Setting is what git's settings say in a folder, such as its user.name; "" for nothing.
func Setting(ctx context.Context, dir, name string) string {
	value, _ := git.Setting(ctx, dir, name)
	return value
}

// Commit resolves the name of a commit, which the caller gave as field, to its hash. It returns INVALID_INPUT if the
// clone has no such commit, and outside git.
func (g Git) Commit(ctx context.Context, field, name string) (string, error) {
	const hint = "leave it out to take the commit that is checked out; git log lists others"
	return g.named(ctx, field, name, "commit", hint,
		func() (string, error) { return g.repo.Commit(ctx, name) })
}

// Branch returns INVALID_INPUT if the clone has no branch of a name, which the caller gave as field: neither a local
// nor a remote-tracking one. It does so outside git too.
func (g Git) Branch(ctx context.Context, field, name string) error {
	const hint = "leave it out to take the branch that is checked out; git branch --all lists others"
	_, err := g.named(ctx, field, name, "branch", hint,
		func() (found string, _ error) {
			if g.repo.Refs().HasBranch(ctx, name) || g.repo.Refs().HasRemoteBranch(ctx, name) {
				found = name
			}
			return found, nil
		})
	return err
}

// Tag is the commit of a tag, which the caller gave as field. It returns INVALID_INPUT if the clone has no such tag.
func (g Git) Tag(ctx context.Context, field, name string) (string, error) {
	return g.named(ctx, field, name, "tag", "git tag lists those there are",
		func() (string, error) { return g.repo.Commit(ctx, "refs/tags/"+name) })
}

// named finds what a caller named in a field. It returns INVALID_INPUT if there is no such thing.
func (g Git) named(ctx context.Context, field, name, what, hint string, find func() (string, error)) (string, error) {
	if g.repo == nil {
		err := record.Errorf(record.InvalidInput, "%s names something in git, and there is no repository here", field)
		return "", err.WithHint("leave it out")
	}
	if err := g.repo.Usable(ctx); err != nil {
		return "", err
	}
	found, err := find()
	if err == nil && found == "" {
		err = record.Errorf(record.InvalidInput, "%s is %q, and the clone has no such %s", field, name, what).
			WithHint("%s", hint)
	}
	return found, err
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
	return record.RepoOf(g.repo.Remotes().URL(branch))
}

// Known reports whether the caller's clone is of this repository: it has no remote, or one that is this.
func (g Git) Known(repo, branch string) bool {
	return g.repo != nil && (repo == "" || repo == g.Repository(branch))
}

// Between counts the commits that lead to one commit and not to another, most of them at most. It returns 0 outside
// git, and if the clone lacks one of them.
func (g Git) Between(ctx context.Context, from, to string, most int) int {
	if g.repo == nil || from == "" || to == "" || g.repo.Usable(ctx) != nil {
		return 0
	}
	n, _ := g.repo.Refs().Between(ctx, from, to, most)
	return n
}

// Newest is the newest commit that changed a file, given by its full path, in short; "" if there is none or git does not
// say.
func (g Git) Newest(ctx context.Context, path string) string {
	if g.repo == nil || g.repo.Usable(ctx) != nil {
		return ""
	}
	commit, _ := g.repo.History().Newest(ctx, path)
	return commit
}

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

// Git does not take cairn's lock. A checkout reads a file, finds it unchanged, and replaces it; what was written in
// between is in no file, no commit and no stash. A stash reads the files, and resets them some time later. So a write
// waits while git is at work in the worktree, checks afterwards whether git was at work meanwhile, and is made again if
// its entry is gone. What is lost all the same, if git read the file before the write and replaced it afterwards, is
// known from the journal (session.Overwritten).

const (
	gitPatience = 5 * time.Second        // how long a write waits for git in all; it does not wait for an older lock of git's
	gitQuiet    = 30 * time.Millisecond  // git is done if it has made no file for so long; the steps of a stash are closer
	gitStash    = 300 * time.Millisecond // how long after naming its commit a stash resets the files, on a slow machine
	gitNap      = 2 * time.Millisecond
)

// gitActivity shows when git is at work in a worktree. Outside git it never is.
type gitActivity struct{ repo *git.Repo }

// gitTrace is what git leaves when it works: if two traces are equal, git was not at work between them.
type gitTrace struct {
	locked  bool
	folder  time.Time // when the git folder was last changed: git makes and renames its lock there
	stashed time.Time
}

func (g gitActivity) trace() gitTrace {
	if g.repo == nil {
		return gitTrace{}
	}
	return gitTrace{layout.Exists(g.lock()), layout.Modified(g.repo.GitDir), layout.Modified(g.stash())}
}

// lock is the path of the lock under which git changes the files of this worktree.
func (g gitActivity) lock() string { return filepath.Join(g.repo.GitDir, "index.lock") }

// stash is the path of the ref of the newest stash, where refs are files.
func (g gitActivity) stash() string { return filepath.Join(g.repo.CommonDir, "refs", "stash") }

// await waits until git is not at work in this worktree, or until a moment, and reports whether git may still be at
// work. It does not wait for a lock that is older than five seconds: the command was killed, or waits for a person.
func (g gitActivity) await(ctx context.Context, until time.Time) (atWork bool) {
	if g.repo == nil {
		return false
	}
	for g.atWork() {
		if time.Now().After(until) || ctx.Err() != nil {
			return true
		}
		time.Sleep(gitNap)
	}
	return layout.Exists(g.lock())
}

// atWork reports whether git holds its lock, or did so a moment ago, or is in the middle of a stash.
func (g gitActivity) atWork() bool {
	now := time.Now()
	young := func(path string, than time.Duration) bool {
		at := layout.Modified(path)
		return !at.IsZero() && at.After(now.Add(-than)) && at.Before(now.Add(than))
	}
	switch {
	case young(g.lock(), gitPatience), young(g.repo.GitDir, gitQuiet), young(g.stash(), gitStash):
		return true
	case young(g.repo.GitDir, gitPatience):
		entries, _ := os.ReadDir(g.repo.GitDir)
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "index.stash.") })
	default:
		return false
	}
}
