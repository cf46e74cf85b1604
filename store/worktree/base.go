package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/filelock"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// holder is the work tree that has a branch checked out; nil if none has. It returns BASE_DIRTY if two have, or if a rebase or a bisection
// of it is under way in one.
func (w *Worktrees) holder(ctx context.Context, branch string) (*git.Repo, error) {
	all, err := w.repo.ListWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	var holder *git.Repo
	for _, one := range all {
		there, err := w.opened(filepath.FromSlash(one.Path))
		if one.Bare || err != nil {
			if one.Branch == "refs/heads/"+branch && layout.Exists(filepath.FromSlash(one.Path)) && !one.Bare {
				return nil, err
			}
			continue // its folder is gone
		}
		if what := underWay(there, branch); what != "" {
			return nil, task.Errorf(task.BaseDirty, "%s of %s is under way in %s", what, branch, there.Top).WithHint("bring it to its end there, and try again")
		}
		if one.Branch != "refs/heads/"+branch {
			continue
		}
		if holder != nil {
			return nil, task.Errorf(task.BaseDirty, "%s is checked out in %s and in %s", branch, holder.Top, there.Top).WithHint("check out another branch in one of them")
		}
		holder = there
	}
	return holder, nil
}

// underWay names what git is in the middle of in a work tree with a branch that is not checked out meanwhile.
func underWay(there *git.Repo, branch string) string {
	for file, what := range map[string]string{"rebase-merge/head-name": "a rebase", "rebase-apply/head-name": "a rebase", "BISECT_START": "a bisection"} {
		text, err := disk.ReadRegular(filepath.Join(there.GitDir, filepath.FromSlash(file)), 4096)
		if err == nil && strings.TrimPrefix(strings.TrimSpace(string(text)), "refs/heads/") == branch {
			return what
		}
	}
	return ""
}

// clean returns BASE_DIRTY if tracked files outside .cairn are changed in the checkout of a base.
func (w *Worktrees) clean(ctx context.Context, holder *git.Repo, base string) error {
	all, err := holder.Changes(ctx, git.Looks{})
	if err != nil {
		return err
	}
	var dirty []string
	for _, c := range all {
		if !c.Untracked && !git.Ours(c.Path) {
			dirty = append(dirty, c.Path)
		}
	}
	return baseDirty(base, holder.Top, dirty)
}

func baseDirty(base, top string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return task.Errorf(task.BaseDirty, "%s is checked out in %s, where changes are not committed: %s", base, top, someOf(paths)).
		WithHint("commit or stash them there, and try again")
}

// advance moves a base from one commit forward to another. moved says that the base was not at from any more.
func (w *Worktrees) advance(ctx context.Context, base, from, to, why string) (commit string, moved bool, err error) {
	holder, err := w.holder(ctx, base)
	if err != nil {
		return "", false, err
	}
	if holder != nil {
		err = w.forward(ctx, holder, base, from, to)
	} else {
		_, err = git.Writing{}.Run(ctx, w.repo.Top, "update-ref", "-m", why, "refs/heads/"+base, to, from)
	}
	if err == nil {
		return to, false, nil
	}
	_, now, lookErr := w.base(ctx, base)
	if now == to { // a hook or a kill came after it
		return to, false, nil
	}
	return "", lookErr == nil && now != from, err
}

// How long a merge waits in the checkout of the base for another git command, and for other writes of records.
const (
	gitPatience   = 5 * time.Second
	writePatience = 10 * time.Second
)

// forward moves the checkout of a base forward. It holds the lock of cairn's writes, so that no record is written meanwhile.
func (w *Worktrees) forward(ctx context.Context, holder *git.Repo, base, from, to string) error {
	lock, err := filelock.AcquireWithin(ctx, w.layout.Live.Lock(), writePatience)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return task.Errorf(task.Busy, "another process writes to the workspace for too long").WithHint("try again later")
	case err != nil:
		return w.layout.Live.Failed(err)
	}
	defer func() { _ = lock.Release() }()
	awaitGit(ctx, holder)
	if err := w.clean(ctx, holder, base); err != nil {
		return err
	}
	behind, err := w.inTheWay(ctx, holder, base, from, to)
	if err != nil {
		return err
	}
	back, err := w.replace(ctx, holder, to, behind)
	if err == nil {
		_, err = git.Writing{}.Run(ctx, holder.Top, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-verify", to)
	}
	if err != nil {
		back(context.WithoutCancel(ctx))
	}
	return err
}

// awaitGit waits until no other git command holds the index of a work tree, for some seconds at most.
func awaitGit(ctx context.Context, there *git.Repo) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(gitPatience); layout.Exists(filepath.Join(there.GitDir, "index.lock")) && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// inTheWay lists the files of records in the checkout of a base that are not committed there, that a move of the base touches, and whose
// content is one that the commits it moves over had: nothing is lost if they are replaced. It returns BASE_DIRTY for any other file
// in the way, also an ignored one.
func (w *Worktrees) inTheWay(ctx context.Context, holder *git.Repo, base, from, to string) (behind []string, err error) {
	out, err := git.Run(ctx, holder.Top, "diff-tree", "-r", "-z", "--name-status", "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	changes, err := holder.Changes(ctx, git.Looks{})
	if err != nil {
		return nil, err
	}
	dirty := map[string]bool{}
	for _, c := range changes {
		dirty[strings.TrimSuffix(c.Path, "/")] = true
	}
	var wrong []string
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		kind, path := fields[i], fields[i+1]
		info, statErr := os.Lstat(filepath.Join(holder.Top, filepath.FromSlash(path)))
		switch {
		case !dirty[path] && (kind != "A" || statErr != nil):
		case git.Ours(path) && statErr == nil && info.Mode().IsRegular() && w.isBehind(ctx, holder, path, from, to):
			behind = append(behind, path)
		default:
			wrong = append(wrong, path)
		}
	}
	return behind, baseDirty(base, holder.Top, wrong)
}

// isBehind reports whether a file in a checkout has a content that it had in one of the commits that lead from one to another.
func (w *Worktrees) isBehind(ctx context.Context, holder *git.Repo, path, from, to string) bool {
	content, err := layout.ReadFile(filepath.Join(holder.Top, filepath.FromSlash(path)))
	if err != nil {
		return false
	}
	found, here := false, git.ContentID(content, to)
	err = holder.History().Versions(ctx, from, to, []string{path}, func(at, id string) { found = found || at == path && id == here })
	return found && err == nil
}

// replace gives files in a checkout the content that they have in a commit, and stages that, so that git moves there. back undoes it.
func (w *Worktrees) replace(ctx context.Context, holder *git.Repo, to string, paths []string) (back func(context.Context), err error) {
	var done []func(context.Context)
	back = func(ctx context.Context) {
		for _, undo := range slices.Backward(done) {
			undo(ctx)
		}
	}
	for _, path := range paths {
		file := filepath.Join(holder.Top, filepath.FromSlash(path))
		was, err := layout.ReadFile(file)
		if err != nil {
			return back, problem.IO(err)
		}
		done = append(done, func(ctx context.Context) {
			_ = atomicfile.Write(file, was, 0o644)
			_, _ = git.Writing{}.Run(ctx, holder.Top, "reset", "--quiet", "--", path)
		})
		if err := w.put(ctx, holder, to, path, file); err != nil {
			return back, err
		}
	}
	return back, nil
}

// put gives a file the content that it has in a commit, or removes it if the commit does not have it, and stages that.
func (w *Worktrees) put(ctx context.Context, holder *git.Repo, commit, path, file string) error {
	files, err := holder.Objects().Files(ctx, commit, path)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		if err := disk.RemoveFile(file); err != nil {
			return problem.IO(err)
		}
		_, err = git.Writing{}.Run(ctx, holder.Top, "update-index", "--force-remove", "--", path)
		return err
	}
	next, _, err := w.two(ctx, commit+":"+path, commit+":"+path)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(file, next, 0o644); err != nil {
		return problem.IO(err)
	}
	_, err = git.Writing{}.Run(ctx, holder.Top, "update-index", "--add", "--", path)
	return err
}
