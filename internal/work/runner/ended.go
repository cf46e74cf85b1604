package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// ended is an error that ends the job, and says how.
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

// Why a watch ends the context of a job.
var (
	errExpired = &ended{job.Expired, "", "its time to live was over before it could run"}
	errTimeout = &ended{job.Failed, job.Timeout, "the time limit was reached"}
	errLost    = &ended{job.Stale, "", "the folder of the job is not this process's any more"}
)

// endOf is how the error of a step ends the job. If the context of the step has ended, that is the reason, whatever the
// step returned.
func endOf(ctx context.Context, err error) *ended {
	var e *ended
	switch {
	case errors.As(context.Cause(ctx), &e):
		return e
	case ctx.Err() != nil: // its supervisor was asked to end, and nobody asked the job to
		return &ended{state: job.Stale, message: "the process that ran the job was asked to end"}
	case errors.As(err, &e):
		return e
	default:
		return &ended{job.Failed, job.InternalError, record.MessageOf(err)}
	}
}

// or makes the error of a step an *ended with this reason, or with CLAIM_LOST if it says that. It leaves an *ended as
// it is, and so the error of a context.
func or(reason job.Reason, err error) error {
	var e *ended
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if record.CodeOf(err) == record.ClaimLost {
		reason = job.ClaimLost
	}
	message := record.MessageOf(err)
	var coded *record.Error
	if errors.As(err, &coded) && !coded.Hint.Empty() {
		message += "; " + coded.Hint.String()
	}
	return &ended{job.Failed, reason, message}
}
