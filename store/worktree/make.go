package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// Make makes the work tree of a task, on the branch cairn/<task>, or returns the one that is recorded once Verify accepts it. base is the
// branch that the work goes to, "" for the one that is checked out here; commit is where it begins, "" for the tip of base.
//
// A branch that is there already is taken up as it is; if all of it is in commit, it is moved forward to it. The file of the task, and
// the config of the workspace, are copied and committed there if the commit does not have them. Ignored files that .worktreeinclude
// names are copied.
//
// It returns INVALID_INPUT for a base or commit that does not exist, a place that is in the repository or behind a link, and a
// .worktreeinclude that names too much; CONFLICT if the branch is checked out elsewhere, or something else lies at the path; GIT if
// nobody is set as the author of commits. A kill leaves a record of what was begun, which the next call removes and makes again.
func (w *Worktrees) Make(ctx context.Context, id task.ID, base, commit string) (Tree, error) {
	if err := w.mayWrite(); err != nil {
		return Tree{}, err
	}
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return Tree{}, err
	}
	defer release()
	m, ok, err := w.read(id)
	if err != nil {
		return Tree{}, err
	}
	if ok && m.Ready && m.Removing != "" {
		if m, ok, err = w.settle(ctx, m); err != nil {
			return Tree{}, err
		}
	}
	if ok && m.Ready {
		return w.tree(m), w.Verify(ctx, w.tree(m))
	}
	if ok {
		if err := w.undo(ctx, m); err != nil {
			return Tree{}, err
		}
	}
	if m, err = w.plan(ctx, id, base, commit); err != nil {
		return Tree{}, err
	}
	return w.tree(m), w.build(ctx, m)
}

// plan decides what is to be made for a task. It changes nothing but the folder around it.
func (w *Worktrees) plan(ctx context.Context, id task.ID, base, commit string) (made, error) {
	if _, err := task.ParseID(string(id)); err != nil {
		return made{}, err
	}
	if err := w.repo.Identity(ctx); err != nil {
		return made{}, err
	}
	base, tip, err := w.base(ctx, base)
	if err != nil {
		return made{}, err
	}
	if commit == "" {
		commit = tip
	}
	start, err := w.repo.Commit(ctx, commit)
	if err != nil {
		return made{}, err
	}
	if start == "" {
		return made{}, task.Errorf(task.InvalidInput, "the clone has no commit %q", task.Clip(commit, 100)).WithHint("leave it out to begin at the newest of %s", base)
	}
	dir, err := w.makePlace()
	if err != nil {
		return made{}, err
	}
	path := filepath.Join(dir, string(id))
	if layout.Exists(path) {
		return made{}, task.Errorf(task.Conflict, "%s is there, and cairn did not make it", path).WithHint("see what it is, and move it away")
	}
	return made{Task: id, Path: path, Branch: Branch(id), Base: base, BaseCommit: start, MadeAt: w.o.Now().UTC()}, nil
}

// base returns the name of a local branch and its tip. "" is the branch that is checked out here.
func (w *Worktrees) base(ctx context.Context, name string) (base, tip string, err error) {
	if name == "" {
		head, err := w.repo.Head(ctx)
		if err != nil {
			return "", "", err
		}
		if head.Branch == "" {
			return "", "", task.Errorf(task.InvalidInput, "no branch is checked out here, so there is none that work could go to").WithHint("name a branch as base")
		}
		if name = head.Branch; head.Commit == "" {
			return "", "", task.Errorf(task.InvalidInput, "the branch %s has no commit yet", name).WithHint("git commit --allow-empty -m begin makes the first one")
		}
	}
	name = strings.TrimPrefix(name, "refs/heads/")
	if tip, err = w.repo.Refs().Commit(ctx, "refs/heads/"+name); err != nil {
		return "", "", err
	}
	if tip == "" {
		return "", "", task.Errorf(task.InvalidInput, "the clone has no branch %q that work could go to", task.Clip(name, 100)).
			WithHint("git branch lists those there are; git branch %s makes one", task.Clip(name, 100))
	}
	return name, tip, nil
}

// build makes what was planned.
func (w *Worktrees) build(ctx context.Context, m made) error {
	if err := w.write(m); err != nil {
		return err
	}
	m, err := w.add(ctx, m)
	if err != nil {
		return errors.Join(err, w.undo(context.WithoutCancel(ctx), m))
	}
	if m.Copied, err = w.include(ctx, m.Path); err != nil {
		return errors.Join(err, w.undo(context.WithoutCancel(ctx), m))
	}
	if err := w.bring(ctx, m); err != nil {
		return errors.Join(err, w.undo(context.WithoutCancel(ctx), m))
	}
	m.Ready = true
	return w.write(m)
}

// add has git make a work tree.
func (w *Worktrees) add(ctx context.Context, m made) (made, error) {
	tip, err := w.repo.Refs().Commit(ctx, "refs/heads/"+m.Branch)
	if err != nil {
		return m, err
	}
	if tip == "" {
		if _, err := (git.Writing{}).Run(ctx, w.repo.Top, "worktree", "add", "--quiet", "--no-track", "-b", m.Branch, m.Path, m.BaseCommit); err != nil {
			return m, err
		}
	} else {
		m.Taken = true
		if err := w.write(m); err != nil {
			return m, err
		}
		if m, err = w.take(ctx, m, tip); err != nil {
			return m, err
		}
	}
	there, err := w.opened(m.Path)
	if err != nil {
		return m, err
	}
	m.GitDir = layout.GitDirOf(there)
	return m, w.write(m)
}

// take makes a work tree of a branch that is there already.
func (w *Worktrees) take(ctx context.Context, m made, tip string) (made, error) {
	all, err := w.repo.ListWorktrees(ctx)
	if err != nil {
		return m, err
	}
	for _, other := range all {
		if path := filepath.FromSlash(other.Path); other.Branch == "refs/heads/"+m.Branch && !layout.Exists(path) {
			return m, task.Errorf(task.Conflict, "git has the branch %s checked out in %s, whose folder is gone", m.Branch, path).
				WithHint("if it was moved, git worktree repair NEW-PATH; if it was deleted, git worktree remove %s", path)
		}
		if other.Branch == "refs/heads/"+m.Branch {
			return m, task.Errorf(task.Conflict, "the branch %s is checked out in %s", m.Branch, other.Path).
				WithHint("that work tree is a person's; switch it to another branch, or rename the branch")
		}
	}
	if _, err := (git.Writing{}).Run(ctx, w.repo.Top, "worktree", "add", "--quiet", m.Path, m.Branch); err != nil {
		return m, err
	}
	done, err := w.ancestor(ctx, tip, m.BaseCommit)
	if err != nil {
		return m, err
	}
	if done {
		_, err := (git.Writing{}).Run(ctx, m.Path, "merge", "--quiet", "--ff-only", m.BaseCommit)
		return m, err
	}
	bases, err := w.repo.History().MergeBases(ctx, tip, m.BaseCommit)
	if err != nil {
		return m, err
	}
	if len(bases) == 0 {
		return m, task.Errorf(task.Conflict, "the branch %s has nothing in common with %s", m.Branch, m.Base).WithHint("rename that branch")
	}
	m.BaseCommit = bases[0]
	return m, nil
}

// ancestor reports whether a commit is another, or one of its ancestors.
func (w *Worktrees) ancestor(ctx context.Context, commit, of string) (bool, error) {
	_, err := git.Run(ctx, w.repo.Top, "merge-base", "--is-ancestor", commit, of)
	if git.Exited(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// undo takes away a work tree that was being made, and that nobody was ever told of.
func (w *Worktrees) undo(ctx context.Context, m made) error {
	there, err := w.opened(m.Path)
	ours := err == nil && there.Linked() && there.CommonDir == w.repo.CommonDir
	if layout.Exists(m.Path) && !ours {
		return task.Errorf(task.Conflict, "%s is there, and is no work tree of this clone", m.Path).WithHint("see what it is, and move it away")
	}
	if ours {
		if live, err := inside(m.Path); err != nil || len(live) > 0 {
			return task.Errorf(task.Busy, "%s was begun and not finished, and %s", m.Path, liveness(live, err)).WithHint("try again when it has ended")
		}
		if _, err := (git.Writing{}).Run(ctx, w.repo.Top, "worktree", "remove", "--force", "--force", m.Path); err != nil {
			return err
		}
	}
	if !m.Taken {
		if err := w.dropMade(ctx, m); err != nil {
			return err
		}
	}
	return w.forget(m.Task)
}

// bring copies the file of the task, and the config of the workspace, into a new work tree that lacks them, and commits them there.
func (w *Worktrees) bring(ctx context.Context, m made) error {
	there := layout.Layout{Root: w.tree(m).Root, Worktree: m.Path}
	var files []string
	for _, path := range []string{layout.ConfigName, ".gitignore", layout.SignersName} {
		from, to := filepath.Join(w.layout.Top(), path), filepath.Join(there.Top(), path)
		if layout.IsFile(from) && !layout.Exists(to) && (path == layout.ConfigName || len(files) > 0) {
			files = append(files, layout.Folder+"/"+path)
		}
	}
	name, err := w.taskFile(ctx, m, there)
	if err != nil {
		return err
	}
	if name != "" {
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil
	}
	for _, name := range files {
		if err := w.carry(there, name); err != nil {
			return err
		}
	}
	repo, err := w.opened(m.Path)
	if err != nil {
		return err
	}
	inRepo := make([]string, len(files))
	for i, name := range files {
		inRepo[i] = layout.Layout{Root: there.Root, Repo: repo}.InRepo(name)
	}
	return w.commitPaths(ctx, m.Path, "cairn: bring "+string(m.Task)+" into its work tree", inRepo...)
}

// taskFile is the file of the task, from the root of the workspace, if it is to be copied into the work tree: the commit there does not
// have it, or has just what was changed here since. It is "" if there is nothing to copy. It returns NOT_FOUND if there is no such task.
func (w *Worktrees) taskFile(ctx context.Context, m made, there layout.Layout) (string, error) {
	name := place.Of(w.layout, record.Tasks.Kind, string(m.Task))
	here, err := layout.ReadFile(w.layout.Abs(name))
	if problem.Missing(err) && place.There(there, record.Tasks.Kind, string(m.Task)) {
		return "", nil
	}
	if problem.Missing(err) {
		return "", task.Errorf(task.NotFound, "there is no task %s", m.Task)
	}
	if err != nil {
		return "", problem.IO(err)
	}
	if !place.There(there, record.Tasks.Kind, string(m.Task)) {
		return name, nil
	}
	if place.Of(there, record.Tasks.Kind, string(m.Task)) != name {
		return "", nil
	}
	committed, begin, err := w.two(ctx, "HEAD:"+w.layout.InRepo(name), m.BaseCommit+":"+w.layout.InRepo(name))
	if err != nil || committed == nil || string(committed) != string(begin) || string(here) == string(committed) {
		return "", err
	}
	return name, nil
}

// two reads two files of commits; nil for one that is missing.
func (w *Worktrees) two(ctx context.Context, a, b string) ([]byte, []byte, error) {
	var found [2][]byte
	err := w.repo.Objects().Blobs(ctx, []string{a, b}, maxRecord, func(i int, blob git.Blob) { found[i] = blob.Content })
	return found[0], found[1], err
}

// carry copies a file of the workspace into a work tree.
func (w *Worktrees) carry(there layout.Layout, name string) error {
	data, err := layout.ReadFile(w.layout.Abs(name))
	if err != nil {
		return problem.IO(err)
	}
	to := there.Abs(name)
	if err := disk.MakeVolatile(there.Worktree, filepath.Dir(to)); err != nil {
		return problem.IO(err)
	}
	return problem.IO(atomicfile.Write(to, data, 0o644))
}

// commitPaths commits what some paths of a work tree hold now, without hooks. It commits nothing else, and nothing at all if they have not
// changed.
func (w *Worktrees) commitPaths(ctx context.Context, top, message string, paths ...string) error {
	if _, err := (git.Writing{}).Run(ctx, top, append([]string{"add", "--all", "--"}, paths...)...); err != nil {
		return err
	}
	_, err := git.Run(ctx, top, append([]string{"diff-index", "--cached", "--quiet", "HEAD", "--"}, paths...)...)
	if git.Exited(err) != 1 {
		return err
	}
	_, err = (git.Writing{}).Run(ctx, top, append([]string{"commit", "--quiet", "--no-verify", "--cleanup=whitespace", "-m", message, "--"}, paths...)...)
	return err
}

// opened is the repository of the work tree that begins at a path.
func (w *Worktrees) opened(path string) (*git.Repo, error) {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return nil, task.Errorf(task.NotFound, "there is no folder %s", path)
	}
	repo, ok, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if !ok || repo.Top != path {
		return nil, task.Errorf(task.Conflict, "%s is no work tree", path)
	}
	return repo, nil
}

// dropMade deletes a branch that was made for a work tree which nobody was told of: it holds what the work was to begin at, and at most
// the commit that brought the task there.
func (w *Worktrees) dropMade(ctx context.Context, m made) error {
	ref := "refs/heads/" + m.Branch
	tip, err := w.repo.Refs().Commit(ctx, ref)
	if err != nil || tip == "" {
		return err
	}
	since, err := w.repo.History().Between(ctx, m.BaseCommit, tip, 3)
	if err != nil || len(since) > 1 {
		return err
	}
	for _, commit := range since {
		paths, err := w.repo.NumStat(ctx, m.BaseCommit, commit)
		if err != nil || slices.ContainsFunc(paths, func(l git.Lines) bool { return !git.Ours(l.Path) }) {
			return err
		}
	}
	_, err = git.Writing{}.Run(ctx, w.repo.Top, "update-ref", "-d", ref, tip)
	return err
}
