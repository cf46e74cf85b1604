package worktree

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// span is the commit where the branch left its base, and the tip of the branch. If the base is gone, it begins at the
// commit that the work began at.
func (w work) span(ctx context.Context) (from, tip string, err error) {
	if tip, err = w.tip(ctx); err != nil {
		return "", "", err
	}
	base, err := w.branchTip(ctx, w.tree.Base)
	if err != nil || base == "" {
		return w.tree.BaseCommit, tip, err
	}
	bases, err := w.repo.History().MergeBases(ctx, base, tip)
	if err != nil || len(bases) == 0 {
		return w.tree.BaseCommit, tip, err
	}
	return bases[0], tip, nil
}

const maxDiff = 32 << 20

// Diff is what the commits of a work tree's branch changed since it left its base, without the files of the record, as
// a patch that git applies. It returns INVALID_INPUT if that is more than 32 MiB.
func (w *Worktrees) Diff(ctx context.Context, t Tree) ([]byte, error) {
	from, tip, err := w.on(t).span(ctx)
	if err != nil {
		return nil, err
	}
	out, err := DiffOf(ctx, w.repo, from, tip)
	if record.CodeOf(err) == record.InvalidInput {
		err = record.Errorf(record.InvalidInput, "the change of %s is larger than %d bytes", t.Task, maxDiff).
			WithHint("git diff %s...%s shows it", t.Base, t.Branch)
	}
	return out, err
}

// DiffOf is the difference of two commits, as Diff is. It returns INVALID_INPUT if that is more than 32 MiB.
func DiffOf(ctx context.Context, repo *git.Repo, from, tip string) (out []byte, err error) {
	read := func(r *bufio.Reader) error {
		out, err = io.ReadAll(io.LimitReader(r, maxDiff+1))
		if err == nil && len(out) > maxDiff {
			err = record.Errorf(record.InvalidInput, "the change is larger than %d bytes", maxDiff).WithHint("git diff %s %s shows it", from, tip)
		}
		return err
	}
	err = repo.History().ReadDiff(ctx, read, from, tip, "--binary", "--full-index", "--find-renames")
	return out, err
}

// Stat is how much the commits of a branch changed. A file that was renamed is two.
type Stat struct {
	Files   []git.Lines // but for those of the record
	Added   int         // lines, in all files
	Deleted int         // lines, in all files
	Records []string    // the files of the record that changed, by their paths
	Commits int
	From    string // the commit that it is compared with
	Tip     string
}

// OfWorkspaces lists the changed paths that are of a workspace, in any folder of the repository: records of its own, and
// whatever else is called .cairn or lies in such a folder.
func (s Stat) OfWorkspaces() (paths []string) {
	for _, f := range s.Files {
		if slices.ContainsFunc(strings.Split(f.Path, "/"), func(name string) bool { return strings.EqualFold(name, layout.Folder) }) {
			paths = append(paths, f.Path)
		}
	}
	return append(paths, s.Records...)
}

// Stat returns how much the commits of a work tree's branch changed since it left its base.
func (w *Worktrees) Stat(ctx context.Context, t Tree) (Stat, error) {
	from, tip, err := w.on(t).span(ctx)
	if err != nil {
		return Stat{}, err
	}
	return StatOf(ctx, w.repo, from, tip)
}

// StatOf returns how much differs between two commits, as Stat does.
func StatOf(ctx context.Context, repo *git.Repo, from, tip string) (Stat, error) {
	s := Stat{From: from, Tip: tip, Files: []git.Lines{}}
	files, records, err := repo.History().NumStat(ctx, from, tip)
	if err != nil {
		return s, err
	}
	for _, l := range records {
		s.Records = append(s.Records, l.Path)
	}
	for _, l := range files {
		s.Files = append(s.Files, l)
		s.Added, s.Deleted = s.Added+l.Added, s.Deleted+l.Deleted
	}
	s.Commits, err = repo.Refs().Between(ctx, from, tip, 10_000)
	return s, err
}

// MaxPatch is the most bytes of a patch.
const MaxPatch = 32 << 20

// Apply applies a patch to a work tree and stages what it changes, as git apply --3way --index does. The patch is
// applied in an index of its own first, so that the work tree changes whole or not at all.
//
// It returns the errors of Verify; CONFLICT if the patch does not apply, or if an uncommitted change is in its way;
// INVALID_INPUT for a patch that is too large, for text that is no patch, and for a patch that leads out of the work
// tree or into .git, or that changes a link, a nested repository, or the record.
func (w *Worktrees) Apply(ctx context.Context, t Tree, patch []byte) error {
	if err := w.mayWrite(); err != nil {
		return err
	}
	if len(patch) > MaxPatch {
		return record.Errorf(record.InvalidInput, "the patch has more than %d bytes", MaxPatch).WithHint("divide it")
	}
	if err := w.Verify(ctx, t); err != nil {
		return err
	}
	if err := w.layout.MakeWorktrees(); err != nil {
		return err
	}
	index := filepath.Join(w.layout.Live.Worktrees(), ".apply-"+randomName())
	defer func() { _, _ = disk.RemoveFile(index), disk.RemoveFile(index+".lock") }()
	tree, err := w.patched(ctx, t.Path, index, patch)
	if err != nil {
		return err
	}
	_, err = git.Writing{}.Run(ctx, t.Path, "read-tree", "-m", "-u", "HEAD", tree)
	if git.Exited(err) != 0 {
		return record.Errorf(record.Conflict, "uncommitted changes in %s are in the way of the patch: %s", t.Path, strings.Join(git.Complaints(err, 3), "; ")).
			WithHint("commit them, or take them back")
	}
	return err
}

// patched returns the tree that a patch makes of the commit that is checked out, by another index. It returns
// INVALID_INPUT if the tree differs from that commit in what no patch may change.
func (c *clone) patched(ctx context.Context, top, index string, patch []byte) (string, error) {
	if _, err := (git.Writing{Index: index}).Run(ctx, top, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	_, err := git.Writing{Index: index, Input: bytes.NewReader(patch)}.Run(ctx, top, "apply", "--3way", "--cached", "--whitespace=nowarn", "-")
	if err != nil && git.Exited(err) == 0 {
		return "", err
	}
	tree := ""
	if err == nil {
		tree, err = writeTree(ctx, top, index)
	}
	if err != nil {
		return "", notApplied(err)
	}
	out, err := git.Run(ctx, top, "diff-tree", "-r", "-z", "--raw", "--no-renames", "HEAD", tree)
	if err != nil {
		return "", err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		modes, path := strings.Fields(strings.TrimPrefix(fields[i], ":")), fields[i+1]
		if why := c.forbidden(modes, path); why != "" {
			return "", record.Errorf(record.InvalidInput, "the patch changes %s, which is %s", path, why).WithHint("leave it out of the patch")
		}
	}
	return tree, nil
}

// notApplied is the error of a patch that git refuses: it does not fit, or it is no patch.
func notApplied(err error) error {
	said := strings.Join(git.Complaints(err, 5), "; ")
	for _, wrong := range []string{"invalid path", "beyond a symbolic link", "No valid patches", "corrupt patch", "unrecognized input", "inconsistent old filename", "lacks filename information"} {
		if strings.Contains(said, wrong) {
			return record.Errorf(record.InvalidInput, "git does not take the patch: %s", record.Clip(said, 500)).
				WithHint("a patch is what git diff prints, with paths from the top of the repository")
		}
	}
	return record.Errorf(record.Conflict, "the patch does not apply: %s", record.Clip(said, 500)).WithHint("make it against the commit that the work began at")
}

// forbidden says what a path is that no patch may change; "" if it may.
func (c *clone) forbidden(modes []string, path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if layout.Alike(part) || strings.EqualFold(part, ".git") || part == ".." {
			return "under " + part
		}
	}
	if c.repo.Aside != nil && c.repo.Aside(path, false) {
		return "under " + layout.Folder
	}
	for _, mode := range modes[:min(2, len(modes))] {
		switch mode {
		case "120000":
			return "a link"
		case "160000":
			return "a nested repository"
		}
	}
	return ""
}
