package snapshot

import (
	"context"
	"errors"
	"os/exec"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

// subject is what is judged.
type subject struct {
	what  string // WorkingTree, Index or Commit
	head  string // the commit that is checked out, or that is judged; "" if there is none
	tree  *tree
	noGit string // why git cannot be used; "" if it can
	note  string // what the user should know about it; "" for nothing

	gone  func(ctx context.Context, commit string) ([]string, error) // the paths, relative to the top, that a commit has and this has not
	holds func(ctx context.Context, folder string) (bool, error)     // whether a folder, relative to the top, holds a workspace

	fingerprint func(context.Context) (string, error) // of the files outside .cairn folders; nil for a commit
	unhashed    bool                                  // the fingerprint may not be taken, since the clone is not trusted
}

// subjectReader reads what is judged.
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
		s.fingerprint = r.Repo.Fingerprint
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
	s = subject{what: Index, head: head, gone: src.gone, holds: src.holds, fingerprint: r.Repo.Index(index).Fingerprint}
	s.tree, err = r.readGit(ctx, src, true, index)
	return s, err
}

// readGit is readTree for what git has or would commit. It returns an error if other clones would get other files.
func (r subjectReader) readGit(ctx context.Context, src source, staged bool, index string) (*tree, error) {
	if err := r.Repo.NoPipes(recordDirs(r.Layout)...); err != nil {
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

// committed reads a commit.
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

// recordDirs lists the folders of records, and those around them.
func recordDirs(l layout.Layout) []string {
	var out []string
	for _, folder := range place.All(l) {
		out = append(out, l.Dir(folder))
	}
	return out
}
