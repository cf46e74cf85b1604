package jobs

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/task"
)

const readyAtOnce = 500 // tasks of a page of the list

// Ready returns tasks on which a job may begin now, at most so many, the most urgent first: those that are ready, not
// started, not for a pair, and with their files in this workspace. A label narrows them, and so does skip. By the time a job is started one of them may be taken; see LeftAlone.
func Ready(ctx context.Context, w *verb.Workspace, label string, most int, skip func(record.ID) bool) (found []verb.Row, err error) {
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	ready := true
	in := tasks.ListIn{Ready: &ready, Status: []string{string(s.Config.Flow.Initial)}, Label: label, Limit: readyAtOnce}
	for {
		page, err := tasks.List(ctx, w, s, in)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Tasks {
			switch {
			case len(found) == most:
				return found, nil
			case row.Mode == task.PairMode || row.Repo != "" || skip(row.ID):
			default:
				found = append(found, row)
			}
		}
		if in.Cursor = page.NextCursor; in.Cursor == "" {
			return found, nil
		}
	}
}

// LeftAlone reports whether an error of Start says that somebody else was faster at the task, or that no job can do it:
// whoever goes through a list of tasks goes on with the next.
func LeftAlone(err error) bool {
	return slices.Contains([]record.Code{
		record.AlreadyClaimed, record.TaskTypeMismatch, record.TaskClosed, record.DepsOpen, record.Elsewhere, record.SessionLive, record.NotYours, record.Conflict, record.NotFound,
	}, record.CodeOf(err))
}
