package check

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Dir resolves the folder that a check declares against the workspace's root. The result is absolute, has no links in
// it, and lies inside the root once the root's own links are resolved. "" and "." are the root itself; a slash
// separates on every system.
//
// It returns INVALID_INPUT if cwd is absolute, leaves the root by ".." or through a link, or is not an existing folder.
func Dir(root, cwd string) (string, error) {
	if cwd == "" {
		cwd = "."
	}
	local := filepath.FromSlash(cwd)
	if !filepath.IsLocal(local) {
		return "", outside(cwd)
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", record.Errorf(record.IO, "cannot read the workspace's folder: %w", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(top, local))
	if err != nil {
		return "", record.Errorf(record.InvalidInput, "cannot run in folder %q: %w", cwd, reasonOf(err))
	}
	if rel, err := filepath.Rel(top, dir); err != nil || !filepath.IsLocal(rel) {
		return "", outside(cwd)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", record.Errorf(record.InvalidInput, "cannot run in folder %q: it is not a folder", cwd)
	}
	return dir, nil
}

// outside is the error for a folder that is not in the workspace.
func outside(cwd string) error {
	return record.Errorf(record.InvalidInput, "the check's folder %q is outside the workspace", cwd).
		WithHint("give cwd as a path below the workspace's folder, without links that lead out of it")
}

// reasonOf returns the cause of a path error without the path, which the message names already.
func reasonOf(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
