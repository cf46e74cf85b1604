// Package trees finds where the work on a task lies: the work tree that cairn made for it, which of the worktrees of
// the clone holds the newest record, and what there is to review. While somebody works on a task in a work tree, its
// record is written there alone, and the main checkout knows of it from live state. It also holds the verbs of work
// trees: which there are, why each stays, and the removal of one.
package trees

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/witness"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Place is where the newest record of a task lies, and where its work is.
type Place struct {
	W    *verb.Workspace // whose folder has the record: that of the caller, or a work tree
	S    *store.Store    // of that folder
	Task task.Task       // as it is there

	Caller *verb.Workspace // the caller's own
	Home   *store.Store    // of the caller's folder

	Trees *worktree.Worktrees // nil outside git
	Tree  worktree.Tree       // made for the task, if Made
	Made  bool
	Moved error // why the work tree that was made is a person's by now; nil if it is as it was made
}

// OnTask finds the worktree with the newest record of a task: the work tree that was made for it, if its record has
// entries that the one here lacks; another worktree of the clone that has carried the task further; or else the
// caller's own folder.
//
// It returns NOT_FOUND if there is no such task anywhere.
func OnTask(ctx context.Context, w *verb.Workspace, id record.ID) (Place, error) {
	s, err := w.Open()
	if err != nil {
		return Place{}, err
	}
	here, notHere := kind.Tasks.Get(s, id)
	if notHere != nil && record.CodeOf(notHere) != record.NotFound {
		return Place{}, notHere
	}
	p := Place{W: w, S: s, Caller: w, Home: s, Task: here}
	if s.Repo == nil {
		return p, notHere
	}
	if p.Trees, err = treesOf(s, id, here, w.Now); err != nil {
		return p, err
	}
	if p.Trees == nil {
		return p, notHere
	}
	if p.Tree, p.Made, err = p.Trees.Find(id); err != nil {
		return p, err
	}
	if p.Made {
		p.Moved = p.Trees.Verify(ctx, p.Tree)
	}
	if p.Made && p.Moved == nil && p.Tree.Repo == "" && p.Tree.Root != s.Root {
		if there, ok := p.in(p.Tree.Root, id); ok && (notHere != nil || further(there.Task, here)) {
			return there, nil
		}
	}
	if notHere != nil {
		return p, notHere
	}
	return p.elsewhere(), nil
}

// treesOf are the work trees to which that of a task belongs; nil where its files are in a repository that is not here,
// so that it has none.
func treesOf(s *store.Store, id record.ID, t task.Task, now func() time.Time) (*worktree.Worktrees, error) {
	if t.ID = id; t.Repo == "" {
		return work.TreesOf(s, t, now)
	}
	found, err := work.TreesOf(s, t, now)
	if err != nil && work.FilesIn(s, t) == "" {
		return nil, nil //nolint:nilerr,nilnil // what asks for its files says why
	}
	return found, err
}

func further(there, here task.Task) bool {
	had := here.Provenance.Hashes()
	for _, e := range there.Provenance {
		if !had[e.Hash()] {
			return true
		}
	}
	return false
}

// in is the place with the record in another folder of the clone, if the record is there.
func (p Place) in(root string, id record.ID) (Place, bool) {
	w := p.W.At(root)
	s, err := w.Open()
	if err != nil || s.Live != p.Home.Live || s.Root != root {
		return p, false
	}
	there, err := kind.Tasks.Get(s, id)
	if err != nil {
		return p, false
	}
	p.W, p.S, p.Task = w, s, there
	return p, true
}

// elsewhere is the place in the worktree that has carried the task further, by live state, or p itself.
func (p Place) elsewhere() Place {
	h := p.Task.Header()
	behind := session.IsBehind(h, p.Home.Known(h.Ref))
	if !behind.Ahead || behind.Worktree == "" || behind.Worktree == p.Home.Worktree {
		return p
	}
	there, err := p.Home.InWorktree(behind.Worktree)
	if err != nil {
		return p
	}
	if at, ok := p.in(there.Root, p.Task.ID); ok && further(at.Task, p.Task) {
		return at
	}
	return p
}

// Unmerged reports whether a task has a branch with changes outside .cairn that no merge has brought to its base, and
// names the branch. A branch whose pull request was merged counts as merged as long as it has the files that it was
// opened with, or pushed again.
func Unmerged(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (branch string, unmerged bool, err error) {
	if s.Repo == nil {
		return "", false, nil
	}
	all, err := treesOf(s, t.ID, t, w.Now)
	if err != nil || all == nil {
		return "", false, err
	}
	tree, made, err := all.Find(t.ID)
	if err != nil {
		return "", false, err
	}
	branch = worktree.Branch(t.ID)
	tip, err := all.Repo().Commit(ctx, "refs/heads/"+branch)
	switch {
	case err != nil:
		return branch, false, err
	case tree.Repo != "":
		unmerged, err = unmergedElsewhere(ctx, s, t, all, tree, tip)
		return branch, unmerged, err
	case tip == "" || cameHome(ctx, s, t, tip):
		return branch, false, nil
	}
	if at, err := OnTask(ctx, w, t.ID); err == nil && cameHome(ctx, s, at.Task, tip) {
		return branch, false, nil
	}
	if !made { // a pair works on a branch of a person's
		head, err := all.Repo().Commit(ctx, "HEAD")
		if err != nil || head == "" {
			return branch, false, err
		}
		beyond, err := all.Repo().Refs().Between(ctx, head, tip, 1)
		return branch, beyond > 0, err
	}
	changed, err := all.Stat(ctx, tree)
	return branch, len(changed.Files) > 0, err
}

// unmergedElsewhere is Unmerged for a work tree in another repository. The task's commands run in it, so it is asked
// of the base there whether the work is in it still. Where the branch is gone, the commit that was merged stands for it.
func unmergedElsewhere(ctx context.Context, s *store.Store, t task.Task, all *worktree.Worktrees, tree worktree.Tree, tip string) (bool, error) {
	if tip == "" {
		for _, e := range t.Provenance {
			if e.At.After(tree.Since) {
				tip = cmp.Or(e.Said().Merged, tip)
			}
		}
		if tip == "" {
			return true, nil
		}
	} else if !cameHome(ctx, s, t, tip) {
		if changed, err := all.Stat(ctx, tree); err != nil || len(changed.Files) > 0 {
			return true, err
		}
	}
	return all.Absent(ctx, tree, tip)
}

// cameHome reports whether the record says that a commit of the task's branch was merged: by cairn, or on the host by a
// pull request.
func cameHome(ctx context.Context, s *store.Store, t task.Task, tip string) bool {
	for _, e := range t.Provenance {
		if e.Said().Merged == tip {
			return true
		}
	}
	for _, r := range t.Refs {
		if r.Type == record.PullRef && r.State == "merged" && r.Sha != "" && sameFiles(ctx, s, r.Sha, tip) {
			return true
		}
	}
	return false
}

// sameFiles reports whether two commits have the same files outside .cairn. It reports false if the clone lacks one of
// them.
func sameFiles(ctx context.Context, s *store.Store, a, b string) bool {
	was, err := s.Repo.Objects().Fingerprint(ctx, a)
	now, failed := s.Repo.Objects().Fingerprint(ctx, b)
	return err == nil && failed == nil && now == was
}

// Lost returns CONFLICT if a verdict on the work was given in this clone, says that something is missing, and is gone
// from the record of the branch. Whoever gave it may give another one.
func (p Place) Lost(by record.Actor) error {
	if !p.Made {
		return nil
	}
	t := p.Task
	if there, err := p.InTree(); err == nil && p.Moved == nil {
		if on, err := kind.Tasks.Get(there, t.ID); err == nil {
			t = on
		}
	}
	e, lost := witness.Lost(p.Home, t, p.Tree)
	if !lost || e.Who == by {
		return nil
	}
	again := record.CallTo("review_apply", "id", p.Task.ID, "action", "reject", "text", record.Clip(e.Text, 300))
	return record.Errorf(record.Conflict, "its branch has lost what %s said of it: %s", e.Who, record.Clip(e.Text, 300)).
		WithHint("%s says it once more, and goes into the record; or %s approves the work", again.OnlyShown(), e.Who).ForGood()
}

// Unfinished returns CONFLICT if somebody else began the work, and nobody has handed it over or approved it since.
func (p Place) Unfinished(by record.Actor) error {
	flow, t := p.S.Config.Flow, p.Task
	if !flow.Unfinished(t) || by != "" && t.Assignee == by {
		return nil
	}
	approve := record.CallTo("review_apply", "id", t.ID, "action", "approve").OnlyShown()
	err := record.Errorf(record.Conflict, "is %s, and was not handed over", t.Status).ForGood()
	if ses, gone := kind.Sessions.Get(p.S, t.Provenance.LastSession()); gone == nil && ses.Status == session.Active && ses.Role != desk.PairRole {
		return err.WithHint("%s hands it over, by %s; or %s takes the work as it is",
			record.CallTo("finish", "session", ses.ID).OnlyShown(), ses.Actor, approve)
	} else if gone == nil && ses.Status == session.Active {
		return err.WithHint("%s hands it over; or %s takes the work as it is",
			record.CallTo("pair_close", "id", t.ID, "summary", "SUMMARY").OnlyShown(), approve)
	}
	if last, ok := work.Jobs(p.Home).LastOf(t.ID); ok && last.Status.State != job.Succeeded {
		return err.WithHint("%s goes on with it; or %s takes the work as it is", Retry(p.Home, last), approve)
	}
	return err.WithHint("%s or %s goes on with it; or %s takes the work as it is", record.CallTo("pair_open", "id", t.ID).OnlyShown(),
		record.CallTo("job_start", "id", t.ID).OnlyShown(), approve)
}

// Foreign returns CHECKS_FAILED if a job has worked on the branch and the branch brings an entry under another's name
// that cairn did not write in this clone, and that neither the base nor a fetched branch has.
func (p Place) Foreign(ctx context.Context) error {
	all, err := work.Jobs(p.Home).List()
	if err != nil {
		return err
	}
	actors := map[record.Actor]bool{}
	for _, one := range all {
		if one.Spec.Task == p.Task.ID && one.Status.Actor != "" {
			actors[one.Status.Actor] = true
		}
	}
	if len(actors) == 0 {
		return nil
	}
	if p.Tree.Repo != "" { // its branch brings no record
		return nil
	}
	there, err := p.InTree()
	if err != nil {
		return err
	}
	stat, err := p.Trees.Stat(ctx, p.Tree)
	if err != nil {
		return err
	}
	changed, err := witness.ChangedIn(ctx, there, stat)
	if err != nil {
		return err
	}
	before, err := witness.Others(ctx, p.Home, p.Tree.Base, stat.From)
	if err != nil {
		return err
	}
	own := func(e record.Entry) bool { return actors[e.Who] }
	found, err := witness.Branch{
		At: there, Task: p.Task.ID, Changed: changed, Own: own, Before: before,
		Disowned: witness.Disowned(all, p.Task.ID),
	}.Foreign(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	return record.Errorf(record.ChecksFailed, "a job worked on the branch, and it has %s, which cairn did not write in this clone%s", found[0], record.AndMore(len(found)-1)).
		WithHint("take it out of the branch in %s; if it holds, %s says it again, or a person brings that record to %s first", p.Tree.Path, found[0].Entry.Who, p.Tree.Base).ForGood()
}

// Strays returns CHECKS_FAILED if the branch is in another repository and changes what is of a workspace there.
func (p Place) Strays(ctx context.Context) error {
	if !p.Made || p.Tree.Repo == "" {
		return nil
	}
	stat, err := p.Trees.Stat(ctx, p.Tree)
	if paths := stat.OfWorkspaces(); err == nil && len(paths) > 0 {
		err = record.Errorf(record.ChecksFailed, "the branch changes %s, which is of a workspace in %s%s", paths[0], p.Tree.Repo, record.AndMore(len(paths)-1)).
			WithHint("take it out of the branch in %s; a person who wants it commits it on %s", p.Tree.Path, p.Tree.Base).ForGood()
	}
	return err
}

// Repo is the repository that has the branch of the task.
func (p Place) Repo() *git.Repo {
	if p.Trees == nil {
		return p.Home.Repo
	}
	return p.Trees.Repo()
}

// InTree is the store of the work tree that was made for the task: that of the record for one in another repository.
func (p Place) InTree() (*store.Store, error) {
	if p.S.Root == p.Tree.Root || p.Tree.Repo != "" {
		return p.S, nil
	}
	there, err := p.W.At(p.Tree.Root).Open()
	return there, p.Tree.Unreadable(err)
}
