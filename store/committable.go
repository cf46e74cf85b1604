package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// What is judged in a working tree is what git would commit of it. Where the two can differ, the check says so and judges nothing.

// unconverted returns INVALID_INPUT if git changes the files of a record when they are added or checked out, in more than their
// line ends. Whoever reads the working tree and whoever reads the commit would see two records.
func (l Layout) unconverted(ctx context.Context, t *tree, staged bool, index string) error {
	var paths []string
	for _, f := range t.files() {
		paths = append(paths, l.inRepo(f.Path))
	}
	converted, err := l.Repo.Converted(ctx, paths, staged, index)
	if err != nil || len(converted) == 0 {
		return err
	}
	first := converted[0]
	return task.Errorf(task.InvalidInput, "git changes %s%s on the way into a commit (attribute %s), so what lies here is not what others get",
		first.Path, andMore(len(converted)-1), first.By).
		WithHint("take the record out of it: let %s/** -filter -ident -working-tree-encoding be the last line of .gitattributes, and add the files anew",
			l.inRepo(Folder))
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// ownTree returns INVALID_INPUT if what lies here is not the work tree of the repository around it: if core.worktree names another
// one, or if a folder of the record is a repository of its own.
func (l Layout) ownTree(ctx context.Context) error {
	for _, dir := range []string{filepath.Join(l.Root, Folder), l.TasksDir(), l.SessionsDir(), l.PlansDir()} {
		if dotGit := filepath.Join(dir, ".git"); exists(dotGit) {
			return task.Errorf(task.InvalidInput, "%s is a repository of its own", dir).
				WithHint("take %s away, so that the record is a part of the repository around it", dotGit)
		}
	}
	top, err := l.Repo.TopLevel(ctx)
	if err != nil {
		return err
	}
	a, errA := os.Stat(filepath.FromSlash(top))
	b, errB := os.Stat(l.Repo.Top)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return task.Errorf(task.InvalidInput, "git takes %q for the work tree, and not %s", top, l.Repo.Top).
			WithHint("git config --unset core.worktree has it take the folder that holds .git")
	}
	return nil
}

// sameAs reports whether git keeps a content under an id, up to its line ends.
func sameAs(content []byte, id string) bool {
	return git.ContentID(content, id) == id || git.ContentID(unixLines(content), id) == id
}

// hidden is the error of files that git was told not to look at and that are not what it has.
func hidden(paths []string) error {
	return task.Errorf(task.InvalidInput, "git was told not to look at %s%s (assume-unchanged or skip-worktree), and would commit something else than what lies there",
		paths[0], andMore(len(paths)-1)).
		WithHint("git update-index --no-assume-unchanged --no-skip-worktree %s", strings.Join(paths[:min(len(paths), 8)], " "))
}

// notCommitted is a note about files that are judged and that git ignores; "" if there are none.
func (l Layout) notCommitted(ctx context.Context, untracked []string) (string, error) {
	if len(untracked) == 0 {
		return "", nil
	}
	all, err := l.Repo.Ignored(ctx, l.inRepo(l.ConfigPath()), l.inRepo(l.rel(l.TasksDir())), l.inRepo(l.rel(l.SignersFile())))
	if err != nil {
		return "", err
	}
	ignored := make(map[string]bool, len(all))
	for _, name := range all {
		ignored[name] = true
	}
	judged := slices.DeleteFunc(untracked, func(name string) bool { return !ignored[l.inRepo(name)] })
	if len(judged) == 0 {
		return "", nil
	}
	return fmt.Sprintf("git ignores %s%s, so no commit will hold it", judged[0], andMore(len(judged)-1)), nil
}

// pointer is how a file of Git LFS begins that lies in place of the real one.
const pointer = "version https://git-lfs.github.com/spec/"

// errPointer is why such a file is no part of a record.
var errPointer = task.Errorf(task.BadFile, "is a pointer of Git LFS, and not the file").
	WithHint("take the record out of Git LFS: git lfs migrate export --include='%s/**' --everything, and no filter=lfs for it in .gitattributes", Folder)

// noPointers returns INVALID_INPUT if files of a tree are such pointers: what they point at is judged by nobody.
func (t *tree) noPointers() error {
	for _, f := range t.files() {
		if errors.Is(f.Unread, errPointer) {
			return task.Errorf(task.InvalidInput, "%s %s", f.Path, errPointer.Msg).WithHint("%s", errPointer.Hint)
		}
	}
	return nil
}
