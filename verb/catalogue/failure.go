package catalogue

import (
	"errors"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

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

// FailureOf is an error as a front-end shows it. Of the verbs to call next it names the first that the caller may call.
func FailureOf(err error, rights verb.Rights) Failure {
	var e *task.Error
	if !errors.As(err, &e) {
		e = task.Errorf(task.IO, "%w", err)
	}
	body := FailureBody{
		Code: e.Code, Message: e.Error(), Hint: e.Hint, Retryable: e.Code.Info().Retryable && !e.Final, Details: e.Details,
	}
	for _, next := range e.Next {
		if v, ok := Named(next.Verb); ok && rights.Allow(v) == nil {
			body.NextTool, body.NextArguments = next.Verb, next.Args
			break
		}
	}
	return Failure{body}
}
