package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Park gives up what was done on a task, so that work on it can begin anew, and loses nothing of it but files that git
// ignores: what its work tree has, be it committed or not, becomes a branch of its own, cairn/ID.1 or the next number
// that is free; the work tree and the branch of the task are removed. It returns the names of the branches that have the
// work; none if there was no work beyond the base.
//
// It returns BUSY if something works there, and CONFLICT if a person has moved the work tree, or has the branch checked
// out elsewhere. A kill leaves all of it, or what the next call brings to its end.
func (w *Worktrees) Park(ctx context.Context, id record.ID) (parked []string, err error) {
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	if why := w.o.Busy(id); why != "" {
		return nil, record.Errorf(record.Busy, "%s: %s", id, why).WithHint("try again when it has ended")
	}
	m, made, err := w.records().read(id)
	if err != nil {
		return nil, err
	}
	if made && m.Removing != "" {
		if made, err = (&removal{clone: w.clone, made: m}).settle(ctx); err != nil {
			return nil, err
		}
		if m, made, err = w.records().read(id); err != nil {
			return nil, err
		}
	}
	if !made {
		base, _, err := w.base(ctx, "")
		if err != nil {
			return nil, err
		}
		m = madeOf(id, base)
	}
	p := &parking{clone: w.clone, made: m}
	if made {
		if err := p.tree(ctx); err != nil {
			return p.names, err
		}
	}
	if err := p.branch(ctx); err != nil || !made {
		return p.names, err
	}
	return p.names, w.records().forget(string(id))
}

// madeOf is a task of which no work tree is recorded.
func madeOf(id record.ID, base string) made { return made{Task: id, Branch: Branch(id), Base: base} }

// parking parks the work on a task, whose lock the caller holds.
type parking struct {
	*clone
	made
	names []string // of branches that have the work
	heads []string // the commits that they are at
}

// tree parks what the work tree has, and removes it.
func (p *parking) tree(ctx context.Context) error {
	if now := git.WorktreeAt(p.adminDir(p.made)); p.GitDir != "" && now != "" && now != p.Path {
		return record.Errorf(record.Conflict, "a person moved the work tree of %s to %s, and it is theirs now", p.Task, now).
			WithHint("check out another branch there, and try again")
	}
	if layout.Exists(p.Path) {
		there, err := p.opened(p.Path)
		if err != nil || !p.isOurs(there) || layout.GitDirOf(there) != p.GitDir && p.GitDir != "" {
			return record.Errorf(record.Conflict, "%s is no work tree of this clone any more", p.Path).WithHint("see what it is, and move it away")
		}
		if live, err := proc.Inside(p.Path); err != nil || len(live) > 0 {
			return record.Errorf(record.Busy, "%s: %s", p.Path, liveness(live, err)).WithHint("try again when it has ended")
		}
		r := &rejoining{clone: p.clone, made: p.made, there: there}
		if err := p.files(ctx, r); err != nil {
			return err
		}
	}
	if p.GitDir == "" || !layout.Exists(p.adminDir(p.made)) {
		return problem.IO(disk.RemoveTree(p.Path))
	}
	_, err := git.Writing{}.Run(ctx, p.repo.Top, "worktree", "remove", "--force", "--force", p.Path)
	return err
}

// files parks what is checked out in the work tree, with all that is in no commit.
func (p *parking) files(ctx context.Context, r *rejoining) error {
	head, err := r.there.Head(ctx)
	if err != nil {
		return err
	}
	changes, err := unsaved(ctx, r.there)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		if head.Commit == "" {
			return nil
		}
		return p.keep(ctx, head.Commit)
	}
	commit, err := r.snapshot(ctx, "what was not committed when the attempt was given up")
	return errors.Join(err, p.keep(ctx, commit))
}

// branch parks the branch of the task, and removes it.
func (p *parking) branch(ctx context.Context) error {
	tip, err := p.branchTip(ctx, p.Branch)
	if err != nil || tip == "" {
		return err
	}
	all, err := p.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Branch == "refs/heads/"+p.Branch {
			return record.Errorf(record.Conflict, "the branch %s is checked out in %s", p.Branch, one.Path).
				WithHint("that work tree is a person's; switch it to another branch, or rename the branch")
		}
	}
	if err := p.keep(ctx, tip); err != nil {
		return err
	}
	return p.deleteBranch(ctx, p.Branch, tip)
}

// keep parks a commit, unless the base or what is parked already has it.
func (p *parking) keep(ctx context.Context, commit string) error {
	_, base, err := p.base(ctx, p.Base)
	if err != nil {
		return err
	}
	for _, has := range append(slices.Clone(p.heads), base) {
		in, err := p.repo.History().Contains(ctx, has, commit)
		if err != nil || in {
			return err
		}
	}
	name, err := p.park(ctx, p.Task, commit)
	if err == nil {
		p.names, p.heads = append(p.names, name), append(p.heads, commit)
	}
	return err
}

// Parked lists the branches on which work on tasks is parked; of one task, if one is named.
func (c *clone) Parked(ctx context.Context, id record.ID) (names []string, err error) {
	out, err := git.Run(ctx, c.repo.Top, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/cairn/")
	for name := range strings.FieldsSeq(string(out)) {
		if of, ok := parkedFor(name); ok && (id == "" || of == id) {
			names = append(names, name)
		}
	}
	return names, err
}

// parkedFor is the task of which a branch has parked work; false for any other branch.
func parkedFor(branch string) (record.ID, bool) {
	of, below := strings.CutPrefix(branch, "cairn/")
	i := strings.LastIndexByte(of, '.')
	if !below || i < 0 || strings.Trim(of[i+1:], "0123456789") != "" {
		return "", false
	}
	id, err := record.ParseID(of[:i])
	return id, err == nil
}
