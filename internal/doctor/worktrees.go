package doctor

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/kind"
)

// worktrees finds work trees that cairn made and whose folder is gone, and those of tasks that are closed, with why
// they stay. It repairs none of that: what lies in a work tree may be somebody's work.
func (v Visit) worktrees(ctx context.Context) ([]Finding, error) {
	if v.Store.Repo == nil {
		return nil, nil
	}
	trees, err := work.Trees(v.Store, v.Now)
	if err != nil {
		return nil, err
	}
	all, err := trees.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, one := range all {
		switch {
		case one.Gone():
			fix := v.Spell(record.CallTo("worktree_remove", "id", one.Task, "force", true)) + " forgets it, if it was not moved"
			out = append(out, find(WorktreeLost, "", "the work tree "+one.Path+": "+one.Reasons[0].Message, fix).about(one.Task.Ref()))
		case v.closed(one.Task):
			out = append(out, v.left(one))
		}
	}
	return out, nil
}

// left is the finding of a work tree that nobody needs any more.
func (v Visit) left(one worktree.Standing) Finding {
	message, fix := "the work tree "+one.Path+" can be removed", v.Spell(record.CallTo("worktree_remove", "id", one.Task))
	if len(one.Reasons) > 0 {
		said := make([]string, len(one.Reasons))
		for i, r := range one.Reasons {
			said[i] = r.Message
		}
		message, fix = "the work tree "+one.Path+" stays: "+strings.Join(said, "; "), "settle that, then "+fix
	}
	return find(WorktreeLeft, "", message, fix).about(one.Task.Ref())
}

// closed reports whether a task is closed, or deleted.
func (v Visit) closed(id record.ID) bool {
	t, err := kind.Tasks.Get(v.records, id)
	if record.CodeOf(err) == record.NotFound {
		return true
	}
	return err == nil && v.Store.Config.Flow.IsClosed(t.Status)
}
