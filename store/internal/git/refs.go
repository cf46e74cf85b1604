package git

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Worktrees returns the uppermost folders of the clone's work trees, as git lists them. Some may be gone.
func (r *Repo) Worktrees(ctx context.Context) ([]string, error) {
	out, err := Run(ctx, r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var tops []string
	for line := range strings.Lines(string(out)) {
		if top, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "worktree "); ok {
			tops = append(tops, top)
		}
	}
	return tops, nil
}

// HasBranch reports whether the clone has a branch of its own of that name, or one that has no commit yet is checked out.
func (r *Repo) HasBranch(ctx context.Context, name string) bool {
	if r.hasRef(ctx, "refs/heads/"+name) {
		return true
	}
	head, err := r.Head(ctx)
	return err == nil && head.Branch == name
}

// HasRemoteBranch reports whether the clone knows of a branch of a remote, named with the remote before it: origin/main.
func (r *Repo) HasRemoteBranch(ctx context.Context, name string) bool {
	return r.hasRef(ctx, "refs/remotes/"+name)
}

// hasRef reports whether there is a ref of exactly this name; what rev-parse would make of it does not count.
func (r *Repo) hasRef(ctx context.Context, ref string) bool {
	_, err := Run(ctx, r.Top, "show-ref", "--quiet", "--verify", "--", ref)
	return err == nil
}

// Branches returns the commits that the clone's own branches end at, each once.
func (r *Repo) Branches(ctx context.Context) ([]string, error) {
	return r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads")
}

// Reachable returns the commits that hold what the clone still has: those that its own branches and the remote ones end at,
// and everything that is stashed, each once. What only the reflog knows is not among them.
func (r *Repo) Reachable(ctx context.Context) ([]string, error) {
	tips, err := r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	if _, err := Run(ctx, r.Top, "rev-parse", "--quiet", "--verify", "refs/stash"); err != nil {
		return tips, nil //nolint:nilerr // nothing was ever stashed
	}
	// The parents of a stash hold the index and the files that git did not track.
	stashed, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--parents", "refs/stash")
	return append(tips, stashed...), err
}

// Remembered returns the commits of Reachable, and those that the reflogs know: what was ever committed here, until git forgets.
func (r *Repo) Remembered(ctx context.Context) ([]string, error) {
	known, err := r.Reachable(ctx)
	if err != nil {
		return nil, err
	}
	logged, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--all")
	return append(known, logged...), err
}

// commits reads the hashes that a command of git prints.
func (r *Repo) commits(ctx context.Context, args ...string) ([]string, error) {
	out, err := Run(ctx, r.Top, args...)
	ids := strings.Fields(string(out))
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Files calls fn with the content of each of the files that each of the commits has. The paths are seen from the top of the
// work tree, with forward slashes.
func (r *Repo) Files(ctx context.Context, commits, paths []string, fn func(path string, content []byte)) error {
	var names, asked []string // what git calls each file, and its path
	for _, path := range paths {
		if strings.Contains(path, "\n") {
			continue // it cannot be asked for
		}
		for _, commit := range commits {
			names, asked = append(names, commit+":"+path), append(asked, path)
		}
	}
	return r.Blobs(ctx, names, math.MaxInt64, func(i int, b Blob) {
		if !b.Missing {
			fn(asked[i], b.Content)
		}
	})
}
