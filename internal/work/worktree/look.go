package worktree

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
)

// look is one look at a recorded work tree, for reasons why it is not removed.
type look struct {
	*clone
	made
	at    string    // where it lies: at its path, or aside, where a removal has moved it
	aside bool      // its submodules name the old path then, so they cannot be examined
	there *git.Repo // nil until it is identified
	found []Reason
}

// look lists the reasons why a work tree stays.
func (c *clone) look(ctx context.Context, m made) []Reason {
	return (&look{clone: c, made: m, at: m.Path}).run(ctx)
}

// lookAside lists the reasons why a work tree stays that was moved aside to be removed.
func (c *clone) lookAside(ctx context.Context, m made) []Reason {
	return (&look{clone: c, made: m, at: m.Removing, aside: true}).run(ctx)
}

func (l *look) run(ctx context.Context) []Reason {
	l.identify(ctx)
	if l.there == nil {
		return l.found
	}
	if why := l.o.Busy(l.Task); why != "" {
		l.add(Busy, "%s", why)
	}
	if live, err := inside(l.at); err != nil {
		l.add(Uncertain, "%s", liveness(nil, err))
	} else if len(live) > 0 {
		l.add(Live, "%s", liveness(live, nil))
	}
	l.locks()
	l.unfinished()
	l.unsaved(ctx)
	l.unmerged(ctx)
	return l.found
}

func (l *look) add(why Why, format string, args ...any) {
	l.found = append(l.found, Reason{why, fmt.Sprintf(format, args...)})
}

// identify finds the work tree, or adds the reason why it is not there as it was made.
func (l *look) identify(ctx context.Context) {
	if now := git.WorktreeAt(l.adminDir(l.made)); now != "" && now != l.at {
		l.add(Moved, "a person moved it to %s, and it is theirs now", now)
		return
	}
	if !layout.Exists(l.at) {
		l.add(Gone, "its folder is gone%s", l.whyGone())
		return
	}
	there, err := opened(l.at)
	if err != nil {
		l.add(Uncertain, "it cannot be opened: %s", err)
		return
	}
	if !l.isOurs(there) || layout.GitDirOf(there) != l.GitDir {
		l.add(Moved, "what lies there now is not the work tree that was made")
		return
	}
	head, err := there.Head(ctx)
	switch {
	case err != nil:
		l.add(Uncertain, "what is checked out is not known: %s", err)
	case head.Branch != l.Branch:
		l.add(Switched, "%s is checked out there, and not %s: it is a person's now", checkedOut(head), l.Branch)
	default:
		l.there = there
	}
}

// whyGone says what else is known of a work tree whose folder is gone.
func (l *look) whyGone() string {
	switch {
	case !layout.Exists(filepath.Dir(l.at)):
		return ", and so is the one around it: its disk may be missing"
	case layout.Exists(l.adminDir(l.made)):
		return ", and git still knows it: if it was moved, git worktree repair NEW-PATH tells git where it is"
	default:
		return ""
	}
}

// locks adds the locks on the work tree: that of "git worktree lock", and those of git commands.
func (l *look) locks() {
	if layout.Exists(filepath.Join(l.there.GitDir, "locked")) {
		l.add(Locked, "it is locked with git worktree lock")
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		if file := filepath.Join(l.there.GitDir, name); layout.Exists(file) {
			l.add(Locked, "a git command works in it, or was killed there: %s exists", file)
		}
	}
}

// unfinished adds the operations of git that were begun in the work tree and not finished.
func (l *look) unfinished() {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"} {
		if layout.Exists(filepath.Join(l.there.GitDir, name)) {
			l.add(UnderWay, "git is in the middle of something there: %s", name)
		}
	}
}
