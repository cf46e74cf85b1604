package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/task"
)

// ended is the error of a step that ends the job.
type ended struct {
	state   job.State
	reason  job.Reason
	message string
}

func (e *ended) Error() string { return e.message }

// failed ends the job as FAILED.
func failed(reason job.Reason, format string, args ...any) error {
	return &ended{job.Failed, reason, fmt.Sprintf(format, args...)}
}

// The causes of a context that ended.
var (
	errExpired = &ended{job.Expired, "", "its time to live was over before it could run"}
	errTimeout = &ended{job.Failed, job.Timeout, "the time limit was reached"}
	errLost    = &ended{job.Stale, "", "the folder of the job is not this process's any more"}
)

// canceledBy is the cause of a context that somebody's cancellation ended.
func canceledBy(who task.Actor, reason string) error {
	return &ended{state: job.Canceled, message: job.CanceledBy(who, reason)}
}

// endOf is how a step's error ends the job. ctx is that of the step: if it ended, that is why.
func endOf(ctx context.Context, err error) *ended {
	var e *ended
	switch {
	case errors.As(context.Cause(ctx), &e):
		return e
	case ctx.Err() != nil: // nobody asked for the end of the job, only for that of its supervisor
		return &ended{state: job.Stale, message: "the process that ran the job was asked to end"}
	case errors.As(err, &e):
		return e
	default:
		return &ended{job.Failed, job.InternalError, task.MessageOf(err)}
	}
}

// or gives the reason of a step to its error, unless it has one.
func or(reason job.Reason, err error) error {
	var e *ended
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	message := task.MessageOf(err)
	var coded *task.Error
	if errors.As(err, &coded) && !coded.Hint.Empty() {
		message += "; " + coded.Hint.String()
	}
	return &ended{job.Failed, reason, message}
}
