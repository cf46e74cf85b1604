package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
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
	if live, err := proc.Inside(l.at); err != nil {
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

// liveness says that processes work in a folder, or that this is not known.
func liveness(live []proc.Process, err error) string {
	if err != nil {
		return "whether a process works there is uncertain: " + err.Error()
	}
	names := make([]string, len(live))
	for i, p := range live {
		names[i] = p.String()
	}
	return strings.Join(names, ", ") + " works in it"
}

// Why is the kind of a reason why a work tree stays.
type Why string

// The kinds of reasons. Reason.Forced says which of them force overrides.
const (
	Moved       Why = "moved"       // a person moved the folder: it is theirs
	Switched    Why = "switched"    // a person checked out something else there: it is theirs
	Gone        Why = "gone"        // its folder is not there
	Uncommitted Why = "uncommitted" // tracked files are changed
	Untracked   Why = "untracked"   // files are in no commit
	Ignored     Why = "ignored"     // files that git ignores are there, and are no unchanged copies
	Stashed     Why = "stashed"     // a stash was made on its branch
	UnderWay    Why = "under_way"   // a merge, a rebase or the like was not brought to its end
	Submodule   Why = "submodule"   // a nested repository has commits that are in none of its remotes
	Unmerged    Why = "unmerged"    // commits are neither in the base nor pushed
	Locked      Why = "locked"      // git worktree lock, or a lock of a git command
	Live        Why = "live"        // a process works in it
	Busy        Why = "busy"        // a job works on it
	Uncertain   Why = "uncertain"   // some of this could not be examined
)

// Reason is a reason why a work tree is not removed.
type Reason struct {
	Why     Why    `json:"why"`
	Message string `json:"message"`
}

// Forced reports whether force overrides the reason: what is in no commit is deleted then, because a person said so.
func (r Reason) Forced() bool {
	switch r.Why {
	case Uncommitted, Untracked, Ignored, Stashed:
		return true
	default:
		return false
	}
}

// Standing is what is known of a recorded work tree.
type Standing struct {
	Tree
	MadeAt  time.Time `json:"made_at"`
	Reasons []Reason  `json:"reasons,omitempty"` // why it stays; empty if it can be removed
}

// Theirs reports whether a person has taken the work tree over.
func (s Standing) Theirs() bool { return s.has(Moved) || s.has(Switched) }

// Gone reports whether there is nothing but the record.
func (s Standing) Gone() bool { return s.has(Gone) }

func (s Standing) has(why Why) bool {
	for _, r := range s.Reasons {
		if r.Why == why {
			return true
		}
	}
	return false
}

// List lists the recorded work trees by their tasks, each with all reasons why it stays. What cannot be examined is a
// reason too. It changes nothing.
func (w *Worktrees) List(ctx context.Context) ([]Standing, error) {
	ids, err := w.records().tasks()
	if err != nil {
		return nil, err
	}
	var all []Standing
	for _, id := range ids {
		m, ok, err := w.records().read(id)
		switch {
		case err != nil:
			all = append(all, Standing{Tree: Tree{Task: id, Branch: Branch(id)}, Reasons: []Reason{{Uncertain, err.Error()}}})
		case ok:
			all = append(all, w.standing(ctx, m))
		}
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
	}
	return all, nil
}

// Look returns what is known of the work tree of a task; false if none is recorded.
func (w *Worktrees) Look(ctx context.Context, id record.ID) (Standing, bool, error) {
	m, ok, err := w.records().read(id)
	if err != nil || !ok {
		return Standing{}, false, err
	}
	return w.standing(ctx, m), true, nil
}

func (c *clone) standing(ctx context.Context, m made) Standing {
	s := Standing{Tree: c.treeOf(m), MadeAt: m.MadeAt}
	if !m.Ready || m.Removing != "" {
		s.Reasons = []Reason{{Uncertain, "making or removing it was interrupted; the next call that makes or removes it settles that"}}
		return s
	}
	s.Reasons = c.look(ctx, m)
	return s
}
