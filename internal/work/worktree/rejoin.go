package worktree

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Rejoin brings a work tree in which an agent has used git back to the branch of its task, so that the work can be
// judged and gone on with, and returns it with what was done, in words. Nothing is lost by it:
//
//   - Commits that the agent made on another branch, or on none, become those of the task's branch. If that had others,
//     these are parked (see Park).
//   - Where the agent only looked at another commit, the branch of the task is checked out again.
//   - A branch that no longer contains the commit at which its work began, as after a rebase onto an older one, begins
//     where it leaves the base. One that was deleted is made again at the commit last.
//   - A work tree whose folder is gone is made again.
//
// It returns CONFLICT, and changes nothing, where that is for the agent to settle: a merge, a rebase or the like is not
// at its end, or uncommitted changes are in the way. With force these are committed and parked, and a work tree that
// lacks the config of the workspace gets it. It returns CONFLICT too
// if the base itself is checked out there, which is a person's, or the folder is no work tree of this clone any more,
// and GIT if git fails. The caller has ended every process that worked there.
func (w *Worktrees) Rejoin(ctx context.Context, t Tree, last string, force bool) (Tree, []string, error) {
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return t, nil, err
	}
	defer release()
	m, ok, err := w.records().read(t.Task)
	if err != nil || !ok || !m.Ready || m.Path != t.Path {
		return t, nil, cmp.Or(err, w.on(t).changed("is not the one that was made for it"))
	}
	s := &rejoining{clone: w.clone, made: m, last: last, force: force}
	err = s.run(ctx)
	t = w.treeOf(s.made)
	if err == nil && force && t.Repo == "" {
		k := &making{w.clone, s.made}
		if lacks := k.settings(t.layout()); len(lacks) > 0 {
			s.say("the workspace was taken out; %s is there again", lacks[0])
			err = k.bring(ctx, t.layout(), lacks)
		}
	}
	return t, s.did, err
}

// rejoining is Rejoin for the work tree of a task, whose lock the caller holds.
type rejoining struct {
	*clone
	made
	last  string // a commit of the branch that is known
	force bool
	there *git.Repo
	did   []string // in words
}

func (s *rejoining) say(format string, args ...any) {
	s.did = append(s.did, fmt.Sprintf(format, args...))
}

func (s *rejoining) run(ctx context.Context) (err error) {
	if err := s.again(ctx); err != nil {
		return err
	}
	if s.there, err = s.opened(s.Path); err != nil {
		return err
	}
	if !s.isOurs(s.there) || layout.GitDirOf(s.there) != s.GitDir {
		return s.on(s.treeOf(s.made)).changed("is not the one that was made for it")
	}
	locks, err := unlocked(ctx, s.there, s.Branch)
	if len(locks) > 0 {
		s.say("removed what a killed git left: %s", strings.Join(locks, ", "))
	}
	if err == nil {
		err = s.end(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.home(ctx); err != nil {
		return err
	}
	return s.begin(ctx)
}

// again makes a work tree again whose folder is gone, with the branch as it is.
func (s *rejoining) again(ctx context.Context) error {
	if layout.Exists(s.Path) || !layout.Exists(filepath.Dir(s.Path)) {
		return nil
	}
	if err := s.branchBack(ctx); err != nil {
		return err
	}
	if _, err := (git.Writing{}).Run(ctx, s.repo.Top, "worktree", "add", "--quiet", "--force", s.Path, s.Branch); err != nil {
		return err
	}
	there, err := s.opened(s.Path)
	if err != nil {
		return err
	}
	s.GitDir = layout.GitDirOf(there)
	s.say("its folder was gone, and was made again")
	return s.records().write(s.made)
}

// branchBack makes the branch again if it was deleted.
func (s *rejoining) branchBack(ctx context.Context) error {
	tip, err := s.branchTip(ctx, s.Branch)
	if err != nil || tip != "" {
		return err
	}
	s.say("the branch %s was deleted, and was made again", s.Branch)
	return s.point(ctx, cmp.Or(s.last, s.BaseCommit), "")
}

// point moves the branch of the task from one commit to another; from is "" for a branch that is not there.
func (s *rejoining) point(ctx context.Context, to, from string) error {
	if from == "" {
		from = strings.Repeat("0", len(to))
	}
	_, err := git.Writing{}.Run(ctx, s.repo.Top, "update-ref", "--no-deref", "-m", "cairn: rejoin", "refs/heads/"+s.Branch, to, from)
	return err
}

// end ends what git was in the middle of, if that may be done: what it had is parked first.
func (s *rejoining) end(ctx context.Context) error {
	for _, op := range operations {
		if !layout.Exists(filepath.Join(s.there.GitDir, op.file)) {
			continue
		}
		command := op.command
		if layout.Exists(filepath.Join(s.there.GitDir, "rebase-apply", "applying")) {
			command = "git am"
		}
		if !s.force {
			return record.Errorf(record.Conflict, "%s is under way in %s, and not at its end", op.what, s.Path).
				WithHint("bring it to its end, or give it up with %s --abort", command)
		}
		if err := s.parkFiles(ctx, "what "+op.what+" had come to"); err != nil {
			return err
		}
		for _, args := range [][]string{append(strings.Fields(command)[1:], "--quit"), {"reset", "--quiet", "--hard"}} {
			if _, err := (git.Writing{}).Run(ctx, s.Path, args...); err != nil {
				return err
			}
		}
		s.say("%s was given up", op.what)
	}
	if !layout.Exists(filepath.Join(s.there.GitDir, "BISECT_LOG")) {
		return nil
	}
	_, err := git.Writing{}.Run(ctx, s.Path, "bisect", "reset", "HEAD")
	return err
}

// snapshot makes a commit of all that is in the work tree, on what is checked out. It stands on no branch.
func (s *rejoining) snapshot(ctx context.Context, what string) (commit string, err error) {
	index := filepath.Join(s.there.GitDir, "cairn-snapshot")
	defer func() { _ = disk.RemoveFile(index) }()
	if _, err := (git.Writing{Index: index}).Run(ctx, s.Path, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := writeTree(ctx, s.Path, index)
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", "-m", string(s.Task) + ": " + what, tree}
	if head, err := headOf(ctx, s.Path); err == nil { // an orphan branch has none
		args = append(args, "-p", head)
	}
	return answer(git.Writing{}.Run(ctx, s.Path, args...))
}

// parkFiles parks all that is in the work tree.
func (s *rejoining) parkFiles(ctx context.Context, what string) error {
	commit, err := s.snapshot(ctx, what)
	if err != nil {
		return err
	}
	name, err := s.park(ctx, s.Task, commit)
	s.say("%s is on %s", what, name)
	return err
}

// home has the branch of the task checked out again, with what the agent committed elsewhere.
func (s *rejoining) home(ctx context.Context) error {
	head, err := s.there.Head(ctx)
	if err != nil {
		return err
	}
	if head.Branch == s.Branch && head.Commit != "" {
		return nil
	}
	if head.Branch == s.Base {
		return record.Errorf(record.Conflict, "%s is checked out in %s, and not %s", s.Base, s.Path, s.Branch).
			WithHint("check out %s there again", s.Branch)
	}
	if err := s.branchBack(ctx); err != nil {
		return err
	}
	tip, err := s.branchTip(ctx, s.Branch)
	if err != nil {
		return err
	}
	own, err := s.ownOf(ctx, head.Commit, tip)
	switch {
	case err != nil:
		return err
	case head.Commit == "": // an orphan branch: the files are what was made
		return s.onBranch(ctx)
	case !own:
		return s.back(ctx, head)
	}
	ahead, err := s.repo.History().Contains(ctx, head.Commit, tip)
	if err != nil {
		return err
	}
	if !ahead {
		name, err := s.park(ctx, s.Task, tip)
		if err != nil {
			return err
		}
		s.say("%s had other commits, which are on %s now", s.Branch, name)
	}
	if err := s.point(ctx, head.Commit, tip); err != nil {
		return err
	}
	s.say("what was committed on %s is on %s", checkedOut(head), s.Branch)
	return s.onBranch(ctx)
}

// ownOf reports whether a commit has others behind it that neither the branch of the task nor its base has.
func (s *rejoining) ownOf(ctx context.Context, commit, tip string) (bool, error) {
	if commit == "" {
		return false, nil
	}
	_, base, err := s.base(ctx, s.Base)
	if err != nil {
		return false, err
	}
	out, err := git.Run(ctx, s.repo.Top, "rev-list", "--max-count=1", commit, "^"+tip, "^"+base)
	return strings.TrimSpace(string(out)) != "", err
}

// onBranch has the branch of the task checked out, and leaves all files as they are.
func (s *rejoining) onBranch(ctx context.Context) error {
	_, err := git.Writing{}.Run(ctx, s.Path, "symbolic-ref", "-m", "cairn: rejoin", "HEAD", "refs/heads/"+s.Branch)
	return err
}

// back checks out the branch of the task where another commit is checked out that has nothing of its own. Uncommitted
// changes come along; those that are in the way are parked, or refuse it.
func (s *rejoining) back(ctx context.Context, head git.Head) error {
	_, err := git.Writing{}.Run(ctx, s.Path, "checkout", "--quiet", s.Branch, "--")
	if err != nil && git.Exited(err) == 1 {
		if !s.force {
			return record.Errorf(record.Conflict, "%s is checked out in %s, and changes that are not committed are in the way of %s", checkedOut(head), s.Path, s.Branch).
				WithHint("commit them on a branch, or check out %s", s.Branch)
		}
		if err := s.parkFiles(ctx, "what was not committed on "+checkedOut(head)); err != nil {
			return err
		}
		_, err = git.Writing{}.Run(ctx, s.Path, "checkout", "--quiet", "--force", s.Branch, "--")
	}
	if err == nil {
		s.say("%s was checked out, and %s is again", checkedOut(head), s.Branch)
	}
	return err
}

// begin has the work begin where its branch leaves the base, if it no longer contains the commit that it began at.
func (s *rejoining) begin(ctx context.Context) error {
	tip, err := s.branchTip(ctx, s.Branch)
	if err != nil {
		return err
	}
	has, err := s.repo.History().Contains(ctx, tip, s.BaseCommit)
	if err != nil || has {
		return err
	}
	_, base, err := s.base(ctx, s.Base)
	if err != nil {
		return err
	}
	bases, err := s.repo.History().MergeBases(ctx, tip, base)
	if err != nil {
		return err
	}
	if len(bases) > 0 {
		s.say("it begins at %s now", short(bases[0]))
		s.BaseCommit = bases[0]
		return s.records().write(s.made)
	}
	if !s.force {
		return record.Errorf(record.Conflict, "the branch %s has nothing in common with %s", s.Branch, s.Base).
			WithHint("put the work on %s, such as with git rebase --onto %s", s.Base, short(s.BaseCommit))
	}
	name, err := s.park(ctx, s.Task, tip)
	if err != nil {
		return err
	}
	s.say("its branch had nothing in common with %s, and is on %s", s.Base, name)
	to := cmp.Or(s.last, s.BaseCommit)
	if err := s.parkFiles(ctx, "what was not committed"); err != nil {
		return err
	}
	_, err = git.Writing{}.Run(ctx, s.Path, "reset", "--quiet", "--hard", to)
	return err
}

// park gives a commit of a task a branch of its own, cairn/ID.1 or the next number that is free, and returns its name.
func (c *clone) park(ctx context.Context, id record.ID, commit string) (string, error) {
	for n := 1; ; n++ {
		name := Branch(id) + "." + strconv.Itoa(n)
		tip, err := c.branchTip(ctx, name)
		if err != nil || tip == commit {
			return name, err
		}
		if tip != "" {
			continue
		}
		_, err = git.Writing{}.Run(ctx, c.repo.Top, "update-ref", "-m", "cairn: park", "refs/heads/"+name, commit, strings.Repeat("0", len(commit)))
		return name, err
	}
}
