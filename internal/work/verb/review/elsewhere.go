package review

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/kind"
)

// elsewhere merges a branch that is in another repository, and then closes the task, whose record lies here. The gates
// are asked of the files as merged before the base moves. A close that fails after that, or a kill, leaves the task open
// with its work in the base: the same call closes it.
func (m *merging) elsewhere(ctx context.Context, message string) (ApplyOut, error) {
	if m.S.Config.Flow.IsClosed(m.Task.Status) {
		return ApplyOut{}, record.Errorf(record.TaskClosed, "is closed (%s)", m.Task.Status).
			WithHint("move it to an open state first; the merge closes it")
	}
	if err := m.takenBack(ctx); err != nil {
		return ApplyOut{}, err
	}
	w := *m.W
	w.Fresh = true
	tr := m.closing(&w, m.S)
	var ran gates.Run
	gate := func(ctx context.Context, dir string) (err error) {
		if err := m.unmoved(ctx); err != nil {
			return err
		}
		there := m.S.WithFiles(dir)
		if ran, err = tr.Prepare(ctx, &w, there, m.Task.ID); err != nil {
			return err
		}
		if err := m.unmoved(ctx); err != nil { // the checks may have taken long
			return err
		}
		t, err := kind.Tasks.Get(m.S, m.Task.ID)
		if err == nil {
			flow := m.S.Config.Flow
			_, _, err = flow.Move(t, m.to, ran.Proof, kind.Deps(m.S, flow), w.Stamp(m.in.Text))
			err = m.whereSettled(ctx, there, t, ran.Explain(err))
		}
		return err
	}
	commit, err := m.Trees.Merge(ctx, m.Tree, worktree.Merge{Base: m.base, Strategy: m.in.Strategy, Message: message, Gate: gate, Last: m.unmoved})
	if err != nil {
		return ApplyOut{}, err
	}
	out, err := tr.Write(ctx, &w, m.S, m.Task.ID, ran)
	if err != nil {
		err = cmp.Or(m.unmoved(ctx), err)
		return ApplyOut{}, record.Errorf(record.CodeOf(err), "was merged into %s of %s as %.12s, and not closed: %s", m.base, m.Tree.Repo, commit, record.MessageOf(err)).
			WithHint("%s", m.toClose())
	}
	return ApplyOut{Task: out, MergedCommit: commit, MergedInto: m.base}, nil
}

// takenBack returns CONFLICT if the base has the commits of the branch, and what they changed was taken back there: git
// would merge nothing.
func (m *merging) takenBack(ctx context.Context) error {
	merged, err := m.Repo().History().Contains(ctx, "refs/heads/"+m.base, m.head)
	if err != nil || !merged {
		return err
	}
	absent, err := m.Trees.Absent(ctx, m.Tree, m.head)
	if err != nil || !absent {
		return err
	}
	return record.Errorf(record.Conflict, "was merged into %s of %s, and taken back there", m.base, m.Tree.Repo).
		WithHint("a person brings it back there, as by git revert of the commit that took it back; or %s begins anew",
			record.CallTo("job_start", "id", m.Task.ID, "fresh", true).OnlyShown()).ForGood()
}

// toClose says what closes a task whose work was merged, and that is not closed.
func (m *merging) toClose() record.Hint {
	now, err := kind.Tasks.Get(m.S, m.Task.ID)
	if _, sent := now.SentBack(); err != nil || !sent {
		return record.Hintf("the same call closes it")
	}
	approve := record.CallTo("review_apply", "id", m.Task.ID, "action", "approve").OnlyShown()
	return record.Hintf("%s takes the work as it is, and then the same call closes it; or take the merge back in %s", approve, m.Tree.Repo)
}
