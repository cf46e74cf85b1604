package worktree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Make makes the work tree of a task, on the branch cairn/<task>, or returns the one that is recorded. Verify accepts
// it. base is the branch that the work goes to, "" for the one that is checked out here; commit is where it
// begins, "" for the tip of base.
//
// If the branch exists already, it keeps its commits; if commit has all of their work, be it by a merge, a rebase or a
// squash, the branch is moved to commit. The file of the task and the config of the workspace are copied and committed there if the commit does not
// have them. Ignored files that .worktreeinclude names are copied.
//
// It returns INVALID_INPUT for a base or commit that does not exist, a place that is in the repository or behind a
// link, and a .worktreeinclude that names too much; CONFLICT if the branch is checked out elsewhere, or something else
// lies at the path; GIT if nobody is set as the author of commits. A kill leaves a record of what was begun, which the
// next call removes and makes again.
func (w *Worktrees) Make(ctx context.Context, id record.ID, base, commit string) (Tree, error) {
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return Tree{}, err
	}
	defer release()
	m, ok, err := w.records().read(id)
	if err != nil {
		return Tree{}, err
	}
	if ok && m.Repo != w.o.Repo {
		return Tree{}, record.Errorf(record.Conflict, "%s has a work tree in another repository, %s", id, m.Path).
			WithHint("%s removes it, once its work is merged", record.CallTo("worktree_remove", "id", id).OnlyShown())
	}
	if ok && m.Ready && m.Removing != "" {
		r := &removal{clone: w.clone, made: m}
		if ok, err = r.settle(ctx); err != nil {
			return Tree{}, err
		}
		m = r.made
	}
	if ok && m.Ready {
		return w.taken(ctx, m, base, commit)
	}
	if ok {
		if err := (&making{w.clone, m}).undo(ctx); err != nil {
			return Tree{}, err
		}
	}
	next, err := w.plan(ctx, id, base, commit)
	if err != nil {
		return Tree{}, err
	}
	if err := next.run(ctx); err != nil {
		return Tree{}, err
	}
	return w.treeOf(next.made), w.Verify(ctx, w.treeOf(next.made))
}

// taken is the work tree that is there. Its base becomes another one if the one that it had is no branch any more. If all
// its work has come into the base, by whatever strategy, it begins anew at a commit, "" for the tip of the base.
func (c *clone) taken(ctx context.Context, m made, base, commit string) (Tree, error) {
	if tip, err := c.branchTip(ctx, m.Base); err == nil && tip == "" {
		if m.Base, _, err = c.base(ctx, base); err == nil {
			err = c.records().write(m)
		}
		if err != nil {
			return c.treeOf(m), err
		}
	}
	t := c.treeOf(m)
	there, err := c.on(t).verified(ctx)
	if err != nil {
		return t, err
	}
	_, tip, err := c.base(ctx, m.Base)
	if err != nil {
		return t, err
	}
	to := cmp.Or(commit, tip)
	head, err := headOf(ctx, m.Path)
	if err != nil {
		return t, err
	}
	changes, err := unsaved(ctx, there)
	if err != nil || len(changes) > 0 {
		return t, err
	}
	home, err := c.cameHome(ctx, head, to)
	if err != nil || !home {
		return t, err
	}
	if head != to {
		if _, err := (git.Writing{}).Run(ctx, m.Path, "reset", "--quiet", "--keep", to); err != nil {
			return t, err
		}
	}
	m.BaseCommit = to
	if err := c.records().write(m); err != nil {
		return t, err
	}
	t = c.treeOf(m) // what was opened again may be in no commit yet
	return t, (&making{c, m}).carry(ctx, t.layout())
}

// unsaved lists what is in no commit in a work tree, without what belongs to this machine and what git ignores.
func unsaved(ctx context.Context, there *git.Repo) ([]git.Change, error) {
	all, err := there.Changes(ctx, git.Looks{})
	return slices.DeleteFunc(all, func(c git.Change) bool { return c.Untracked && there.LeavesLocal(c.Path) }), err
}

// cameHome reports whether a commit of a base has all of the work of another one, after a merge, a rebase or a squash.
func (c *clone) cameHome(ctx context.Context, work, base string) (bool, error) {
	if in, err := c.repo.History().Contains(ctx, base, work); err != nil || in {
		return in, err
	}
	return containment{clone: c, tip: work, base: base}.holds(ctx)
}

// making makes a work tree of a task, whose lock the caller holds. Its record says how far it has come.
type making struct {
	*clone
	made
}

// plan decides what is to be made for a task. It changes nothing but the folder around it.
func (c *clone) plan(ctx context.Context, id record.ID, base, commit string) (*making, error) {
	if _, err := record.ParseID(string(id)); err != nil {
		return nil, err
	}
	if err := c.repo.Identity(ctx); err != nil {
		return nil, err
	}
	base, tip, err := c.base(ctx, base)
	if err != nil {
		return nil, err
	}
	commit = cmp.Or(commit, tip)
	start, err := c.repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	if start == "" {
		return nil, record.Errorf(record.InvalidInput, "the clone has no commit %q", record.Clip(commit, 100)).
			WithHint("leave it out to begin at the newest of %s", base)
	}
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	if c.o.Repo != "" && place.There(c.layout, kind.Tasks.Kind, string(id)) {
		return nil, record.Errorf(record.Conflict, "the workspace in %s has a task %s of its own, whose branch would be the same", c.repo.Top, id).
			WithHint("work on it there by hand, and leave the repository out of %s", id)
	}
	path := filepath.Join(dir, string(id))
	if layout.Exists(path) {
		return nil, record.Errorf(record.Conflict, "%s is there, and cairn did not make it", path).WithHint("see what it is, and move it away")
	}
	return &making{c, made{Task: id, Path: path, Branch: Branch(id), Base: base, BaseCommit: start, MadeAt: c.o.Now().UTC(), Repo: c.o.Repo}}, nil
}

// run makes what was planned, and takes it away again if it fails.
func (k *making) run(ctx context.Context) error {
	if err := k.save(); err != nil {
		return err
	}
	err := k.add(ctx)
	if err == nil {
		k.Copied, err = k.copyIncluded(ctx)
	}
	if err == nil {
		err = k.carry(ctx, k.treeOf(k.made).layout())
	}
	if err != nil {
		return errors.Join(err, k.undo(context.WithoutCancel(ctx)))
	}
	k.Ready = true
	return k.save()
}

func (k *making) save() error { return k.records().write(k.made) }

// add has git make the work tree, on a new branch or on the one that exists.
func (k *making) add(ctx context.Context) error {
	tip, err := k.branchTip(ctx, k.Branch)
	if err != nil {
		return err
	}
	if tip == "" {
		_, err = git.Writing{}.Run(ctx, k.repo.Top, "worktree", "add", "--quiet", "--no-track", "-b", k.Branch, k.Path, k.BaseCommit)
	} else {
		err = k.addTaken(ctx, tip)
	}
	if err != nil {
		return err
	}
	there, err := k.opened(k.Path)
	if err != nil {
		return err
	}
	k.GitDir = layout.GitDirOf(there)
	return k.save()
}

// addTaken makes the work tree of a branch that exists, with its tip. It returns CONFLICT if the branch is checked out in
// another work tree. If the branch cannot be moved forward to the
// commit that was asked for, the work begins where the two part.
func (k *making) addTaken(ctx context.Context, tip string) error {
	k.Taken = true
	if err := k.save(); err != nil {
		return err
	}
	all, err := k.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.Branch != "refs/heads/"+k.Branch {
			continue
		}
		if path := filepath.FromSlash(other.Path); !layout.Exists(path) {
			return record.Errorf(record.Conflict, "git has the branch %s checked out in %s, whose folder is gone", k.Branch, path).
				WithHint("if it was moved, git worktree repair NEW-PATH; if it was deleted, git worktree remove %s", path)
		}
		return record.Errorf(record.Conflict, "the branch %s is checked out in %s", k.Branch, other.Path).
			WithHint("that work tree is a person's; switch it to another branch, or rename the branch")
	}
	if _, err := (git.Writing{}).Run(ctx, k.repo.Top, "worktree", "add", "--quiet", k.Path, k.Branch); err != nil {
		return err
	}
	home, err := k.cameHome(ctx, tip, k.BaseCommit)
	if err != nil {
		return err
	}
	if home {
		_, err := git.Writing{}.Run(ctx, k.Path, "reset", "--quiet", "--keep", k.BaseCommit)
		return err
	}
	bases, err := k.repo.History().MergeBases(ctx, tip, k.BaseCommit)
	if err != nil {
		return err
	}
	if len(bases) == 0 {
		return record.Errorf(record.Conflict, "the branch %s has nothing in common with %s", k.Branch, k.Base).WithHint("rename that branch")
	}
	k.BaseCommit = bases[0]
	return nil
}

// undo takes away a work tree that was not made to the end. No caller was ever given it.
func (k *making) undo(ctx context.Context) error {
	there, err := k.opened(k.Path)
	ours := err == nil && k.isOurs(there)
	if layout.Exists(k.Path) && !ours {
		return record.Errorf(record.Conflict, "%s is there, and is no work tree of this clone", k.Path).WithHint("see what it is, and move it away")
	}
	if ours {
		if live, err := proc.Inside(k.Path); err != nil || len(live) > 0 {
			return record.Errorf(record.Busy, "%s was begun and not finished, and %s", k.Path, liveness(live, err)).WithHint("try again when it has ended")
		}
		if _, err := (git.Writing{}).Run(ctx, k.repo.Top, "worktree", "remove", "--force", "--force", k.Path); err != nil {
			return err
		}
	}
	if !k.Taken {
		if err := k.dropBranch(ctx); err != nil {
			return err
		}
	}
	return k.records().forget(string(k.Task))
}

// dropBranch deletes the branch that was made for the work tree, unless it holds more than the commit that the work was
// to begin at and the one that brought the records of the task there.
func (k *making) dropBranch(ctx context.Context) error {
	tip, err := k.branchTip(ctx, k.Branch)
	if err != nil || tip == "" {
		return err
	}
	since, err := k.repo.History().Between(ctx, k.BaseCommit, tip, 3)
	if err != nil || len(since) > 1 {
		return err
	}
	for _, commit := range since {
		files, _, err := k.repo.History().NumStat(ctx, k.BaseCommit, commit)
		if err != nil || len(files) > 0 {
			return err
		}
	}
	return k.deleteBranch(ctx, k.Branch, tip)
}

// carry copies the file of the task and the config of the workspace, which may be in no commit yet, into the new work
// tree of the task, where it lacks them, and commits them there. Another repository gets none.
func (k *making) carry(ctx context.Context, there layout.Layout) error {
	if k.o.Repo != "" {
		return nil
	}
	files := k.settings(there)
	name, err := k.taskFile(ctx, there)
	if err != nil {
		return err
	}
	if name != "" {
		files = append(files, name)
	}
	return k.bring(ctx, there, files)
}

// settings lists what a work tree lacks of the config of the workspace and what belongs to it, from the root of the
// workspace; nothing if it has the config.
func (k *making) settings(there layout.Layout) (files []string) {
	for _, path := range []string{layout.ConfigName, ".gitignore", layout.SignersName} {
		from, to := filepath.Join(k.layout.Top(), path), filepath.Join(there.Top(), path)
		if layout.IsFile(from) && !layout.Exists(to) && (path == layout.ConfigName || len(files) > 0) {
			files = append(files, layout.Folder+"/"+path)
		}
	}
	return files
}

// bring copies files of the workspace into the work tree of the task, and commits them there.
func (k *making) bring(ctx context.Context, there layout.Layout, files []string) (err error) {
	if len(files) == 0 {
		return nil
	}
	if there.Repo, err = k.opened(k.Path); err != nil {
		return err
	}
	inRepo := make([]string, len(files))
	for i, name := range files {
		inRepo[i] = there.InRepo(name)
		to := there.Abs(name)
		data, err := layout.ReadFile(k.layout.Abs(name))
		if err == nil {
			err = disk.MakeVolatile(k.Path, filepath.Dir(to))
		}
		if err == nil {
			err = atomicfile.Write(to, data, 0o644)
		}
		if err != nil {
			return problem.IO(err)
		}
	}
	return commitPaths(ctx, k.Path, "cairn: bring "+string(k.Task)+" into its work tree", inRepo)
}

// taskFile is the file of the task, from the root of the workspace, if it is to be copied: the work tree does not have
// it, or it differs from what the work begins with only by changes that are uncommitted here. Else it is "". It returns
// NOT_FOUND if there is no such task.
func (k *making) taskFile(ctx context.Context, there layout.Layout) (string, error) {
	tasks, id := kind.Tasks.Kind, string(k.Task)
	name, isThere := place.Of(k.layout, tasks, id), place.There(there, tasks, id)
	here, err := layout.ReadFile(k.layout.Abs(name))
	switch {
	case problem.Missing(err) && !isThere:
		return "", record.Errorf(record.NotFound, "there is no task %s", id)
	case err != nil && !problem.Missing(err):
		return "", problem.IO(err)
	case !isThere:
		return name, nil
	case err != nil, place.Of(there, tasks, id) != name:
		return "", nil
	}
	versions, err := k.blobs(ctx, "HEAD:"+k.layout.InRepo(name), k.BaseCommit+":"+k.layout.InRepo(name))
	if err != nil {
		return "", err
	}
	committed, begin := versions[0], versions[1]
	if committed == nil || string(committed) != string(begin) || string(here) == string(committed) {
		return "", nil
	}
	return name, nil
}

// includeFile names ignored files that a new work tree gets copies of, in the syntax of .gitignore.
const includeFile = ".worktreeinclude"

// The most that .worktreeinclude may name.
const (
	maxIncluded      = 20_000
	maxIncludedBytes = 2 << 30
)

// copyIncluded copies the files that .worktreeinclude names and git ignores, and returns how each copy looks. Tracked
// files are left out, and so are links, what lies behind one, and what is no regular file. It never replaces a file.
func (k *making) copyIncluded(ctx context.Context) (map[string]copied, error) {
	file := filepath.Join(k.repo.Top, includeFile)
	if !layout.Exists(file) {
		return nil, nil
	}
	if !layout.IsFile(file) {
		return nil, problem.NotRegular(file)
	}
	names, err := k.repo.IgnoredAnd(ctx, includeFile)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if len(names) > maxIncluded {
		return nil, tooMuch("more than %d files", maxIncluded)
	}
	done, left := map[string]copied{}, int64(maxIncludedBytes)
	for _, name := range names {
		if ctx.Err() != nil {
			return done, problem.IO(ctx.Err())
		}
		info, err := disk.CopyIn(k.repo.Top, k.Path, filepath.FromSlash(name), left)
		switch {
		case errors.Is(err, disk.ErrTooLarge):
			return done, tooMuch("more than %d bytes", maxIncludedBytes)
		case errors.Is(err, fs.ErrExist), errors.Is(err, disk.ErrNotRegular), problem.Missing(err), escapes(err):
			continue
		case err != nil:
			return done, problem.IO(err)
		}
		left -= info.Size()
		done[name] = copied{info.Size(), info.ModTime().UnixNano()}
	}
	return done, nil
}

func escapes(err error) bool {
	at := (*fs.PathError)(nil)
	return errors.As(err, &at) && at.Err != nil && at.Err.Error() == "path escapes from parent"
}

func tooMuch(format string, most int) error {
	return record.Errorf(record.InvalidInput, includeFile+" names "+format, most).
		WithHint("name what a work tree cannot do without, and have worktree_setup make the rest")
}
