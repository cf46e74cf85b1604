package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

// subject is what is judged.
type subject struct {
	what  string // WorkingTree, Index or Commit
	head  string // the commit that is checked out, or that is judged; "" if there is none
	tree  *tree
	noGit string    // why git cannot be used; "" if it can
	note  string    // what the user should know about it; "" for nothing
	clock time.Time // see CheckOptions.Now

	gone  func(ctx context.Context, commit string) ([]string, error) // the paths, relative to the top, that a commit has and this has not
	holds func(ctx context.Context, folder string) (bool, error)     // whether a folder, relative to the top, holds a workspace

	fingerprint func(context.Context) (string, error)   // of the files outside .cairn folders; nil for a commit
	files       func(context.Context) (git.Tree, error) // the same files; nil for a commit, and where they may not be hashed
	unhashed    bool                                    // the fingerprint may not be taken, since the clone is not trusted
}

type subjectReader struct {
	layout.Layout
	opts CheckOptions
}

func (r subjectReader) read(ctx context.Context) (subject, error) {
	switch {
	case r.Repo == nil:
		return r.onDiskAlone(ctx, "this is no git repository")
	case r.opts.Commit != "":
		return r.committed(ctx, r.opts.Commit)
	}
	head, err := r.Repo.Head(ctx)
	if err != nil {
		return subject{}, err
	}
	if r.opts.Staged {
		return r.staged(ctx, r.opts.getenv("GIT_INDEX_FILE"), head.Commit)
	}
	s, err := r.workingTree(ctx, head.Commit, r.opts.Trusted)
	if errors.Is(err, exec.ErrNotFound) && !r.opts.named() {
		return r.onDiskAlone(ctx, record.MessageOf(err))
	}
	return s, err
}

// onDiskAlone reads the files on disk, without git.
func (r subjectReader) onDiskAlone(ctx context.Context, why string) (s subject, err error) {
	s = subject{what: WorkingTree, noGit: why}
	s.tree, err = readTree(ctx, r.Layout, diskSource{r.Layout}, nil)
	return s, err
}

// workingTree reads the working tree. It returns an error if that is not what git would commit.
func (r subjectReader) workingTree(ctx context.Context, head string, trusted bool) (s subject, err error) {
	if err := r.ownTree(ctx); err != nil {
		return subject{}, err
	}
	others := otherWorkspaces{r.Layout}
	s = subject{what: WorkingTree, head: head, unhashed: !trusted, gone: others.goneFromTree, holds: others.holdsInTree}
	if trusted {
		s.fingerprint, s.files = r.Repo.Fingerprint, r.Repo.WorkTree
	}
	src := &treeSource{disk: diskSource{r.Layout}, index: indexSource(r.Layout, "")}
	if s.tree, err = r.readGit(ctx, src, false, ""); err == nil {
		s.note, err = r.noteIgnored(ctx, src.untracked)
	}
	return s, err
}

// staged reads an index, which is named as for git.Repo.Index.
func (r subjectReader) staged(ctx context.Context, index, head string) (s subject, err error) {
	src := indexSource(r.Layout, index)
	s = subject{what: Index, head: head, gone: src.gone, holds: src.holds, fingerprint: r.Repo.Index(index).Fingerprint, files: r.Repo.Index(index).Tree}
	s.tree, err = r.readGit(ctx, src, true, index)
	return s, err
}

// readGit is readTree for what git has or would commit. It returns an error if other clones would get other files.
func (r subjectReader) readGit(ctx context.Context, src source, staged bool, index string) (*tree, error) {
	if err := r.Repo.NoPipes(place.All(r.Layout)...); err != nil {
		return nil, err
	}
	t, err := readTree(ctx, r.Layout, src, nil)
	if err == nil {
		err = r.unconverted(ctx, t, staged, index)
	}
	if err == nil {
		err = t.noPointers()
	}
	return t, err
}

func (r subjectReader) committed(ctx context.Context, name string) (subject, error) {
	commit, err := r.Repo.Commit(ctx, name)
	if err == nil && commit == "" {
		err = record.Errorf(record.InvalidInput, "there is no commit %q", name).WithHint("git log shows what there is")
	}
	if err != nil {
		return subject{}, err
	}
	src := commitSource(r.Layout, commit)
	s := subject{what: Commit, head: commit, gone: src.gone, holds: src.holds}
	if s.tree, err = readTree(ctx, r.Layout, src, nil); err == nil {
		err = s.tree.noPointers()
	}
	return s, err
}

// The files of a working tree are judged only if git would commit them as they are. Where the two can differ, the check
// returns an error and judges nothing.

// unconverted returns INVALID_INPUT if git changes the files of records when they are added or checked out, in more
// than their line ends: the records in the working tree would differ from those in the commit.
func (r subjectReader) unconverted(ctx context.Context, t *tree, staged bool, index string) error {
	var paths []string
	for _, f := range t.files() {
		paths = append(paths, r.InRepo(f.Path))
	}
	converted, err := r.Repo.Index(index).Converted(ctx, paths, staged)
	if err != nil || len(converted) == 0 {
		return err
	}
	first := converted[0]
	return record.Errorf(record.InvalidInput, "git changes %s%s on the way into a commit (attribute %s), so what lies here is not what others get",
		first.Path, record.AndMore(len(converted)-1), first.By).
		WithHint("take the record out of it: let %s/** -filter -ident -working-tree-encoding be the last line of .gitattributes, and add the files anew",
			r.InRepo(layout.Folder))
}

// ownTree returns INVALID_INPUT if the workspace is not in the work tree that git uses: if core.worktree names another
// one, or if a folder of records is a repository of its own.
func (r subjectReader) ownTree(ctx context.Context) error {
	for _, dir := range append([]string{r.Top()}, place.All(r.Layout)...) {
		if dotGit := filepath.Join(dir, ".git"); layout.Exists(dotGit) {
			return record.Errorf(record.InvalidInput, "%s is a repository of its own", dir).
				WithHint("take %s away, so that the record is a part of the repository around it", dotGit)
		}
	}
	top, err := r.Repo.TopLevel(ctx)
	if err != nil {
		return err
	}
	a, errA := os.Stat(filepath.FromSlash(top))
	b, errB := os.Stat(r.Repo.Top)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return record.Errorf(record.InvalidInput, "git takes %q for the work tree, and not %s", top, r.Repo.Top).
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
func (r subjectReader) noteIgnored(ctx context.Context, untracked []string) (string, error) {
	if len(untracked) == 0 {
		return "", nil
	}
	paths := []string{r.InRepo(r.Rel(r.ConfigFile())), r.InRepo(r.Rel(r.SignersFile()))}
	for _, k := range kind.Kinds() {
		if k.Held() {
			paths = append(paths, foldersInRepo(r.Layout, k)...)
		}
	}
	all, err := r.Repo.Ignored(ctx, paths...)
	if err != nil {
		return "", err
	}
	ignored := record.SetOf(all)
	judged := slices.DeleteFunc(untracked, func(name string) bool { return !ignored[r.InRepo(name)] })
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
