package verb

import (
	"errors"
	"slices"

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

// FailureOf returns an error as a caller sees it, with the calls in its hint spelled by the front-end. NextTool is the first of the
// calls that help which the caller may make and which has all that its verb requires.
func FailureOf(err error, rights Rights, spell func(task.Call) string) Failure {
	var e *task.Error
	if !errors.As(err, &e) {
		e = task.Errorf(task.IO, "%w", err)
	}
	body := FailureBody{
		Code: e.Code, Message: e.Error(), Hint: e.Hint.Spell(spell), Retryable: e.Code.Info().Retryable && !e.Final, Details: e.Details,
	}
	for _, next := range e.NextCalls() {
		if v, ok := Named(next.Verb); ok && rights.Allow(v) == nil && v.takes(next.Args) {
			body.NextTool, body.NextArguments = next.Verb, next.Args
			break
		}
	}
	return Failure{body}
}

// takes reports whether arguments have all that the verb requires.
func (v Verb) takes(args map[string]any) bool {
	return !slices.ContainsFunc(v.Fields, func(f Field) bool { return f.Required && args[f.Name] == nil })
}
