package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Left is what an attempt left that was given up.
type Left struct {
	Branches []string `json:"parked"`           // that have the work; none if there was none beyond the base
	Folder   string   `json:"folder,omitempty"` // where the work tree is now, if no commit can hold it; "" if it is gone
}

// Park gives up what was done on a task, so that work on it can begin anew, and loses nothing of it but files that git
// ignores: what its work tree has, be it committed or not, becomes a branch of its own, cairn/ID.1 or the next number
// that is free; the work tree and the branch of the task are removed. A work tree of which git cannot make a commit, or
// that holds a repository of its own, is moved aside as it is.
//
// It returns BUSY if something works there, and having changed nothing CONFLICT if a person has the branch checked out elsewhere, or a submodule has commits that are nowhere else. A kill leaves all of it, or what the next call brings to
// its end.
func (w *Worktrees) Park(ctx context.Context, id record.ID) (parked Left, err error) {
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return parked, err
	}
	defer release()
	if why := w.o.Busy(id); why != "" {
		return parked, record.Errorf(record.Busy, "%s: %s", id, why).WithHint("try again when it has ended")
	}
	m, made, err := w.records().read(id)
	if err == nil && made {
		w, err = w.of(m)
	}
	if err == nil && made && m.Removing != "" {
		if _, err = (&removal{clone: w.clone, made: m}).settle(ctx); err == nil {
			m, made, err = w.records().read(id)
		}
	}
	if err == nil && !made {
		m = newMade(id)
	}
	if err != nil {
		return parked, err
	}
	p := &parking{clone: w.clone, made: m}
	if p.home, err = w.homeOf(ctx, m); err != nil { // asked before anything is moved
		return parked, err
	}
	if err = p.free(ctx); err == nil && made {
		err = p.tree(ctx)
	}
	if err == nil {
		err = p.branches(ctx)
	}
	if err == nil && made {
		err = w.records().forgetTree(m)
	}
	return p.left, err
}

// newMade is a task of which no work tree is recorded.
func newMade(id record.ID) made { return made{Task: id, Branch: Branch(id)} }

// parking parks the work on a task, whose lock the caller holds.
type parking struct {
	*clone
	made
	home  string // the commit whose work is not parked
	left  Left
	heads []string // the commits of the branches that have the work
}

// homeOf is the tip of the base of a work tree, or the commit that it began at if the base is no branch any more.
func (c *clone) homeOf(ctx context.Context, m made) (string, error) {
	_, tip, err := c.base(ctx, m.Base)
	if record.CodeOf(err) == record.InvalidInput && m.BaseCommit != "" {
		return c.repo.Commit(ctx, m.BaseCommit)
	}
	return tip, err
}

// free sees to it that nobody else has the branch checked out. Where the work tree was moved, the folder is left to
// whoever moved it, with the commit that it is at.
func (p *parking) free(ctx context.Context) error {
	all, err := p.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		path := filepath.FromSlash(one.Path)
		if one.Branch != "refs/heads/"+p.Branch || path == p.Path {
			continue
		}
		if !layout.Exists(path) {
			if err := p.forget(ctx, path); err != nil {
				return err
			}
			continue
		}
		there, err := p.opened(path)
		if err != nil || p.GitDir == "" || layout.GitDirOf(there) != p.GitDir {
			return record.Errorf(record.Conflict, "the branch %s is checked out in %s", p.Branch, path).
				WithHint("that work tree is a person's; switch it to another branch, or rename the branch")
		}
		if _, err := (git.Writing{}).Run(ctx, path, "checkout", "--quiet", "--detach"); err != nil {
			return err
		}
	}
	return nil
}

// forget has git forget a work tree with the branch whose folder is gone, and whose record was removed: git would not
// make another one. One that cairn did not make stays.
func (p *parking) forget(ctx context.Context, path string) error {
	dir, err := p.clone.folder()
	if err != nil {
		return err
	}
	if path != filepath.Join(dir, string(p.Task)) {
		return record.Errorf(record.Conflict, "git has the branch %s checked out in %s, whose folder is gone", p.Branch, path).
			WithHint("if it was moved, git worktree repair NEW-PATH; if it was deleted, git worktree remove %s", path)
	}
	_, err = git.Writing{}.Run(ctx, p.repo.Top, "worktree", "remove", "--force", "--force", path)
	return err
}

// tree parks what the work tree has, and removes it.
func (p *parking) tree(ctx context.Context) error {
	if layout.Exists(p.Path) {
		if err := p.folder(ctx); err != nil {
			return err
		}
	}
	at := git.WorktreeAt(p.adminDir(p.made))            // asked now: a link in place of the folder would lead elsewhere
	moved := p.GitDir != "" && at != "" && at != p.Path // which is theirs who moved it
	if moved || p.GitDir == "" || !layout.Exists(p.adminDir(p.made)) {
		return nil
	}
	_, err := git.Writing{}.Run(ctx, p.repo.Top, "worktree", "remove", "--force", "--force", p.Path)
	return err
}

// folder parks what the folder of the work tree has, or moves it aside.
func (p *parking) folder(ctx context.Context) error {
	if live, err := proc.Inside(p.Path); err != nil || len(live) > 0 {
		return record.Errorf(record.Busy, "%s: %s", p.Path, liveness(live, err)).WithHint("try again when it has ended")
	}
	there, err := p.opened(p.Path)
	if err != nil || !p.isOurs(there) || layout.GitDirOf(there) != p.GitDir {
		return p.aside()
	}
	if nested, err := there.Nested(ctx); err == nil && len(nested) > 0 {
		return record.Errorf(record.Conflict, "submodules in %s have commits that are nowhere else: %s", p.Path, someOf(nested)).
			WithHint("push them, and try again")
	}
	whole, err := p.files(ctx, &rejoining{clone: p.clone, made: p.made, there: there})
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil || !whole {
		return p.aside()
	}
	return nil
}

// files parks what is checked out in the work tree, with all that is in no commit. It reports false where a commit does
// not hold all of that, since there is another repository in it.
func (p *parking) files(ctx context.Context, r *rejoining) (whole bool, err error) {
	head, err := r.there.Head(ctx)
	if err != nil {
		return false, err
	}
	changes, err := unsaved(ctx, r.there)
	if err != nil {
		return false, err
	}
	if len(changes) == 0 {
		if head.Commit == "" {
			return true, nil
		}
		return true, p.keep(ctx, head.Commit)
	}
	commit, err := r.snapshot(ctx, "what was not committed when the attempt was given up")
	if err != nil {
		return false, err
	}
	nested := slices.ContainsFunc(changes, func(c git.Change) bool {
		return c.Untracked && strings.HasSuffix(c.Path, "/") || c.Submodule
	})
	return !nested, p.keep(ctx, commit)
}

// aside moves the folder of the work tree aside, beside the others.
func (p *parking) aside() error {
	for n := 1; ; n++ {
		to := filepath.Join(filepath.Dir(p.Path), fmt.Sprintf(".parked-%s.%d", p.Task, n))
		if layout.Exists(to) {
			continue
		}
		p.left.Folder = to
		return problem.IO(disk.Replace(p.Path, to))
	}
}

// branches parks the branch of the task, and what stands below its name, where it would be in its way; and removes them.
func (p *parking) branches(ctx context.Context) error {
	out, err := git.Run(ctx, p.repo.Top,
		"for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"+p.Branch, "refs/heads/"+p.Branch+"/")
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(out)) {
		tip, err := p.branchTip(ctx, name)
		if err == nil && tip != "" {
			err = p.keep(ctx, tip)
		}
		if err == nil {
			err = p.deleteBranch(ctx, name, tip)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep parks a commit, unless the base or what is parked already has it.
func (p *parking) keep(ctx context.Context, commit string) error {
	for _, has := range append(slices.Clone(p.heads), p.home) {
		if has == "" {
			continue
		}
		in, err := p.repo.History().Contains(ctx, has, commit)
		if err != nil || in {
			return err
		}
	}
	name, err := p.park(ctx, p.Task, commit)
	if err == nil {
		p.left.Branches, p.heads = append(p.left.Branches, name), append(p.heads, commit)
	}
	return err
}

// Parked lists the branches on which work on tasks is parked; of one task, if one is named.
func (c *clone) Parked(ctx context.Context, id record.ID) (names []string, err error) {
	out, err := git.Run(ctx, c.repo.Top, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/cairn/")
	for name := range strings.FieldsSeq(string(out)) {
		if of, ok := ParkedFor(name); ok && (id == "" || of == id) {
			names = append(names, name)
		}
	}
	return names, err
}

// ParkedFor is the task of which a branch has parked work; false for any other branch.
func ParkedFor(branch string) (record.ID, bool) {
	of, below := strings.CutPrefix(branch, "cairn/")
	i := strings.LastIndexByte(of, '.')
	if !below || i < 0 || strings.Trim(of[i+1:], "0123456789") != "" {
		return "", false
	}
	id, err := record.ParseID(of[:i])
	return id, err == nil
}
