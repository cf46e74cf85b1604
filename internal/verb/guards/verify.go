package guards

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/task"
)

// VerifyIn is the input of Verify.
type VerifyIn struct {
	ID     record.ID `json:"id,omitempty" doc:"closed task to verify" cli:"arg,several"`
	Since  string    `json:"since,omitempty" doc:"all that were closed in commits since this one, such as main~5 or v1.2"`
	All    bool      `json:"all,omitempty" doc:"every closed task"`
	Matrix bool      `json:"matrix,omitempty" doc:"run each check also with its tests as they were, and without the work"`
}

// VerifyOut is what running the checks of closed tasks again showed.
type VerifyOut struct {
	Tasks []gates.Verified `json:"tasks" result:"rows"`
}

// exitOfVerify says whether all that was run holds, or at least passed once.
func exitOfVerify(out any) int {
	for _, t := range out.(VerifyOut).Tasks {
		for _, c := range t.Checks {
			if c.Now == gates.Broken {
				return verb.ExitCheckFailed
			}
		}
	}
	return 0
}

// Verify runs the checks of closed tasks again, each in an empty folder with the files of the commit that closed it. It
// changes no record.
func Verify(ctx context.Context, w *verb.Workspace, s *store.Store, in VerifyIn) (VerifyOut, error) {
	all, err := in.tasks(ctx, s)
	if err != nil {
		return VerifyOut{}, err
	}
	out := VerifyOut{Tasks: []gates.Verified{}}
	done := progress.Start(ctx, "verifying", len(all))
	for _, t := range all {
		one, err := gates.Verify(ctx, w, s, t, in.Matrix)
		if err != nil {
			return VerifyOut{}, verb.WithID(err, t.ID)
		}
		out.Tasks = append(out.Tasks, one)
		done.Add(1)
	}
	return out, nil
}

// tasks are those that are meant.
func (in VerifyIn) tasks(ctx context.Context, s *store.Store) (out []task.Task, err error) {
	given := 0
	for _, is := range []bool{in.ID != "", in.Since != "", in.All} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, verb.BadInput("", "wants an id, since or all, and one of them").WithHint("name a closed task; since COMMIT takes those that were closed since then")
	case in.ID != "":
		t, err := kind.Tasks.Get(s, in.ID)
		return []task.Task{t}, err
	}
	return in.closed(ctx, s)
}

// closed are the tasks that are closed as done, in the order of their ids: all of them, or those that were closed in
// commits since one.
func (in VerifyIn) closed(ctx context.Context, s *store.Store) (out []task.Task, err error) {
	since := ""
	if in.Since != "" {
		if since, err = s.Git().Commit(ctx, "since", in.Since); err != nil {
			return nil, err
		}
	}
	all, _, err := kind.Tasks.List(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if !s.Config.Flow.ClaimsDone(t.Status) {
			continue
		}
		if since != "" {
			before, err := gates.ClosedIn(ctx, s, t, since)
			if err != nil {
				return nil, err
			}
			if before {
				continue
			}
		}
		out = append(out, t)
	}
	return out, nil
}
