package worktree

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// commitLimit is how long the hooks of a commit may take.
const commitLimit = 10 * time.Minute

// Commit commits all that is uncommitted in a work tree on its branch, with the user's hooks, and returns the commit; "" if there is
// nothing to commit. A repository that lies in it untracked stays out, since a commit would keep its name and not its files.
//
// It returns the errors of Verify, and GIT if a hook refuses, which is quoted. Then the changes are there as before, staged.
func (w *Worktrees) Commit(ctx context.Context, t Tree, message string) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	if err := w.Verify(ctx, t); err != nil {
		return "", err
	}
	if err := w.stage(ctx, t); err != nil {
		return "", err
	}
	_, err := git.Run(ctx, t.Path, "diff-index", "--cached", "--quiet", "HEAD", "--")
	if err == nil {
		return "", nil
	}
	if git.Exited(err) != 1 {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, commitLimit)
	defer cancel()
	_, err = git.Writing{Hooks: true}.Run(limited, t.Path, "commit", "--quiet", "--cleanup=whitespace", "-m", message)
	if err != nil {
		return "", refused(err)
	}
	return w.tip(ctx, t)
}

// stage stages all changes but repositories that are not tracked.
func (w *Worktrees) stage(ctx context.Context, t Tree) error {
	there, err := w.opened(t.Path)
	if err != nil {
		return err
	}
	changes, err := there.Changes(ctx, git.Looks{})
	if err != nil {
		return err
	}
	args := []string{"add", "--all", "--", ":/"}
	for _, c := range changes {
		if c.Untracked && strings.HasSuffix(c.Path, "/") {
			args = append(args, ":(top,exclude,literal)"+strings.TrimSuffix(c.Path, "/"))
		}
	}
	_, err = git.Writing{Magic: true}.Run(ctx, t.Path, args...)
	return err
}

// refused is the error of a commit that was not made, with what a hook said.
func refused(err error) error {
	said := git.Complaints(err, 5)
	if len(said) == 0 || git.Exited(err) == 0 {
		return err
	}
	return task.Errorf(task.Git, "git did not make the commit: %s", task.Clip(strings.Join(said, "; "), 500)).
		WithHint("a hook may have refused it; what was to be committed is staged")
}

// tip is the newest commit of a work tree's branch.
func (w *Worktrees) tip(ctx context.Context, t Tree) (string, error) {
	tip, err := w.repo.Refs().Commit(ctx, "refs/heads/"+t.Branch)
	if err == nil && tip == "" {
		err = task.Errorf(task.Conflict, "the branch %s of %s is not there any more", t.Branch, t.Task).WithHint("git reflog may still name its commits")
	}
	return tip, err
}

// since is the merge base of a work tree's branch and its base, and the tip of the branch. If the base is gone, it is the commit that the
// work began at.
func (w *Worktrees) since(ctx context.Context, t Tree) (from, tip string, err error) {
	if tip, err = w.tip(ctx, t); err != nil {
		return "", "", err
	}
	base, err := w.repo.Refs().Commit(ctx, "refs/heads/"+t.Base)
	if err != nil || base == "" {
		return t.BaseCommit, tip, err
	}
	bases, err := w.repo.History().MergeBases(ctx, base, tip)
	if err != nil || len(bases) == 0 {
		return t.BaseCommit, tip, err
	}
	return bases[0], tip, nil
}

// maxDiff is the most bytes of a diff.
const maxDiff = 32 << 20

// Diff is what the commits of a work tree's branch changed since it left its base, without what lies under .cairn, as a patch that git
// applies. It returns INVALID_INPUT if that is more than 32 MiB.
func (w *Worktrees) Diff(ctx context.Context, t Tree) ([]byte, error) {
	from, tip, err := w.since(ctx, t)
	if err != nil {
		return nil, err
	}
	var out []byte
	read := func(r *bufio.Reader) error {
		out, err = io.ReadAll(io.LimitReader(r, maxDiff+1))
		if err == nil && len(out) > maxDiff {
			err = task.Errorf(task.InvalidInput, "the change of %s is larger than %d bytes", t.Task, maxDiff).WithHint("git diff %s...%s shows it", t.Base, t.Branch)
		}
		return err
	}
	err = w.repo.ReadDiff(ctx, read, from, tip, "--binary", "--full-index", "--find-renames")
	return out, err
}

// Changed lists the paths that the commits of a work tree's branch changed since it left its base, from the top, with slashes; without
// those under .cairn. A file that was renamed is two paths.
func (w *Worktrees) Changed(ctx context.Context, t Tree) ([]string, error) {
	s, err := w.Stat(ctx, t)
	paths := make([]string, len(s.Files))
	for i, f := range s.Files {
		paths[i] = f.Path
	}
	return paths, err
}

// CommittedOn reports whether a commit was made on the branch of a tree, and not brought to it from elsewhere.
func (w *Worktrees) CommittedOn(ctx context.Context, t Tree, commit string) (bool, error) {
	return w.repo.Refs().CommittedOn(ctx, t.Branch, commit)
}

// Stat is how much the commits of a branch changed.
type Stat struct {
	Files   []FileStat `json:"files"`             // outside .cairn
	Added   int        `json:"added"`             // lines, in all files
	Deleted int        `json:"deleted"`           //
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
func (w *Worktrees) Stat(ctx context.Context, t Tree) (Stat, error) {
	from, tip, err := w.since(ctx, t)
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
