package verb

import (
	"errors"

	"github.com/cairn-tasks/cairn/task"
)

// withID names the task in an error that names none yet.
func withID(err error, id task.ID) error {
	var e *task.Error
	if !errors.As(err, &e) || e.ID != "" || e.Code == task.NotFound {
		return err
	}
	named := *e
	named.ID = string(id)
	return &named
}

// Failure is an error as JSON, the same over MCP and on the command line.
type Failure struct {
	Error FailureBody `json:"error"`
}

// FailureBody says what went wrong and what to do next.
type FailureBody struct {
	Code          task.Code      `json:"code"`
	Message       string         `json:"message"`
	Hint          string         `json:"hint"`
	Retryable     bool           `json:"retryable"`
	NextTool      string         `json:"next_tool,omitempty"`
	NextArguments map[string]any `json:"next_arguments,omitempty"`
	Details       map[string]any `json:"details,omitempty"`
}

// FailureOf is what a caller is told about an error. A next verb that the caller may not call is left out.
func FailureOf(err error, rights Rights, who task.Actor) Failure {
	var e *task.Error
	if !errors.As(err, &e) {
		e = task.Errorf(task.IO, "%w", err)
	}
	body := FailureBody{
		Code: e.Code, Message: e.Error(), Hint: e.Hint, Retryable: e.Code.Info().Retryable, Details: e.Details,
	}
	if e.Next != nil {
		if v, ok := Named(e.Next.Verb); ok && rights.Allow(v, who) == nil {
			body.NextTool, body.NextArguments = e.Next.Verb, e.Next.Args
		}
	}
	return Failure{body}
}
