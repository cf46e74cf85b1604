package worktree

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// includeFile names ignored files that a new work tree gets copies of, in the syntax of .gitignore.
const includeFile = ".worktreeinclude"

// The most that .worktreeinclude may name.
const (
	maxIncluded      = 20_000
	maxIncludedBytes = 2 << 30
)

// includes are the ignored files that .worktreeinclude names, in the work tree around the workspace.
type includes struct {
	from *git.Repo
	to   string // the top of the work tree that gets copies
}

// copy copies the files, and returns how each copy looks. Tracked files are left out, and so are links, what lies
// behind one, and what is no regular file. It never replaces a file.
func (i includes) copy(ctx context.Context) (map[string]copied, error) {
	names, err := i.list(ctx)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if len(names) > maxIncluded {
		return nil, tooMuch("more than %d files", maxIncluded)
	}
	done, left := map[string]copied{}, int64(maxIncludedBytes)
	for _, name := range names {
		if ctx.Err() != nil {
			return done, problem.IO(ctx.Err())
		}
		info, err := disk.CopyIn(i.from.Top, i.to, filepath.FromSlash(name), left)
		switch {
		case errors.Is(err, disk.ErrTooLarge):
			return done, tooMuch("more than %d bytes", maxIncludedBytes)
		case errors.Is(err, fs.ErrExist), errors.Is(err, disk.ErrNotRegular), problem.Missing(err), escapes(err):
			continue
		case err != nil:
			return done, problem.IO(err)
		}
		left -= info.Size()
		done[name] = copied{info.Size(), info.ModTime().UnixNano()}
	}
	return done, nil
}

// escapes reports whether an error is that of a path that leads out of its folder.
func escapes(err error) bool {
	at := (*fs.PathError)(nil)
	return errors.As(err, &at) && at.Err != nil && at.Err.Error() == "path escapes from parent"
}

func tooMuch(format string, most int) error {
	return record.Errorf(record.InvalidInput, includeFile+" names "+format, most).
		WithHint("name what a work tree cannot do without, and have worktree_setup make the rest")
}

// list lists the files: those that .worktreeinclude names and git ignores.
func (i includes) list(ctx context.Context) ([]string, error) {
	file := filepath.Join(i.from.Top, includeFile)
	if !layout.Exists(file) {
		return nil, nil
	}
	if !layout.IsFile(file) {
		return nil, problem.NotRegular(file)
	}
	return i.from.IgnoredAnd(ctx, includeFile)
}
