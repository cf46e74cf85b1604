package worktree

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

const commitLimit = 10 * time.Minute

// Commit commits all that is uncommitted in a work tree on its branch, with the user's hooks unless NoHooks is set, and returns
// the commit; "" if there is nothing to commit. An untracked repository in the work tree is left out, since a commit would hold its
// name and not its files, and so is what belongs to this machine.
//
// It returns the errors of Verify, and GIT with what a hook said if one refuses. Then the changes are as before, but
// staged.
func (w *Worktrees) Commit(ctx context.Context, t Tree, message string) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	there, err := w.on(t).verified(ctx)
	if err != nil {
		return "", err
	}
	changes, err := there.Changes(ctx, git.Looks{})
	if err != nil {
		return "", err
	}
	args := []string{"add", "--all", "--", ":/"}
	for _, c := range changes {
		name, folder := strings.CutSuffix(c.Path, "/")
		if c.Untracked && (folder || there.LeavesLocal(c.Path)) {
			args = append(args, ":(top,exclude,literal)"+name)
		}
	}
	if _, err = (git.Writing{Magic: true}).Run(ctx, t.Path, args...); err != nil {
		return "", err
	}
	_, err = git.Run(ctx, t.Path, "diff-index", "--cached", "--quiet", "HEAD", "--")
	if git.Exited(err) != 1 {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, commitLimit)
	defer cancel()
	_, err = git.Writing{Hooks: !w.NoHooks}.Run(limited, t.Path, "commit", "--quiet", "--cleanup=whitespace", "-m", message)
	if said := git.Complaints(err, 5); len(said) > 0 && git.Exited(err) != 0 {
		return "", record.Errorf(record.Git, "git did not make the commit: %s", record.Clip(strings.Join(said, "; "), 500)).
			WithHint("a hook may have refused it; what was to be committed is staged")
	}
	if err != nil {
		return "", err
	}
	return w.on(t).tip(ctx)
}

// CommitRecords commits the files of the record in a work tree, and nothing else of what is uncommitted there:
// the checks of a task may have left files. Hooks do not run, as for every commit of records alone. It reports whether
// there was something to commit, and returns the errors of Verify.
func (w *Worktrees) CommitRecords(ctx context.Context, t Tree, message string) (committed bool, err error) {
	if err := w.mayWrite(); err != nil {
		return false, err
	}
	there, err := w.on(t).verified(ctx)
	if err != nil {
		return false, err
	}
	before, err := w.on(t).tip(ctx)
	if err != nil {
		return false, err
	}
	records, _, err := w.uncommitted(ctx, there)
	if err == nil && len(records) > 0 {
		err = commitPaths(ctx, t.Path, message, records)
	}
	if err != nil {
		return false, err
	}
	after, err := w.on(t).tip(ctx)
	return after != before, err
}

// commitOnlyRecords commits what is uncommitted of the record, so that a merge or a rebase takes it along. It returns
// CONFLICT if anything else is uncommitted. In a work tree that is not as it was made it does nothing: what counts then
// is the branch.
func (w work) commitOnlyRecords(ctx context.Context) error {
	there, err := w.verified(ctx)
	if err != nil {
		return nil //nolint:nilerr // what counts then is the branch
	}
	records, others, err := w.uncommitted(ctx, there)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return record.Errorf(record.Conflict, "the work tree of %s has changes that are not committed: %s", w.tree.Task, someOf(others)).
			WithHint("commit them in %s, or take them back", w.tree.Path)
	}
	if len(records) == 0 {
		return nil
	}
	return commitPaths(ctx, w.tree.Path, "cairn: the record of "+string(w.tree.Task), records)
}

// uncommitted lists the uncommitted changes in a work tree: the files of the record, and the others, without what git
// does not track and what belongs to this machine.
func (c *clone) uncommitted(ctx context.Context, there *git.Repo) (records, others []string, err error) {
	return c.uncommittedOf(ctx, there, func(git.Change) bool { return true })
}

// uncommittedOf is uncommitted for those changes that count.
func (c *clone) uncommittedOf(ctx context.Context, there *git.Repo, counts func(git.Change) bool) (records, others []string, err error) {
	all, err := there.Changes(ctx, git.Looks{})
	if err != nil {
		return nil, nil, err
	}
	for _, one := range all {
		if !counts(one) {
			continue
		}
		info, err := os.Lstat(filepath.Join(there.Top, filepath.FromSlash(one.Path)))
		switch plain := err != nil || info.Mode().IsRegular(); {
		case plain && there.SetsAside(one.Path):
			records = append(records, one.Path)
		case one.Untracked && plain && there.LeavesLocal(one.Path):
		default:
			others = append(others, one.Path)
		}
	}
	return records, others, nil
}

// commitPaths commits what some paths of a work tree hold now, without hooks. It commits nothing else, and nothing at
// all if they have not changed. Whatever else is staged stays so. More are further flags of git commit.
func commitPaths(ctx context.Context, top, message string, paths []string, more ...string) error {
	if err := stage(ctx, top, "", paths); err != nil {
		return err
	}
	changed, err := stagedOf(ctx, top, paths)
	if err != nil || len(changed) == 0 {
		return err
	}
	args := append([]string{"commit", "--quiet", "--no-verify", "--cleanup=whitespace", "-m", message,
		"--only", listed, "--pathspec-file-nul"}, more...)
	_, err = (git.Writing{Input: list(changed)}).Run(ctx, top, args...)
	return err
}

// listed has git read paths from its input.
const listed = "--pathspec-from-file=-"

// stage puts what some paths of a work tree hold now into an index; "" is that of the work tree.
func stage(ctx context.Context, top, index string, paths []string) error {
	there := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { // git knows nothing of one that is gone everywhere
		_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(path)))
		return err != nil && !tracked(ctx, top, path)
	})
	if len(there) == 0 {
		return nil
	}
	_, err := git.Writing{Input: list(there), Index: index}.Run(ctx, top, "add", "--all", listed, "--pathspec-file-nul")
	return err
}

// fastForward are the arguments with which git moves the branch that is checked out, and its files, forwards or not at
// all. What the config says of merges into the branch is for those that a person makes.
func fastForward(to string) []string {
	return []string{"merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-verify",
		"--no-squash", "--no-autostash", "--no-verify-signatures", to}
}

// list is paths as git reads them from its input.
func list(paths []string) io.Reader { return strings.NewReader(strings.Join(paths, "\x00")) }

// tracked reports whether a path is in the index of a work tree.
func tracked(ctx context.Context, top, path string) bool {
	_, err := git.Run(ctx, top, "ls-files", "--error-unmatch", "--", path)
	return err == nil
}

// atOnce is how many paths a command line names.
const atOnce = 200

// stagedOf lists those of some paths that are staged otherwise than they are committed.
func stagedOf(ctx context.Context, top string, paths []string) (changed []string, err error) {
	args := []string{"diff-index", "--cached", "--name-only", "-z", "HEAD", "--"}
	if head, err := headOf(ctx, top); head == "" && git.Exited(err) != 0 { // there is no commit yet
		args = []string{"ls-files", "--cached", "-z", "--"}
	}
	for some := range slices.Chunk(paths, atOnce) {
		out, err := git.Run(ctx, top, append(args, some...)...)
		if err != nil {
			return nil, err
		}
		changed = append(changed, names(out)...)
	}
	return changed, nil
}

// names are the paths in an output of git, each of which ends in a NUL.
func names(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// lockSettles is how long a lock file of git must stay as it is before it counts as one that a killed git left.
const lockSettles = time.Second

// Unlock removes the lock files that a killed git left in a work tree: of its index, its HEAD and its branch. The
// caller has ended every process that worked there. A lock that changes or goes within a second belongs to a git that
// still runs, and stays. Unlock returns the names of the files that it removed, and the errors of Verify.
func (w *Worktrees) Unlock(ctx context.Context, t Tree) (removed []string, err error) {
	there, err := w.on(t).verified(ctx)
	if err != nil {
		return nil, err
	}
	return unlocked(ctx, there, t.Branch)
}

// unlocked is Unlock in the work tree that a repository is, whose branch may be another one.
func unlocked(ctx context.Context, there *git.Repo, branch string) (removed []string, err error) {
	held := map[string]os.FileInfo{}
	for _, path := range []string{
		filepath.Join(there.GitDir, "index.lock"), filepath.Join(there.GitDir, "HEAD.lock"),
		filepath.Join(there.CommonDir, "refs", "heads", filepath.FromSlash(branch)+".lock"),
	} {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			held[path] = info
		}
	}
	if len(held) == 0 {
		return nil, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(lockSettles):
	}
	for path, before := range held {
		now, err := os.Lstat(path)
		if err != nil || !os.SameFile(before, now) || !now.ModTime().Equal(before.ModTime()) || now.Size() != before.Size() {
			continue
		}
		if err := disk.RemoveFile(path); err != nil {
			return removed, problem.IO(err)
		}
		removed = append(removed, filepath.Base(path))
	}
	return removed, nil
}
