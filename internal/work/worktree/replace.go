package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// replacement gives uncommitted files of records, where a base is checked out, the content that they have in the commit
// that the base moves to. Git would refuse to move the base over them. Only a file whose content is in one of the
// commits that the base moves over is replaced, so nothing is lost.
type replacement struct {
	*holder
	from, to string   // the commits that the base moves from and to
	paths    []string // of the files to replace, from the top
	done     []replaced
}

// replaced is a file that was replaced.
type replaced struct {
	path string
	was  []byte
}

// find finds the files to replace. It returns BASE_DIRTY if there is any other uncommitted file that the move would
// touch, also an ignored one.
func (r *replacement) find(ctx context.Context) error {
	out, err := git.Run(ctx, r.Top, "diff-tree", "-r", "-z", "--name-status", "--no-renames", r.from, r.to)
	if err != nil {
		return err
	}
	uncommitted, err := r.uncommitted(ctx)
	if err != nil {
		return err
	}
	var wrong []string
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		kind, path := fields[i], fields[i+1]
		info, statErr := os.Lstat(r.file(path))
		switch {
		case !uncommitted[path] && (kind != "A" || statErr != nil):
		case git.Ours(path) && statErr == nil && info.Mode().IsRegular() && r.movesOver(ctx, path):
			r.paths = append(r.paths, path)
		default:
			wrong = append(wrong, path)
		}
	}
	return r.dirty(wrong)
}

func (r *replacement) uncommitted(ctx context.Context) (map[string]bool, error) {
	changes, err := r.Changes(ctx, git.Looks{})
	paths := map[string]bool{}
	for _, c := range changes {
		paths[strings.TrimSuffix(c.Path, "/")] = true
	}
	return paths, err
}

func (r *replacement) file(path string) string { return filepath.Join(r.Top, filepath.FromSlash(path)) }

// movesOver reports whether one of the commits that the base moves over has a file as it is here.
func (r *replacement) movesOver(ctx context.Context, path string) bool {
	content, err := layout.ReadFile(r.file(path))
	if err != nil {
		return false
	}
	found, here := false, git.ContentID(content, r.to)
	err = r.History().Versions(ctx, r.from, r.to, []string{path}, func(at, id string) { found = found || at == path && id == here })
	return found && err == nil
}

// run replaces the files and stages that. If it fails, the caller calls undo.
func (r *replacement) run(ctx context.Context) error {
	for _, path := range r.paths {
		was, err := layout.ReadFile(r.file(path))
		if err != nil {
			return problem.IO(err)
		}
		r.done = append(r.done, replaced{path, was})
		if err := r.put(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// undo gives the files back what they held before run.
func (r *replacement) undo(ctx context.Context) {
	for _, f := range slices.Backward(r.done) {
		_ = atomicfile.Write(r.file(f.path), f.was, 0o644)
		_, _ = git.Writing{}.Run(ctx, r.Top, "reset", "--quiet", "--", f.path)
	}
}

// put gives a file the content that it has in the commit that the base moves to, or removes it if it is not there, and
// stages that.
func (r *replacement) put(ctx context.Context, path string) error {
	files, err := r.Objects().Files(ctx, r.to, path)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		if err := disk.RemoveFile(r.file(path)); err != nil {
			return problem.IO(err)
		}
		_, err = git.Writing{}.Run(ctx, r.Top, "update-index", "--force-remove", "--", path)
		return err
	}
	var next []byte
	if err := r.Objects().Blobs(ctx, []string{r.to + ":" + path}, maxRecord, func(_ int, b git.Blob) { next = b.Content }); err != nil {
		return err
	}
	if err := atomicfile.Write(r.file(path), next, 0o644); err != nil {
		return problem.IO(err)
	}
	_, err = git.Writing{}.Run(ctx, r.Top, "update-index", "--add", "--", path)
	return err
}
