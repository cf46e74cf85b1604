package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// The files of a working tree are judged only if git would commit them as they are. Where the two can differ, the check
// returns an error and judges nothing.

// unconverted returns INVALID_INPUT if git changes the files of records when they are added or checked out, in more
// than their line ends: the records in the working tree would differ from those in the commit.
func (c subjectReader) unconverted(ctx context.Context, t *tree, staged bool, index string) error {
	var paths []string
	for _, f := range t.files() {
		paths = append(paths, c.InRepo(f.Path))
	}
	converted, err := c.Repo.Index(index).Converted(ctx, paths, staged)
	if err != nil || len(converted) == 0 {
		return err
	}
	first := converted[0]
	return record.Errorf(record.InvalidInput, "git changes %s%s on the way into a commit (attribute %s), so what lies here is not what others get",
		first.Path, record.AndMore(len(converted)-1), first.By).
		WithHint("take the record out of it: let %s/** -filter -ident -working-tree-encoding be the last line of .gitattributes, and add the files anew",
			c.InRepo(layout.Folder))
}

// ownTree returns INVALID_INPUT if the workspace is not in the work tree that git uses: if core.worktree names another
// one, or if a folder of records is a repository of its own.
func (c subjectReader) ownTree(ctx context.Context) error {
	for _, dir := range append([]string{c.Top()}, recordDirs(c.Layout)...) {
		if dotGit := filepath.Join(dir, ".git"); layout.Exists(dotGit) {
			return record.Errorf(record.InvalidInput, "%s is a repository of its own", dir).
				WithHint("take %s away, so that the record is a part of the repository around it", dotGit)
		}
	}
	top, err := c.Repo.TopLevel(ctx)
	if err != nil {
		return err
	}
	a, errA := os.Stat(filepath.FromSlash(top))
	b, errB := os.Stat(c.Repo.Top)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return record.Errorf(record.InvalidInput, "git takes %q for the work tree, and not %s", top, c.Repo.Top).
			WithHint("git config --unset core.worktree has it take the folder that holds .git")
	}
	return nil
}

// hidden is the error of files that git was told not to compare, and that differ from what it has.
func hidden(paths []string) error {
	return record.Errorf(record.InvalidInput, "git was told not to look at %s%s (assume-unchanged or skip-worktree), and would commit something else than what lies there",
		paths[0], record.AndMore(len(paths)-1)).
		WithHint("git update-index --no-assume-unchanged --no-skip-worktree %s", strings.Join(paths[:min(len(paths), 8)], " "))
}

// noteIgnored is a note about judged files that git ignores; "" if there are none.
func (c subjectReader) noteIgnored(ctx context.Context, untracked []string) (string, error) {
	if len(untracked) == 0 {
		return "", nil
	}
	paths := []string{c.InRepo(c.Rel(c.ConfigFile())), c.InRepo(c.Rel(c.SignersFile()))}
	for _, k := range kind.Kinds() {
		if k.Held() {
			paths = append(paths, foldersInRepo(c.Layout, k)...)
		}
	}
	all, err := c.Repo.Ignored(ctx, paths...)
	if err != nil {
		return "", err
	}
	ignored := make(map[string]bool, len(all))
	for _, name := range all {
		ignored[name] = true
	}
	judged := slices.DeleteFunc(untracked, func(name string) bool { return !ignored[c.InRepo(name)] })
	if len(judged) == 0 {
		return "", nil
	}
	return fmt.Sprintf("git ignores %s%s, so no commit will hold it", judged[0], record.AndMore(len(judged)-1)), nil
}

// pointer begins a file that Git LFS puts in place of the real one.
const pointer = "version https://git-lfs.github.com/spec/"

// errPointer is why such a file cannot be read as a record.
var errPointer = record.Errorf(record.BadFile, "is a pointer of Git LFS, and not the file").
	WithHint("take the record out of Git LFS: git lfs migrate export --include='%s/**' --everything, and no filter=lfs for it in .gitattributes", layout.Folder)

// noPointers returns INVALID_INPUT if a file of the tree is such a pointer, since the file behind it is not judged.
func (t *tree) noPointers() error {
	for _, f := range t.files() {
		if errors.Is(f.Unread, errPointer) {
			return record.Errorf(record.InvalidInput, "%s %s", f.Path, errPointer.Msg).WithHint("%s", errPointer.Hint)
		}
	}
	return nil
}
