package worktree

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// stays is the error of a work tree that is not removed for some reasons; nil if it can be removed, because there are
// none or force overrides all.
func (r *removal) stays(reasons []Reason) error {
	if r.force {
		reasons = slices.DeleteFunc(slices.Clone(reasons), Reason.Forced)
	}
	if len(reasons) == 0 {
		return nil
	}
	code, said := record.Busy, make([]string, len(reasons))
	for i, one := range reasons {
		said[i] = one.Message
		if one.Why != Live && one.Why != Busy && one.Why != Locked {
			code = record.Conflict
		}
	}
	again := record.CallTo("worktree_list", "id", r.Task)
	forced := record.CallTo("worktree_remove", "id", r.Task, "force", true).OnlyShown()
	e := record.Errorf(code, "the work tree of %s, %s, stays: %s", r.Task, r.Path, strings.Join(said, "; "))
	switch {
	case all(reasons, Reason.Forced):
		return e.WithHint("commit what is worth keeping; %s deletes the rest", forced).WithNext(again)
	case code == record.Busy:
		return e.WithHint("try again when that has ended")
	case slices.ContainsFunc(reasons, func(one Reason) bool { return one.Why == Unmerged }):
		return e.WithHint("bring the work home first: %s", record.CallTo("review_apply", "id", r.Task, "action", "merge").OnlyShown()).WithNext(again)
	case reasons[0].Why == Gone:
		return e.WithHint("if it was moved, git worktree repair NEW-PATH; if not, %s forgets it", forced).WithNext(again)
	default:
		return e.WithHint("settle that by hand; nothing is removed that could be somebody's work")
	}
}

func all(reasons []Reason, is func(Reason) bool) bool {
	return !slices.ContainsFunc(reasons, func(one Reason) bool { return !is(one) })
}
