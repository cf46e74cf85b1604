package tasks

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// RunChecksIn is the input of RunChecks.
type RunChecksIn struct {
	ID   record.ID `json:"id" doc:"task whose checks to run" cli:"arg"`
	Only []int     `json:"only,omitempty" doc:"indices from 0; all commands by default" from:"command-checks"`
	verb.Once
}

// exitOfRun says whether all checks that ran have passed, as test runners do.
func exitOfRun(out any) int {
	run := out.(verb.Task).Run
	if run != nil && slices.ContainsFunc(run.Checks, func(c verb.CheckRun) bool { return c.Result != record.Pass }) {
		return verb.ExitCheckFailed
	}
	return 0
}

// RunChecks runs command checks and records their results without moving the task. Manual checks are passed over. A
// check that fails is a result and not an error.
func RunChecks(ctx context.Context, w *verb.Workspace, in RunChecksIn) (verb.Task, error) {
	s, err := w.Open()
	if err != nil {
		return verb.Task{}, err
	}
	t, err := w.ReadForWrite(s, in.ID)
	if err != nil {
		return verb.Task{}, err
	}
	todo, err := commands(t, in.Only)
	if err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	if len(todo) == 0 {
		out := w.View(s).Task(t)
		out.Run = &verb.RunReport{Checks: []verb.CheckRun{}}
		return out, nil
	}
	if err := gates.Consent(s, t, todo); err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	if err := s.Room(kind.Tasks.Kind, string(t.ID)); err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	ran, err := gates.RunChecks(ctx, w, s, t, todo)
	if err != nil {
		return verb.Task{}, verb.WithID(err, in.ID)
	}
	out, err := w.ChangeIn(ctx, s, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if !ran.Fits(wc.Task) {
			return wc.Task, nil, record.Errorf(record.Conflict, "its checks changed while they ran").WithHint("run them again")
		}
		return task.RecordRun(wc.Task, ran.Proof.Run, w.Stamp(""))
	})
	out.Run = ran.Report
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
			return nil, verb.BadInput("only", "names check %d, and the task has %d, counted from 0", i, len(t.Checks))
		}
		if !t.Checks[i].Manual() && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, nil
}
