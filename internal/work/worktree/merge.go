package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// How the work of a task goes into its base.
const (
	ByMerge  = "merge"  // a commit with two parents, also where a fast-forward would do
	BySquash = "squash" // one commit with all changes
	ByRebase = "rebase" // the commits again, on top of the base
)

// Merge says what is merged, and how.
type Merge struct {
	Base     string // short name of a local branch; "" for the one that the work tree was made for
	Strategy string // one of those above; "" is ByMerge
	Message  string // of the commit; "" for one that names the task

	// Gate is called once the work is merged in the throw-away work tree, and before it is committed. dir is the workspace
	// there. It runs what must pass, and may write under .cairn: that becomes part of the commit, or with ByRebase one
	// more commit. Whatever else it changes there is thrown away. If it fails, nothing is merged, and its error returns.
	Gate func(ctx context.Context, dir string) error

	// Records is called after Gate with the paths under .cairn, from the top of the work tree, that have changed since the
	// merge: Gate wrote them, or the commands that it ran. If it fails, nothing is merged, and its error returns. It may
	// be nil.
	Records func(paths []string) error

	// Last is called right before the base moves, while nobody can write a record of the workspace. It must take no lock of
	// the workspace. If it fails, nothing is merged, and its error returns. It may be nil.
	Last func(ctx context.Context) error
}

// forTree is what is merged of a work tree, with what was left out filled in. It returns INVALID_INPUT for what cannot
// be merged.
func (m Merge) forTree(t Tree) (Merge, error) {
	m.Base, m.Strategy = cmp.Or(m.Base, t.Base), cmp.Or(m.Strategy, ByMerge)
	m.Message = cmp.Or(m.Message, "Merge "+t.Branch+" into "+m.Base)
	if m.Strategy != ByMerge && m.Strategy != BySquash && m.Strategy != ByRebase {
		return m, record.Errorf(record.InvalidInput, "strategy must be merge, squash or rebase, not %q", record.Clip(m.Strategy, 40))
	}
	if m.Base == t.Branch {
		return m, record.Errorf(record.InvalidInput, "%s cannot be merged into itself", t.Branch)
	}
	return m, nil
}

// Merge merges the branch of a task into a base and returns the commit that the base then has. The merge is made in a
// throw-away work tree, where Gate is asked. Only then the base moves, and only forwards.
//
// Merges into one base wait for each other. If something else moves the base meanwhile, the merge is made and Gate is
// asked once more; if it moves again, that is BASE_MOVED. Merge returns MERGE_CONFLICT with the files, BASE_DIRTY if
// changes are in the way where the base is checked out, CONFLICT if the work tree of the task has uncommitted changes
// (those under .cairn are committed first), INVALID_INPUT for a base that does not exist, and the error of Gate. In all
// these cases the base is as it was, and so is the branch but for that commit.
//
// A kill leaves the base as it was, or moved to what Gate has passed. The next write or merge removes the work tree that
// was left.
func (w *Worktrees) Merge(ctx context.Context, t Tree, m Merge) (string, error) {
	return w.MergeAll(ctx, []Tree{t}, m)
}

// MergeAll is Merge for the branches of several tasks, in their order, of which all go into the base or none: what Gate is
// asked of has them all, and one commit has the base and each branch as parents. Several take the strategy ByMerge, and
// are in the workspace's own repository. An error that is about one of them has its id. It returns CONFLICT if the base
// has one of several already.
func (w *Worktrees) MergeAll(ctx context.Context, trees []Tree, m Merge) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	t := trees[0]
	m, err := m.forTree(t)
	if err != nil {
		return "", err
	}
	if len(trees) > 1 && (m.Strategy != ByMerge || w.o.Repo != "") {
		return "", record.Errorf(record.InvalidInput, "several branches go into %s together by a merge alone", m.Base).WithHint("merge one after the other")
	}
	if err := w.repo.Identity(ctx); err != nil {
		return "", err
	}
	lock := "base-" + layout.Name(m.Base)
	if w.o.Repo != "" {
		lock = "base-of-" + w.o.Repo + "-" + layout.Name(m.Base)
	}
	release, err := w.lock(ctx, lock)
	if err != nil {
		return "", err
	}
	defer release()
	within := scratches{clone: w.clone, lock: lock}
	within.sweep(ctx)
	var more []work
	for i, t := range trees {
		if err := w.on(t).commitOnlyRecords(ctx); err != nil {
			return "", about(t.Task, err)
		}
		if i > 0 {
			more = append(more, w.on(t))
		}
	}
	for range 2 {
		a := attempt{work: w.on(t), more: more, asked: m}
		moved, err := a.once(ctx, within)
		if err == nil || !moved {
			return a.merged, err
		}
	}
	return "", record.Errorf(record.BaseMoved, "%s moved twice while %s was being merged into it", m.Base, t.Task).WithHint("try again when it is quiet")
}

// TryMerge tries in memory to merge the branch of a task into a base, "" for its own, and lists the files that both
// changed in ways that do not go together. No work tree changes, and no ref. Where that cannot be told it lists nothing:
// with a git that is too old, and in a clone that is not trusted, since a merge starts the drivers that its config names.
func (w *Worktrees) TryMerge(ctx context.Context, t Tree, base string) ([]string, error) {
	if w.mayWrite() != nil {
		return nil, nil
	}
	with, err := w.withDriver(ctx)
	if err != nil {
		return nil, err
	}
	files, _ := w.mergeTree(ctx, with, "refs/heads/"+cmp.Or(base, t.Base), "refs/heads/"+t.Branch)
	return files, nil
}

// mergeTree lists the files that two commits changed in ways that do not go together. Its error says that git could not
// tell.
func (w *Worktrees) mergeTree(ctx context.Context, with git.Writing, one, other string) ([]string, error) {
	out, err := with.Run(ctx, w.repo.Top, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one, other)
	if git.Exited(err) != 1 {
		return nil, err
	}
	files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	return record.Unique(files[1:]), nil // behind the tree
}

// Since lists the newest commits that a base has and the branch of a task has not, as far as they change these files: the
// short hash and the subject of each. Of a merge it is what the merge brought.
func (w *Worktrees) Since(ctx context.Context, t Tree, base string, files []string) ([]string, error) {
	args := []string{"log", "--first-parent", "--max-count=20", "--format=%h %s", "refs/heads/" + t.Branch + "..refs/heads/" + base, "--"}
	out, err := git.Run(ctx, w.repo.Top, append(args, files...)...)
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

// Step is a commit of a base, which merged one branch or several, or was made on it.
type Step struct {
	Commit, Before string   // Before is the commit of the base that it followed
	Subject        string   // the first line of its message
	Heads          []string // what it merged
	Files          []string // that it changed, those of the record too
}

// Steps lists the commits that a base has got since the branch of a task left it, the oldest first, as far as they are on
// the line of the base itself.
func (w *Worktrees) Steps(ctx context.Context, t Tree, base string) (steps []Step, err error) {
	out, err := git.Run(ctx, w.repo.Top, "log", "-z", "-m", "--first-parent", "--reverse", "--no-renames", "--name-only", "--format=%x01%H %P%x03%s%x02",
		"refs/heads/"+t.Branch+"..refs/heads/"+base)
	for text := range strings.SplitSeq(string(out), "\x01") {
		head, files, found := strings.Cut(text, "\x02")
		ids, subject, _ := strings.Cut(head, "\x03")
		commits := strings.Fields(ids)
		if !found || len(commits) < 2 {
			continue
		}
		steps = append(steps, Step{commits[0], commits[1], subject, commits[2:], names([]byte(strings.TrimLeft(files, "\x00\n")))})
	}
	return steps, err
}

// Changed lists the files that a branch changed since it left a commit, and the changed lines of them, of which there may
// be many.
func (w *Worktrees) Changed(ctx context.Context, from, head string) (files []string, lines string, err error) {
	out, err := git.Run(ctx, w.repo.Top, "diff", "--name-only", "--no-renames", "-z", from+"..."+head)
	if err != nil {
		return nil, "", err
	}
	diff, err := git.Run(ctx, w.repo.Top, "diff", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", from+"..."+head)
	return names(out), string(diff), err
}

// Join merges commits in memory, one after the other, into a new commit that no branch has. It returns MERGE_CONFLICT
// where that does not go.
func (w *Worktrees) Join(ctx context.Context, commits ...string) (string, error) {
	with, err := w.withDriver(ctx)
	if err != nil {
		return "", err
	}
	at := commits[0]
	for _, next := range commits[1:] {
		tree, err := answer(with.Run(ctx, w.repo.Top, "merge-tree", "--write-tree", "--no-messages", at, next))
		if git.Exited(err) != 0 {
			return "", record.Errorf(record.MergeConflict, "%s and %s conflict", short(at), short(next))
		}
		if err == nil {
			at, err = answer(git.Writing{}.Run(ctx, w.repo.Top, "commit-tree", "-m", "cairn: tried together", "-p", at, "-p", next, tree))
		}
		if err != nil {
			return "", err
		}
	}
	return at, nil
}

// Alone waits until nobody else does what a name stands for, in any process of the clone.
func (w *Worktrees) Alone(ctx context.Context, what string) (release func(), err error) {
	return w.lock(ctx, layout.Name(what))
}

// once merges into the base as it is now. moved says that it failed because the base has moved meanwhile.
func (a *attempt) once(ctx context.Context, within scratches) (moved bool, err error) {
	if _, a.from, err = a.base(ctx, a.asked.Base); err != nil {
		return false, err
	}
	if a.head, err = a.tip(ctx); err != nil {
		return false, err
	}
	if err := a.tips(ctx); err != nil {
		return false, err
	}
	held, err := a.holderOf(ctx, a.asked.Base)
	if err == nil && held != nil {
		err = held.mustBeClean(ctx)
	}
	if err != nil {
		return false, err
	}
	if err := a.ask(ctx); err != nil {
		return false, err
	}
	begin := a.from
	if a.asked.Strategy == ByRebase && !a.already {
		begin = a.head
	}
	if a.top, err = within.add(ctx, begin); err != nil {
		return false, err
	}
	defer func() { _ = within.remove(ctx, a.top) }() // if it fails, the next merge does it
	if a.merged, err = a.run(ctx); err != nil || a.merged == a.from {
		return false, err
	}
	if err := a.note(ctx); err != nil {
		return false, err
	}
	return a.moveBase(ctx, a.asked.Base, a.from, a.merged, "cairn: merge "+a.tree.Branch+record.AndMore(len(a.more)), a.asked.Last)
}

// tips finds the newest commits of the further branches.
func (a *attempt) tips(ctx context.Context) error {
	for _, one := range a.more {
		tip, err := one.tip(ctx)
		if err != nil {
			return err
		}
		a.heads = append(a.heads, tip)
	}
	if len(a.more) == 0 {
		return nil
	}
	for i, one := range a.all() {
		has, err := a.repo.History().Contains(ctx, a.from, slices.Concat([]string{a.head}, a.heads)[i])
		if err == nil && has {
			err = record.Errorf(record.Conflict, "%s has %s already", a.asked.Base, one.tree.Branch).WithHint("merge it alone, which closes its task")
		}
		if err != nil {
			return about(one.tree.Task, err)
		}
	}
	return nil
}

// all are the branches, in their order.
func (a *attempt) all() []work { return append([]work{a.work}, a.more...) }

// ask finds out whether the base has the work already: the commits, or what a merge made of them that was cut off in
// another repository before the close.
func (a *attempt) ask(ctx context.Context) (err error) {
	if a.already, err = a.repo.History().Contains(ctx, a.from, a.head); err != nil || a.already || a.o.Repo == "" {
		return err
	}
	m, ok, err := a.records().read(a.tree.Task)
	if err != nil || !ok || m.Merge == nil || m.Merge.Head != a.head {
		return err
	}
	has, err := a.repo.History().Contains(ctx, a.from, m.Merge.Commit)
	if err != nil || !has {
		return err
	}
	absent, err := a.absent(ctx, a.tree, a.from, a.head)
	a.already = !absent
	return err
}

// note notes what a base of another repository is to have: the close is written elsewhere, after it.
func (a *attempt) note(ctx context.Context) error {
	if a.o.Repo == "" {
		return nil
	}
	release, err := a.lockTask(ctx, a.tree.Task)
	if err != nil {
		return err
	}
	defer release()
	m, ok, err := a.records().read(a.tree.Task)
	if err != nil || !ok {
		return err
	}
	m.Merge = &ownMerge{a.head, a.merged}
	return a.records().write(m)
}

// conflict is the error of a merge or a rebase that failed in a work tree. If files are in conflict there, it has the
// code and the hint, and what followed by the files as message. Else it is the error that git failed with.
func conflict(ctx context.Context, top string, failed error, code record.Code, what string, hint record.Hint) error {
	if git.Exited(failed) == 0 {
		return failed
	}
	out, err := git.Run(ctx, top, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil || len(out) == 0 {
		return failed
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return &record.Error{Code: code, Msg: what + " " + someOf(files), Hint: hint}
}

// someOf names the first of many paths, and how many more there are.
func someOf(paths []string) string {
	const most = 10
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}

// about puts the task into an error that is about one of several.
func about(id record.ID, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.ID != "" {
		return err
	}
	of := *e
	of.ID = string(id)
	return &of
}

// attempt is one try of a merge into a base, whose lock the caller holds, in a throw-away work tree.
type attempt struct {
	work
	more    []work   // further branches that go in with it
	heads   []string // their tips
	asked   Merge
	from    string   // the tip of the base
	head    string   // the tip of the branch
	already bool     // the base has the work
	top     string   // of the throw-away work tree
	parents []string // of the commit that is made there
	merged  string   // that commit
}

// run merges, asks the gate, and returns the commit that the base is to have: its tip if there is nothing to merge.
func (a *attempt) run(ctx context.Context) (string, error) {
	tree, err := a.merge(ctx)
	if err == nil && a.asked.Gate != nil {
		err = a.asked.Gate(ctx, a.rootIn(a.top))
	}
	if err != nil {
		return "", err
	}
	tree, err = a.withRecords(ctx, tree)
	if err != nil {
		return "", err
	}
	if same, err := a.hasTree(ctx, a.parents[0], tree); err != nil || same && len(a.parents) == 1 {
		return a.parents[0], err
	}
	args := []string{"commit-tree", "-m", a.asked.Message}
	for _, parent := range a.parents {
		args = append(args, "-p", parent)
	}
	return answer(git.Writing{}.Run(ctx, a.top, append(args, tree)...))
}

// merge merges in the throw-away work tree, as was asked, and returns the tree that it made. It returns MERGE_CONFLICT
// with the files.
func (a *attempt) merge(ctx context.Context) (tree string, err error) {
	with, err := a.withDriver(ctx)
	if err != nil {
		return "", err
	}
	a.parents = []string{a.from}
	switch {
	case a.already:
	case a.asked.Strategy == ByMerge:
		a.parents = append(a.parents, a.head)
		_, err = with.Run(ctx, a.top, "merge", "--quiet", "--no-ff", "--no-commit", "--no-edit", "--no-verify", a.head)
	case a.asked.Strategy == BySquash:
		_, err = with.Run(ctx, a.top, "merge", "--quiet", "--squash", "--no-edit", a.head)
	default:
		_, err = with.Run(ctx, a.top, "rebase", "--quiet", "--no-autostash", "--no-verify", a.from)
	}
	if err != nil {
		return "", a.conflict(ctx, a.tree, err)
	}
	if len(a.more) > 0 {
		return a.mergeMore(ctx, with)
	}
	if a.asked.Strategy == ByRebase && !a.already {
		if a.parents[0], err = headOf(ctx, a.top); err != nil {
			return "", err
		}
	}
	return writeTree(ctx, a.top, "")
}

// mergeMore merges the further branches behind the first one, and returns the tree that has them all. The work tree is at
// the base then, and the tree is staged, as after the merge of one.
func (a *attempt) mergeMore(ctx context.Context, with git.Writing) (tree string, err error) {
	for i, one := range a.more {
		_, err = with.Run(ctx, a.top, "commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "-m", "cairn: one of several")
		if err != nil {
			return "", err
		}
		if _, err = with.Run(ctx, a.top, "merge", "--quiet", "--no-ff", "--no-commit", "--no-edit", "--no-verify", a.heads[i]); err != nil {
			return "", a.conflict(ctx, one.tree, err)
		}
		a.parents = append(a.parents, a.heads[i])
	}
	if tree, err = writeTree(ctx, a.top, ""); err != nil {
		return "", err
	}
	if _, err = (git.Writing{}).Run(ctx, a.top, "merge", "--quit"); err == nil {
		_, err = git.Writing{}.Run(ctx, a.top, "reset", "--quiet", "--soft", a.from)
	}
	return tree, err
}

// conflict is the error of the merge of a branch that failed.
func (a *attempt) conflict(ctx context.Context, t Tree, failed error) error {
	return about(t.Task, conflict(ctx, a.top, failed, record.MergeConflict, t.Branch+" and "+a.asked.Base+" conflict in",
		record.Hintf("%s puts it on the newest %s, or shows what to settle", record.CallTo("review_apply", "id", t.Task, "action", "rebase"), a.asked.Base)))
}

// withRecords is a tree that was merged, with what has changed under .cairn since. What else was changed or staged does
// not count.
func (a *attempt) withRecords(ctx context.Context, tree string) (string, error) {
	there, err := a.opened(a.top)
	if err == nil {
		_, err = git.Writing{}.Run(ctx, a.top, "read-tree", tree)
	}
	if err != nil {
		return "", err
	}
	// What the merge itself brought is staged, and no check wrote it.
	records, _, err := a.uncommittedOf(ctx, there, func(c git.Change) bool { return !c.Staged })
	if err == nil && a.asked.Records != nil {
		err = a.asked.Records(records)
	}
	if err != nil || len(records) == 0 {
		return tree, err
	}
	if _, err := (git.Writing{}).Run(ctx, a.top, append([]string{"add", "--all", "--"}, records...)...); err != nil {
		return "", err
	}
	return writeTree(ctx, a.top, "")
}

// Rebase puts the commits of a task's branch on top of a branch or commit, "" for its base. They are made in a
// throw-away work tree, so that a conflict, or a kill, leaves the task's as it was.
//
// It returns the errors of Verify, BUSY if something works in the work tree, CONFLICT if it has uncommitted changes
// (those under .cairn are committed first), INVALID_INPUT if there is no such branch or commit, and REBASE_CONFLICT
// with the files.
func (w *Worktrees) Rebase(ctx context.Context, t Tree, onto string) error {
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return err
	}
	defer release()
	return (&rebase{work: w.on(t), onto: cmp.Or(onto, t.Base)}).run(ctx)
}

// rebase puts the work on a task, whose lock the caller holds, on another commit.
type rebase struct {
	work
	onto   string // a branch or commit, as it was asked for
	target string // its commit
	from   string // the tip of the branch before
}

func (r *rebase) run(ctx context.Context) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	next, err := r.rebased(ctx)
	if err != nil {
		return err
	}
	head, err := headOf(ctx, r.tree.Path)
	if err != nil {
		return err
	}
	if head != r.from {
		return record.Errorf(record.Conflict, "%s was committed to meanwhile", r.tree.Branch).WithHint("try again")
	}
	if _, err := (git.Writing{}).Run(ctx, r.tree.Path, "reset", "--quiet", "--keep", next); err != nil {
		return err
	}
	m, ok, err := r.records().read(r.tree.Task)
	if err != nil || !ok {
		return err
	}
	m.BaseCommit = r.target // where the work begins now
	return r.records().write(m)
}

// ready finds out what is rebased, and returns an error if that cannot be rebased. It commits the records of the task.
func (r *rebase) ready(ctx context.Context) (err error) {
	if _, err := r.verified(ctx); err != nil {
		return err
	}
	if why := r.o.Busy(r.tree.Task); why != "" {
		return record.Errorf(record.Busy, "%s: %s", r.tree.Task, why).WithHint("try again when it has ended")
	}
	if err := r.repo.Identity(ctx); err != nil {
		return err
	}
	if r.target, err = r.repo.Commit(ctx, r.onto); err != nil {
		return err
	}
	if r.target == "" {
		return record.Errorf(record.InvalidInput, "the clone has no branch or commit %q", record.Clip(r.onto, 100)).WithHint("leave it out to take %s", r.tree.Base)
	}
	if err := r.commitOnlyRecords(ctx); err != nil {
		return err
	}
	r.from, err = r.tip(ctx)
	return err
}

// rebased makes the rebased commits in a throw-away work tree, and returns the last one.
func (r *rebase) rebased(ctx context.Context) (string, error) {
	scratches := scratches{clone: r.clone, lock: taskLock(r.tree.Task)}
	scratches.sweep(ctx)
	top, err := scratches.add(ctx, r.from)
	if err != nil {
		return "", err
	}
	defer func() { _ = scratches.remove(ctx, top) }() // if it fails, the next rebase does it
	with, err := r.withDriver(ctx)
	if err != nil {
		return "", err
	}
	if _, err := with.Run(ctx, top, "rebase", "--quiet", "--no-autostash", "--no-verify", r.target); err != nil {
		return "", conflict(ctx, top, err, record.RebaseConflict, r.tree.Branch+" was not put on "+r.onto+", and nothing has changed: they conflict in",
			record.Hintf("settle it by git rebase %s in %s, or give it to an agent with %s", r.onto, r.tree.Path,
				record.CallTo("review_apply", "id", r.tree.Task, "action", "rebase", "executor", "NAME").OnlyShown()))
	}
	return headOf(ctx, top)
}
