package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// addFiles adds changed files to a tree as "git add" would store them, without storing anything. Files that are gone by
// now, and what is neither a file nor a link, are left out.
func (r *Repo) addFiles(ctx context.Context, t Tree, changes []change) error {
	executable, err := r.executables(ctx, changes)
	if err != nil {
		return err
	}
	var links, files []change
	for _, c := range changes {
		info, err := os.Lstat(r.path(c.path))
		switch {
		case missing(err):
		case err != nil:
			return task.Errorf(task.IO, "cannot read a file of the work tree: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			links = append(links, change{c.path, modeLink})
		case info.Mode().IsRegular():
			if c.mode == "" {
				c.mode = fileMode(info, executable)
			}
			files = append(files, c)
		}
	}
	if err := r.addLinks(ctx, t, links); err != nil {
		return err
	}
	return r.addContents(ctx, t, files)
}

// path is where a path of the tree lies on disk.
func (r *Repo) path(p string) string { return filepath.Join(r.Top, filepath.FromSlash(p)) }

// executables tells whether git believes the executable bits on disk (core.fileMode). It matters only to files that are
// not tracked; the mode of the others comes from git.
func (r *Repo) executables(ctx context.Context, changes []change) (bool, error) {
	if !slices.ContainsFunc(changes, func(c change) bool { return c.mode == "" }) {
		return true, nil
	}
	value, err := answer(Run(ctx, r.Top, "config", "--type=bool", "--get", "core.fileMode"))
	return value != "false", err
}

// fileMode is the mode that git would record for a file that it does not track yet.
func fileMode(info fs.FileInfo, executable bool) string {
	if executable && info.Mode()&0o100 != 0 {
		return modeExec
	}
	return modeFile
}
