package store

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/task"
)

// base is what a record is compared with.
type base struct {
	commits []string // each is compared with; none if there is nothing to compare with
	name    string   // who named it, and how
	note    string   // why there is none, or what it does not tell
}

// named is a commit that somebody names as the base.
type named struct {
	commit string // "" if nobody names one
	by     string // who, and how
	from   string // of origin/HEAD, of a push, or of a merge; see below
}

// What is known of a base that is named.
const (
	ofCaller = "caller" // --base says so
	ofMerge  = "merge"  // a CI says that the change is to be merged into it
	ofPush   = "push"   // a CI says that it was the tip of the branch before the push
	ofClone  = "clone"  // it is where a change goes unless somebody says otherwise
)

const (
	originHead = "refs/remotes/origin/HEAD"
	fetchAll   = "fetch the whole history: fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 on GitLab, elsewhere git fetch --unshallow"
	judgeAlone = "name one with --base; docs/ci.md says what each CI has to fetch"
)

// mostBases is how many merge bases a change is compared with. More than two or three are nobody's daily work, and each is read.
const mostBases = 16

// findBase finds the commits that head is compared with: where the history of head and of what is named parted. It returns
// NO_BASE if something is named and cannot be compared with, and if a CI runs this and nothing is named. Elsewhere that is no
// error.
func (l Layout) findBase(ctx context.Context, opts CheckOptions, head string) (base, error) {
	switch {
	case opts.NoBase:
		return base{note: "nothing is compared, as was asked for"}, nil
	case opts.Staged && opts.Base == "":
		return stagedBase(head), nil
	}
	n, err := l.namedBase(ctx, opts)
	switch {
	case err != nil:
		return base{}, err
	case n.commit == "":
		return without(opts, "nobody names a base, and the clone has no origin/HEAD")
	case head == "" && opts.Base == "":
		return without(opts, "there is no commit yet")
	case head == "":
		return base{}, task.Errorf(task.NoBase, "there is no commit yet to compare with %s", n.by).WithHint("leave the base out")
	case n.from == ofPush:
		return base{commits: []string{n.commit}, name: n.by}, nil // whatever a push did away with is its change
	}
	commits, err := l.parted(ctx, n, head)
	if err != nil {
		return base{}, err
	}
	return base{commits: commits, name: n.by, note: noteOf(n, commits, head, opts)}, nil
}

// stagedBase is the commit that what is staged will stand on.
func stagedBase(head string) base {
	if head == "" {
		return base{note: "nothing is compared: there is no commit yet"}
	}
	return base{commits: []string{head}, name: "HEAD"}
}

// without is having no base: in a CI an error, since nobody there reads that nothing was compared.
func without(opts CheckOptions, why string) (base, error) {
	if InCI(opts.Getenv) && !opts.NoBase {
		return base{}, task.Errorf(task.NoBase, "nothing can be compared: %s", why).WithHint(judgeAlone)
	}
	return base{note: "nothing is compared: " + why}, nil
}

// parted finds the commits where the history of head and of what is named parted. It returns NO_BASE if there is none, and if the
// clone does not hold enough of the history to be sure.
func (l Layout) parted(ctx context.Context, n named, head string) ([]string, error) {
	commits, err := l.Repo.MergeBases(ctx, n.commit, head)
	if err != nil {
		return nil, err
	}
	cut, err := l.Repo.Cut(ctx, []string{n.commit, head}, commits)
	switch {
	case err != nil:
		return nil, err
	case cut:
		return nil, task.Errorf(task.NoBase, "this clone is too shallow to tell where it parted from %s", n.by).WithHint(fetchAll)
	case len(commits) == 0:
		return nil, task.Errorf(task.NoBase, "%s has no history in common with what is judged", n.by).
			WithHint("name another base")
	case len(commits) > mostBases:
		return nil, task.Errorf(task.NoBase, "the histories of %s and of what is judged crossed so often that they parted at %d commits", n.by, len(commits)).
			WithHint("merge the base once more, so that they part at one: git merge %s", n.commit)
	}
	return commits, nil
}

// noteOf is what there is to say of a base beside its name.
func noteOf(n named, commits []string, head string, opts CheckOptions) string {
	switch {
	case len(commits) > 1:
		return fmt.Sprintf("the histories crossed, so each of the %d commits where they parted is compared with", len(commits))
	case commits[0] != head:
		return ""
	case n.from == ofMerge && opts.Commit == "":
		return "the base holds all that is committed here, so there is nothing to merge: is the change checked out?"
	case opts.Commit != "":
		return "the base holds all of the commit: there is no change to judge"
	}
	return "the base holds all that is committed here: only what is not committed yet is compared"
}

// namedBase returns the commit that somebody names, and who: the caller, the system that runs this, or the clone.
func (l Layout) namedBase(ctx context.Context, opts CheckOptions) (named, error) {
	if opts.Base != "" {
		commit, err := l.commitCalled(ctx, opts.Base)
		return l.mustHave(named{commit, "--base " + opts.Base, ofCaller}, err, opts.Base)
	}
	n, err := l.baseOfCI(ctx, opts)
	if n.commit != "" || err != nil {
		return n, err
	}
	target, err := l.Repo.Points(ctx, originHead)
	if err != nil {
		return named{}, err
	}
	n = named{by: "origin/HEAD", from: ofClone}
	if n.commit, err = l.Repo.Ref(ctx, originHead); n.commit != "" || err != nil {
		return n, err
	}
	if target != "" {
		return named{}, task.Errorf(task.NoBase, "origin/HEAD names %s, which is not there", target).
			WithHint("git remote set-head origin --auto asks what it should name; or name a base with --base")
	}
	return l.defaultOfCI(ctx, opts)
}
