package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// moveBase moves a base from one commit forward to another, with a reason for git's log of it. It holds the lock of
// cairn's writes, so that no record is written meanwhile, and asks last before anything moves. moved says that it failed
// because the base was not at from any more.
func (c *clone) moveBase(ctx context.Context, base, from, to, why string, last func(context.Context) error) (moved bool, err error) {
	held, err := c.holderOf(ctx, base)
	if err != nil {
		return false, err
	}
	release, err := c.lockWrites(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if last != nil {
		if err := last(ctx); err != nil {
			return false, err
		}
	}
	if held != nil {
		err = c.forward(ctx, &replacement{clone: c, holder: held, from: from, to: to})
	} else {
		_, err = git.Writing{}.Run(ctx, c.repo.Top, "update-ref", "-m", why, "refs/heads/"+base, to, from)
	}
	if err == nil {
		return false, nil
	}
	_, now, lookErr := c.base(ctx, base)
	if now == to { // a hook failed, or git was killed, after the base had moved
		return false, nil
	}
	return lookErr == nil && now != from, err
}

// writePatience is how long a merge waits for other writes of records.
const writePatience = 10 * time.Second

// lockWrites takes the lock of cairn's writes.
func (c *clone) lockWrites(ctx context.Context) (release func(), err error) {
	lock, err := filelock.AcquireWithin(ctx, c.layout.Live.Lock(), writePatience)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, record.Errorf(record.Busy, "another process writes to the workspace for too long").WithHint("try again later")
	case err != nil:
		return nil, c.layout.Live.Failed(err)
	}
	return func() { _ = lock.Release() }, nil
}

// forward moves the base where it is checked out, and the files there with it. The caller holds the lock of cairn's
// writes.
func (c *clone) forward(ctx context.Context, r *replacement) error {
	r.awaitGit(ctx)
	if err := r.mustBeClean(ctx); err != nil {
		return err
	}
	paths, err := r.find(ctx)
	if err != nil {
		return err
	}
	if err = r.run(ctx, paths); err == nil {
		_, err = git.Writing{}.Run(ctx, r.Top, fastForward(r.to)...)
	}
	if err != nil {
		r.undo(context.WithoutCancel(ctx))
	}
	return err
}

// branchTip is the newest commit of a local branch; "" if there is no such branch.
func (c *clone) branchTip(ctx context.Context, branch string) (string, error) {
	return c.repo.Refs().Commit(ctx, "refs/heads/"+branch)
}

// base returns the short name of a local branch, and its tip. "" is the branch that is checked out here.
func (c *clone) base(ctx context.Context, name string) (base, tip string, err error) {
	if name == "" {
		head, err := c.repo.Head(ctx)
		switch name = head.Branch; {
		case err != nil:
			return "", "", err
		case name == "":
			return "", "", record.Errorf(record.InvalidInput, "no branch is checked out here, so there is none that work could go to").
				WithHint("name a branch as base")
		case head.Commit == "":
			return "", "", record.Errorf(record.InvalidInput, "the branch %s has no commit yet", name).
				WithHint("git commit --allow-empty -m begin makes the first one")
		}
	}
	name = strings.TrimPrefix(name, "refs/heads/")
	if tip, err = c.branchTip(ctx, name); err != nil {
		return "", "", err
	}
	if tip == "" {
		return "", "", record.Errorf(record.InvalidInput, "the clone has no branch %q that work could go to", record.Clip(name, 100)).
			WithHint("git branch lists those there are; if it was renamed, name another one with base")
	}
	return name, tip, nil
}

func (c *clone) hasTree(ctx context.Context, commit, tree string) (bool, error) {
	has, err := answer(git.Run(ctx, c.repo.Top, "rev-parse", "--verify", commit+"^{tree}"))
	return has == tree, err
}

// blobs reads files of commits by names as git takes them, such as COMMIT:PATH or an id; nil for one that does not
// exist.
func (c *clone) blobs(ctx context.Context, names ...string) ([][]byte, error) {
	found := make([][]byte, len(names))
	err := c.repo.Objects().Blobs(ctx, names, maxRecord, func(i int, b git.Blob) { found[i] = b.Content })
	return found, err
}

func headOf(ctx context.Context, top string) (string, error) {
	return answer(git.Run(ctx, top, "rev-parse", "--verify", "HEAD^{commit}"))
}

// writeTree stores what is staged in a work tree as a tree, and returns its id. index is the path of another index, or
// "".
func writeTree(ctx context.Context, top, index string) (string, error) {
	return answer(git.Writing{Index: index}.Run(ctx, top, "write-tree"))
}

// answer is the one line that git printed.
func answer(out []byte, err error) (string, error) { return strings.TrimSpace(string(out)), err }

func short(commit string) string { return commit[:min(12, len(commit))] }

// holder is the work tree that has a base checked out. Nothing but git itself may move the base then.
type holder struct {
	*git.Repo
	base string // short name
}

// holderOf is the work tree that has a base checked out; nil if none has. It returns BASE_DIRTY if two have, or if a
// rebase or a bisection of the base is under way in one.
func (c *clone) holderOf(ctx context.Context, base string) (*holder, error) {
	all, err := c.repo.ListWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	var found *holder
	for _, one := range all {
		path, holds := filepath.FromSlash(one.Path), one.Branch == "refs/heads/"+base
		there, err := c.opened(path)
		if one.Bare || err != nil {
			if holds && layout.Exists(path) && !one.Bare {
				return nil, err
			}
			continue // its folder is gone
		}
		if what := underWay(there, base); what != "" {
			return nil, record.Errorf(record.BaseDirty, "%s of %s is under way in %s", what, base, there.Top).
				WithHint("bring it to its end there, and try again")
		}
		if !holds {
			continue
		}
		if found != nil {
			return nil, record.Errorf(record.BaseDirty, "%s is checked out in %s and in %s", base, found.Top, there.Top).
				WithHint("check out another branch in one of them")
		}
		found = &holder{there, base}
	}
	return found, nil
}

// underWay says which operation on a branch is unfinished in a work tree, of those during which the branch is not
// checked out; "" if none is.
func underWay(there *git.Repo, branch string) string {
	for file, what := range map[string]string{"rebase-merge/head-name": "a rebase", "rebase-apply/head-name": "a rebase", "BISECT_START": "a bisection"} {
		text, err := disk.ReadRegular(filepath.Join(there.GitDir, filepath.FromSlash(file)), 4096)
		if err == nil && strings.TrimPrefix(strings.TrimSpace(string(text)), "refs/heads/") == branch {
			return what
		}
	}
	return ""
}

// mustBeClean returns BASE_DIRTY if tracked files that are not of the record have uncommitted changes.
func (h *holder) mustBeClean(ctx context.Context) error {
	all, err := h.Changes(ctx, git.Looks{})
	if err != nil {
		return err
	}
	var dirty []string
	for _, c := range all {
		if !c.Untracked && !h.SetsAside(c.Path) {
			dirty = append(dirty, c.Path)
		}
	}
	return h.dirty(dirty)
}

// dirty is the error of files whose uncommitted changes are in the way; nil if there are none.
func (h *holder) dirty(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return record.Errorf(record.BaseDirty, "%s is checked out in %s, where changes are not committed: %s", h.base, h.Top, someOf(paths)).
		WithHint("commit or stash them there, and try again")
}

// gitPatience is how long a merge waits for another git command in the work tree that has the base checked out.
const gitPatience = 5 * time.Second

// awaitGit waits until no other git command holds the index, for gitPatience at most. It does not wait for a lock that
// is older than that, which a killed git has left.
func (h *holder) awaitGit(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	young := func() bool {
		info, err := os.Lstat(filepath.Join(h.GitDir, "index.lock"))
		return err == nil && time.Since(info.ModTime()).Abs() < gitPatience
	}
	for until := time.Now().Add(gitPatience); young() && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// replacement gives uncommitted files of records, where a base is checked out, the content that they have in the commit
// that the base moves to. Git would refuse to move the base over them. Only a file whose content is in one of the
// commits that the base moves over is replaced, or a record of which the last one says all, so nothing is lost.
type replacement struct {
	clone *clone
	*holder
	from, to string            // the commits that the base moves from and to
	was      map[string][]byte // the files that were replaced, by their paths from the top
}

// find finds the paths of the files to replace. It returns BASE_DIRTY if there is any other uncommitted file that the
// move would touch, also an ignored one.
func (r *replacement) find(ctx context.Context) (paths []string, err error) {
	out, err := git.Run(ctx, r.Top, "diff-tree", "-r", "-z", "--name-status", "--no-renames", r.from, r.to)
	if err != nil {
		return nil, err
	}
	changes, err := r.Changes(ctx, git.Looks{})
	if err != nil {
		return nil, err
	}
	uncommitted := map[string]bool{}
	for _, c := range changes {
		uncommitted[strings.TrimSuffix(c.Path, "/")] = true
	}
	var wrong []string
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		kind, path := fields[i], fields[i+1]
		info, statErr := os.Lstat(r.file(path))
		switch {
		case !uncommitted[path] && (kind != "A" || statErr != nil):
		case r.SetsAside(path) && statErr == nil && info.Mode().IsRegular() && r.movesOver(ctx, path):
			paths = append(paths, path)
		default:
			wrong = append(wrong, path)
		}
	}
	return paths, r.dirty(wrong)
}

func (r *replacement) file(path string) string { return filepath.Join(r.Top, filepath.FromSlash(path)) }

// movesOver reports whether one of the commits that the base moves over has a file as it is here, or the last one has
// all that it says, as a squash of them does.
func (r *replacement) movesOver(ctx context.Context, path string) bool {
	content, err := layout.ReadFile(r.file(path))
	if err != nil {
		return false
	}
	found, here := false, git.ContentID(content, r.to)
	err = r.History().Versions(ctx, r.from, r.to, []string{path}, func(at, id string) { found = found || at == path && id == here })
	if found || err != nil {
		return err == nil
	}
	versions, err := r.clone.blobs(ctx, r.from+":"+path, r.to+":"+path)
	return err == nil && versions[1] != nil && r.clone.takesIn(path, versions[0], versions[1], content)
}

// run replaces the files and stages that. If it fails, the caller calls undo.
func (r *replacement) run(ctx context.Context, paths []string) error {
	r.was = map[string][]byte{}
	for _, path := range paths {
		was, err := layout.ReadFile(r.file(path))
		if err == nil {
			r.was[path] = was
			err = r.put(ctx, path)
		}
		if err != nil {
			return problem.IO(err)
		}
	}
	return nil
}

// undo gives the files back what they held before run.
func (r *replacement) undo(ctx context.Context) {
	for path, was := range r.was {
		_ = atomicfile.Write(r.file(path), was, 0o644)
		_, _ = git.Writing{}.Run(ctx, r.Top, "reset", "--quiet", "--", path)
	}
}

// put gives a file the content that it has in the commit that the base moves to, or removes it if it is not there, and
// stages that.
func (r *replacement) put(ctx context.Context, path string) error {
	files, err := r.Objects().Files(ctx, r.to, path)
	staged := "--add"
	if err == nil && len(files) != 1 {
		staged, err = "--force-remove", disk.RemoveFile(r.file(path))
	} else if err == nil {
		var next []byte
		err = r.Objects().Blobs(ctx, []string{r.to + ":" + path}, maxRecord, func(_ int, b git.Blob) { next = b.Content })
		if err == nil {
			err = atomicfile.Write(r.file(path), next, 0o644)
		}
	}
	if err == nil {
		_, err = git.Writing{}.Run(ctx, r.Top, "update-index", staged, "--", path)
	}
	return err
}
