package trees

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
)

// MergedCommit is the commit in which a merge brought the task's close, and the branch that it went into, as far as the
// clone remembers; else "".
func (p Place) MergedCommit() (commit, into string) {
	state := p.Home.State(p.Task.ID.Ref())
	if state == nil || p.Task.Repo != "" { // there it is a commit of another repository
		return "", ""
	}
	for _, e := range p.Task.Provenance {
		for _, made := range state.Progress {
			if e.Said().Merged != "" && made.Entry == e.Hash() {
				return made.Head, made.Branch
			}
		}
	}
	return "", ""
}

// merged is work that a merge has brought home.
type merged struct {
	commit, into string // by which it came, and the branch that has it
	from, tip    string // what it changed is between these
}

// merged finds how the work on a closed task came home; false if no merge brought it, its branch has more since, or
// this clone cannot tell.
func (p Place) merged(ctx context.Context) (out merged, ok bool) {
	flow, repo := p.S.Config.Flow, p.Repo()
	if repo == nil || !flow.IsClosed(p.Task.Status) || flow.IsAbandoned(p.Task.Status) {
		return out, false
	}
	for _, e := range p.Task.Provenance {
		if e.Said().Merged != "" {
			out.tip = e.Said().Merged
		}
	}
	if out.tip == "" {
		return out, false
	}
	if p.Made {
		tip, err := repo.Commit(ctx, "refs/heads/"+p.Tree.Branch)
		if stat, failed := p.Trees.Stat(ctx, p.Tree); err != nil || failed != nil || tip != "" && tip != out.tip && len(stat.Files) > 0 {
			return out, false
		}
		out.into = p.Tree.Base
	} else {
		out.into = p.Home.Head(ctx).Branch
	}
	if commit, into := p.MergedCommit(); commit != "" {
		out.commit, out.into = commit, into
	} else if out.commit, _ = repo.History().BroughtBy(ctx, "refs/heads/"+out.into, out.tip); out.commit == "" {
		return out, false
	}
	before, err := repo.Commit(ctx, out.commit+"^1")
	if err != nil || before == "" {
		return out, false
	}
	if bases, err := repo.History().MergeBases(ctx, before, out.tip); err == nil && len(bases) > 0 {
		out.from = bases[0]
	} else { // the branch is gone, with what a squash left of it
		out.from, out.tip = before, out.commit
	}
	return out, true
}

// tellMerged has a review say what was merged, in place of what is left of the branch.
func (p Place) tellMerged(ctx context.Context, out *Review) error {
	m, ok := p.merged(ctx)
	if !ok {
		return nil
	}
	stat, err := worktree.StatOf(ctx, p.Repo(), m.from, m.tip)
	if err != nil {
		return err
	}
	out.MergedCommit, out.MergedInto = m.commit, m.into
	out.Files, out.Added, out.Deleted, out.Commits, out.Diff = stat.Files, stat.Added, stat.Deleted, stat.Commits, DiffURI(p.Task.ID)
	return nil
}

// refused says why an approval by the caller would be refused; "" for what it would not, as far as it can be told.
func (p Place) refused(out *Review) string {
	if p.Made && p.Moved == nil && out.Uncommitted {
		return notCommitted
	}
	err := p.Lost(p.W.Actor())
	if signs := p.W.Signer != nil && p.Task.ReviewCheck(p.W.Actor()) >= 0; err == nil && !signs && p.W.Actor() != "" {
		_, _, err = p.S.Config.Flow.ApproveReview(p.Task, p.W.Stamp(""), "", "")
	}
	if err != nil {
		return record.MessageOf(err)
	}
	return ""
}

const notCommitted = "its work tree has changes that are not committed"
