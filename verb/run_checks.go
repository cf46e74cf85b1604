package verb

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// RunChecksIn is the input of RunChecks.
type RunChecksIn struct {
	ID   task.ID `json:"id" doc:"task whose checks to run" cli:"arg"`
	Only []int   `json:"only,omitempty" doc:"indices of the checks to run, from 0; all commands unless told" from:"command-checks"`
	Once
}

// exitOfRun says whether all checks that ran have passed, as test runners do.
func exitOfRun(out any) int {
	run := out.(Task).Run
	if run != nil && slices.ContainsFunc(run.Checks, func(c CheckRun) bool { return c.Result != task.Pass }) {
		return ExitCheckFailed
	}
	return 0
}

// RunChecks runs command checks and records their results without moving the task. Manual checks are passed over. A check
// that fails is a result and not an error.
func (w *Workspace) RunChecks(ctx context.Context, in RunChecksIn) (Task, error) {
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	t, err := w.read(s, in.ID)
	if err != nil {
		return Task{}, err
	}
	todo, err := commands(t, in.Only)
	if err != nil {
		return Task{}, withID(err, in.ID)
	}
	if len(todo) == 0 {
		out := w.view(s, t)
		out.Run = &RunReport{Checks: []CheckRun{}}
		return out, nil
	}
	if err := consent(s, t, todo); err != nil {
		return Task{}, withID(err, in.ID)
	}
	if err := s.Room(t.ID); err != nil {
		return Task{}, withID(err, in.ID)
	}
	p := provenOf(t)
	p.proof.Run, p.report, err = w.run(ctx, s, t, todo, w.tree(ctx, s))
	if err != nil {
		return Task{}, withID(err, in.ID)
	}
	out, err := w.changeIn(ctx, s, in.ID, func(_ *store.Store, sc scene) (task.Task, *task.Entry, error) {
		if !p.records(sc.t) {
			return sc.t, nil, task.Errorf(task.Conflict, "its checks changed while they ran").WithHint("run them again")
		}
		return task.RecordRun(sc.t, p.proof.Run, w.stamp(""))
	})
	out.Run = p.report
	return out, err
}

// commands picks the command checks among the indices, or all of them.
func commands(t task.Task, only []int) ([]int, error) {
	if only == nil {
		for i := range t.Checks {
			only = append(only, i)
		}
	}
	var out []int
	for _, i := range only {
		if i < 0 || i >= len(t.Checks) {
			return nil, badInput("only", "names check %d, and the task has %d, counted from 0", i, len(t.Checks))
		}
		if !t.Checks[i].Manual() && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, nil
}
