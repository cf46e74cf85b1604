package review

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

// startAgain starts the next job of a task that was rejected, like its last one, in the work tree that this left. The
// executor is given the reason with the task (verb.Last). It returns the id of the job.
func startAgain(ctx context.Context, p trees.Place) (string, error) {
	var one jobs.Job
	var err error
	if last, ok := work.Jobs(p.Home).LastOf(p.Task.ID); ok {
		one, err = jobs.Retry(ctx, p.Caller, last.Spec.Job)
	} else {
		one, err = jobs.Start(ctx, p.Caller, jobs.StartIn{ID: p.Task.ID})
	}
	var e *record.Error
	if errors.As(err, &e) {
		told := *e
		told.Msg = "was rejected, and no job was started: " + e.Msg
		return "", &told
	}
	return one.Job, err
}
