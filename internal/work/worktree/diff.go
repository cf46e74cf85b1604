package worktree

import (
	"bufio"
	"context"
	"io"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// CommittedOn reports whether a commit was made on the branch of a tree, and not brought to it from elsewhere.
func (w *Worktrees) CommittedOn(ctx context.Context, t Tree, commit string) (bool, error) {
	return w.repo.Refs().CommittedOn(ctx, t.Branch, commit)
}

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

// maxDiff is the most bytes of a diff.
const maxDiff = 32 << 20

// Diff is what the commits of a work tree's branch changed since it left its base, without what lies under .cairn, as a
// patch that git applies. It returns INVALID_INPUT if that is more than 32 MiB.
func (w *Worktrees) Diff(ctx context.Context, t Tree) ([]byte, error) { return w.on(t).diff(ctx) }

func (w work) diff(ctx context.Context) ([]byte, error) {
	from, tip, err := w.span(ctx)
	if err != nil {
		return nil, err
	}
	var out []byte
	read := func(r *bufio.Reader) error {
		out, err = io.ReadAll(io.LimitReader(r, maxDiff+1))
		if err == nil && len(out) > maxDiff {
			err = record.Errorf(record.InvalidInput, "the change of %s is larger than %d bytes", w.tree.Task, maxDiff).
				WithHint("git diff %s...%s shows it", w.tree.Base, w.tree.Branch)
		}
		return err
	}
	err = w.repo.ReadDiff(ctx, read, from, tip, "--binary", "--full-index", "--find-renames")
	return out, err
}

// Changed lists the paths that the commits of a work tree's branch changed since it left its base, from the top, with
// slashes; without those under .cairn. A file that was renamed is two paths.
func (w *Worktrees) Changed(ctx context.Context, t Tree) ([]string, error) {
	s, err := w.Stat(ctx, t)
	paths := make([]string, len(s.Files))
	for i, f := range s.Files {
		paths[i] = f.Path
	}
	return paths, err
}

// Stat is how much the commits of a branch changed.
type Stat struct {
	Files   []FileStat `json:"files"`             // outside .cairn
	Added   int        `json:"added"`             // lines, in all files
	Deleted int        `json:"deleted"`           // lines, in all files
	Records []string   `json:"records,omitempty"` // the paths under .cairn that changed
	Commits int        `json:"commits"`
	From    string     `json:"from"` // the commit that it is compared with
	Tip     string     `json:"tip"`
}

// FileStat is how much a file changed.
type FileStat struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

// Stat returns how much the commits of a work tree's branch changed since it left its base.
func (w *Worktrees) Stat(ctx context.Context, t Tree) (Stat, error) { return w.on(t).stat(ctx) }

func (w work) stat(ctx context.Context) (Stat, error) {
	from, tip, err := w.span(ctx)
	if err != nil {
		return Stat{}, err
	}
	s := Stat{From: from, Tip: tip, Files: []FileStat{}}
	lines, err := w.repo.NumStat(ctx, from, tip)
	if err != nil {
		return s, err
	}
	for _, l := range lines {
		if git.Ours(l.Path) {
			s.Records = append(s.Records, l.Path)
			continue
		}
		s.Files = append(s.Files, FileStat(l))
		s.Added, s.Deleted = s.Added+l.Added, s.Deleted+l.Deleted
	}
	s.Commits, err = w.repo.Refs().Between(ctx, from, tip, 10_000)
	return s, err
}
