package jobs

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// afford is BUDGET_SPENT if jobs cost what the user's config lets them already, or if jobs failed at the task again and
// again, and no person did anything to it since.
func (st *starter) afford(all []job.Job) error {
	user, err := userconfig.Read(st.w.ConfigDir)
	if err != nil {
		return err
	}
	if spent := job.SharedBudget(user.Budget).Spent(all, st.spec.Task, st.w.Now()); spent != "" {
		return record.Errorf(record.BudgetSpent, "%s", spent).WithHint("a person decides whether it is worth more, and raises jobs_budget in %s", user.Path)
	}
	if n := job.InVain(all, st.spec.Task, st.looked); n >= job.MaxInVain {
		return record.Errorf(record.BudgetSpent, "%d jobs failed at it, and no person did anything to it since", n).
			WithHint("a person looks at it: %s says what to do otherwise, and lets jobs go on", record.CallTo("note", "id", st.spec.Task, "text", "TEXT").OnlyShown())
	}
	return nil
}

// look finds out when a person did something to the task, here or in its work tree.
func (st *starter) look(ctx context.Context) {
	here, _ := kind.Tasks.Get(st.s, st.spec.Task)
	there, _ := trees.OnTask(ctx, st.w, st.spec.Task)
	for _, t := range []task.Task{here, there.Task} {
		if e, ok := t.Provenance.Newest(func(e record.Entry) bool { return e.Who.Human() }); ok && e.At.After(st.looked) {
			st.looked = e.At
		}
	}
}
