package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// WorkTree reads the tree of the files as they are now: all that are tracked or not ignored, with the content that
// "git add" would store. It looks at the index for the files that are as they were added, and hashes the others.
//
// A file that changes meanwhile is seen as it was at some moment; one that vanishes is left out. Files that git was told not
// to look at (assume-unchanged, skip-worktree) are looked at all the same where they are there. Other work trees of the same clone that lie
// inside this one are left out. To hash a file git may start the filters that the clone's config names, so only a clone that
// the user trusts may be asked. Where core.autocrlf is on and a file was committed with CRLF all the same, changing it
// and committing the change give two fingerprints.
func (r *Repo) WorkTree(ctx context.Context) (Tree, error) {
	t, files, err := r.index(ctx, "")
	if err != nil {
		return nil, err
	}
	if r.foreign {
		if err := r.addSubmodules(ctx, t); err != nil {
			return nil, err
		}
	}
	changes, err := r.status(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		switch {
		case c.mode == modeNone:
			delete(t, c.path)
		case c.isRepo():
			if err := r.addNested(ctx, t, strings.TrimSuffix(c.path, "/"), c.mode == ""); err != nil {
				return nil, err
			}
		default:
			delete(t, c.path)
			files = append(files, c)
		}
	}
	return t, r.addFiles(ctx, t, files)
}

// Fingerprint is the fingerprint of the work tree.
func (r *Repo) Fingerprint(ctx context.Context) (string, error) {
	t, err := r.WorkTree(ctx)
	if err != nil {
		return "", err
	}
	return t.Fingerprint(), nil
}

// IndexFingerprint is the fingerprint of what is staged in an index, which is named as for Tracked.
func (r *Repo) IndexFingerprint(ctx context.Context, index string) (string, error) {
	t, _, err := r.index(ctx, index)
	return t.Fingerprint(), err
}

// index reads what is staged, but for the paths that are in conflict: status names those. Files that are there and that git
// was told not to look at are unwatched: status will never name them.
func (r *Repo) index(ctx context.Context, index string) (t Tree, unwatched []change, err error) {
	files, err := r.Tracked(ctx, index, "")
	if err != nil {
		return nil, nil, err
	}
	t = Tree{}
	for _, f := range files {
		if !f.Unmerged {
			t.set(f.Path, f.Mode, f.ID)
		}
		if f.Unwatched && f.Mode != modeRepo && !ours(f.Path) && r.isThere(f.Path) {
			unwatched = append(unwatched, change{path: f.Path})
		}
	}
	return t, unwatched, nil
}

// isThere reports whether a file is in the work tree.
func (r *Repo) isThere(path string) bool {
	info, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(path)))
	return err == nil && !info.IsDir()
}

// change is a path whose working content is not what the index has for it.
type change struct {
	path string
	mode string // in the work tree, as git would record it; modeNone if it was deleted, "" if it is not tracked
}

// isRepo tells whether there is a repository at the path; git shows one that is not tracked as "path/".
func (c change) isRepo() bool { return c.mode == modeRepo || strings.HasSuffix(c.path, "/") }

// status lists the changes outside cairn's own folders.
func (r *Repo) status(ctx context.Context) ([]change, error) {
	submodules := "--ignore-submodules=none"
	if r.foreign {
		submodules = "--ignore-submodules=all" // git would look into them with the filters of their own configs
	}
	out, err := r.runFiltering(ctx, nil, "status", "--porcelain=v2", "-z", "-uall", "--no-renames", submodules)
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, line := range records(out) {
		c, ok, err := parseStatus(line)
		if err != nil {
			return nil, err
		}
		if ok && !ours(c.path) {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// parseStatus reads a line of porcelain format 2. It returns false for one that names no change of the work tree.
func parseStatus(line string) (change, bool, error) {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "#", "!":
		return change{}, false, nil
	case "?":
		return change{path: rest}, true, nil
	case "1": // XY sub mH mI mW hH hI path
		if f := strings.SplitN(rest, " ", 8); len(f) == 8 {
			inIndexOnly := strings.HasSuffix(f[0], ".")
			return change{path: f[7], mode: f[4]}, !inIndexOnly, nil
		}
	case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path
		if f := strings.SplitN(rest, " ", 10); len(f) == 10 {
			return change{path: f[9], mode: f[5]}, true, nil
		}
	}
	return change{}, false, garbled("status", line)
}
