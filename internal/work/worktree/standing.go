package worktree

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

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
