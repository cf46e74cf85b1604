package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// WorkTree reads the tree of the files as they are now: all that are tracked or not ignored, with the content that "git
// add" would store. It takes unchanged files from the index and hashes the others.
//
// A file that changes meanwhile is read as it was at some moment; one that vanishes is left out. Files that git was
// told not to compare (assume-unchanged, skip-worktree) are read too, if they are there. Other work trees of the same
// clone inside this one are left out.
//
// To hash a file, git may start the filters that the clone's config names, so call it for clones only that the user
// trusts. Where core.autocrlf is on and a file was committed with CRLF all the same, changing it and committing the
// change give two fingerprints.
func (r *Repo) WorkTree(ctx context.Context) (Tree, error) {
	w := workTree{Repo: r}
	err := w.read(ctx)
	return w.tree, err
}

// Fingerprint is the fingerprint of the work tree.
func (r *Repo) Fingerprint(ctx context.Context) (string, error) {
	t, err := r.WorkTree(ctx)
	if err != nil {
		return "", err
	}
	return t.Fingerprint(), nil
}

// path is where a path of the tree lies on disk.
func (r *Repo) path(p string) string { return filepath.Join(r.Top, filepath.FromSlash(p)) }

// hasFile reports whether there is a file, or anything but a folder, in the work tree.
func (r *Repo) hasFile(path string) bool {
	info, err := os.Lstat(r.path(path))
	return err == nil && !info.IsDir()
}

// workTree is a work tree that is being read.
type workTree struct {
	*Repo
	tree    Tree
	foreign bool // it lies in the work tree of another repository, which does not track it: nobody has trusted its config
}

func (w *workTree) read(ctx context.Context) error {
	staged, files, err := w.Index("").tree(ctx)
	if err != nil {
		return err
	}
	w.tree = staged
	if w.foreign {
		if err := w.addSubmodules(ctx); err != nil {
			return err
		}
	}
	changes, err := w.status(ctx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch {
		case c.mode == modeNone:
			delete(w.tree, c.path)
		case c.isRepo():
			if err := w.addNested(ctx, strings.TrimSuffix(c.path, "/"), c.mode == ""); err != nil {
				return err
			}
		default:
			delete(w.tree, c.path)
			files = append(files, c)
		}
	}
	return w.addFiles(ctx, files)
}

// change is a path whose content in the work tree differs from the index.
type change struct {
	path string
	mode string // in the work tree, as git would record it; modeNone if it was deleted, "" if it is not tracked
}

// isRepo reports whether the path is a nested repository; git prints one that is not tracked as "path/".
func (c change) isRepo() bool { return c.mode == modeRepo || strings.HasSuffix(c.path, "/") }

// status lists the changes outside .cairn folders.
func (w *workTree) status(ctx context.Context) ([]change, error) {
	submodules := "--ignore-submodules=none"
	if w.foreign {
		submodules = "--ignore-submodules=all" // git would start the filters of their own configs
	}
	out, err := w.runFiltering(ctx, nil, "status", "--porcelain=v2", "-z", "-uall", "--no-renames", submodules)
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

// parseStatus parses a line of porcelain format 2. It returns false for a line that is about no change of the work
// tree.
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
