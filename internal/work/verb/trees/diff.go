package trees

import (
	"cmp"
	"context"
	"regexp"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
)

// NotCommitted is the line of a diff behind which stands what is not committed.
const NotCommitted = "not committed:"

// WorkedOn begins the first line of a diff that is of a branch on which others work too.
const WorkedOn = "worked on "

// Diff returns what the work on the task changes outside .cairn, as a patch: that of the branch of its work tree; else of
// the local branch whose name has its id; else what changed in this checkout since the task was taken up in it. What is
// not committed there stands last, behind a line that says so. Of what changed on a branch that is not the task's alone
// the first line says that it may be anyone's (WorkedOn). Of work that was merged it is what was merged. It returns
// NOT_FOUND where no work is known.
func (p Place) Diff(ctx context.Context) (string, error) {
	if m, ok := p.merged(ctx); ok {
		diff, err := worktree.DiffOf(ctx, p.Repo(), m.from, m.tip)
		return string(diff), err
	}
	if !p.Made {
		return p.diffUntold(ctx)
	}
	diff, err := p.Trees.Diff(ctx, p.Tree)
	if err != nil {
		return "", err
	}
	guards, err := p.guards(ctx)
	if err != nil {
		return "", err
	}
	there, err := p.Trees.Open(p.Tree)
	if err != nil || p.Moved != nil { // only its branch is left
		there = nil
	}
	return p.withUncommitted(ctx, guardsFirst(string(diff), guards), there)
}

// withUncommitted is a diff with what is not committed in a work tree; nil for none.
func (p Place) withUncommitted(ctx context.Context, diff string, there *git.Repo) (string, error) {
	if there == nil || !p.Home.Trusted() {
		return diff, nil
	}
	more, err := worktree.PatchOfChanges(ctx, there)
	if err != nil || more == "" {
		return diff, err
	}
	return diff + NotCommitted + "\n" + more, nil
}

// diffUntold is the diff of a task for which cairn made no work tree.
func (p Place) diffUntold(ctx context.Context) (string, error) {
	none := record.Errorf(record.NotFound, "no work on it is known, so there is no diff").
		WithHint("it is that of %s, or of a branch whose name has its id, or of the checkout in which %s took it up",
			record.CallTo("pair_open", "id", p.Task.ID).OnlyShown(), record.CallTo("start", "id", p.Task.ID).OnlyShown()).
		WithNext(record.CallTo("get", "id", p.Task.ID)).ForGood()
	repo := p.Home.Repo
	if repo == nil || p.Task.Repo != "" {
		return "", none
	}
	head := p.Home.Head(ctx)
	branch, err := p.namedAfter(ctx)
	if err != nil {
		return "", err
	}
	from, tip := "", head.Commit
	if branch != "" {
		if tip, err = repo.Commit(ctx, "refs/heads/"+branch); err == nil {
			from = repo.History().LeftAt(ctx, tip, head.Branch)
		}
	} else if hold := session.Holder(p.Task.Header(), p.Home.Known(p.Task.ID.Ref()), p.W.Now()); hold.Worktree == p.Home.Worktree && hold.Holds() {
		from, err = gates.BeganAt(ctx, p.Home, p.Task)
	}
	if err != nil || from == "" {
		return "", cmp.Or(err, error(none))
	}
	diff, err := worktree.DiffOf(ctx, repo, from, tip)
	if err != nil || branch != "" && branch != head.Branch {
		return string(diff), err
	}
	if branch == "" {
		diff = append([]byte(WorkedOn+cmp.Or(head.Branch, "no branch")+" itself; what changed there since, by anyone:\n"), diff...)
	}
	return p.withUncommitted(ctx, string(diff), repo)
}

// namedAfter is the local branch whose name has the id of the task as a word, the newest of several; "" for none. Those
// of given up attempts (ID.1) are none.
func (p Place) namedAfter(ctx context.Context) (string, error) {
	all, err := p.Home.Repo.Refs().LocalBranches(ctx)
	word := regexp.MustCompile(`(?i)(^|[^a-z0-9])` + regexp.QuoteMeta(string(p.Task.ID)) + `($|[^a-z0-9.])`)
	for _, name := range all {
		if word.MatchString(name) {
			return name, err
		}
	}
	return "", err
}
