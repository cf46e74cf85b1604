package catalogue

import (
	"errors"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Failure is an error as JSON, the same over MCP and on the command line.
type Failure struct {
	Error FailureBody `json:"error"`
}

// FailureBody says what went wrong and what to do next.
type FailureBody struct {
	Code          record.Code    `json:"code"`
	Message       string         `json:"message"`
	Hint          string         `json:"hint"`
	Retryable     bool           `json:"retryable"`
	NextTool      string         `json:"next_tool,omitempty"`
	NextArguments map[string]any `json:"next_arguments,omitempty"`
	Details       map[string]any `json:"details,omitempty"`
}

// FailureOf returns an error as a caller sees it, with the calls in its hint spelled by the front-end. NextTool is the
// first of the calls that help which the caller may make and which has all that its verb requires.
func FailureOf(err error, rights verb.Rights, spell func(record.Call) string) Failure {
	var e *record.Error
	if !errors.As(err, &e) {
		e = record.Errorf(record.IO, "%w", err)
	}
	body := FailureBody{
		Code: e.Code, Message: e.Error(), Hint: e.Hint.Spell(spell), Retryable: e.Code.Info().Retryable && !e.Final, Details: e.Details,
	}
	for _, next := range e.NextCalls() {
		if v, ok := Named(next.Verb); ok && rights.Allow(v) == nil && complete(v, next.Arguments()) {
			body.NextTool, body.NextArguments = next.Verb, next.Arguments()
			break
		}
	}
	return Failure{body}
}

// complete reports whether arguments have all that a verb requires.
func complete(v verb.Verb, args map[string]any) bool {
	return !slices.ContainsFunc(v.Fields(), func(f verb.Field) bool { return f.Required && args[f.Name] == nil })
}
