package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// refusal is why a write was not done, or what has to be confirmed before it is.
type refusal struct {
	Code   record.Code
	Text   string
	Hint   string
	Failed []verb.CheckRun // of the run of checks that the refusal rests on

	Asks  []task.Ask // what has to be confirmed; nil for a refusal
	Asked string

	Do   string     // the verb
	Form url.Values // what was sent
	Back string
	Now  *nowIs // of a record that somebody else changed meanwhile
}

// nowIs is a record as it is now.
type nowIs struct {
	Title  string
	Status record.Status
	Rev    string
	Body   string
}

// Head says in words what was not done.
func (r refusal) Head() string {
	switch r.Do {
	case "transition", "start":
		return "Not moved"
	case "review_apply":
		return map[string]string{"approve": "Not approved", "merge": "Not merged", "reject": "Not sent back"}[r.Form.Get("action")]
	case "update", "create", "knowledge_write", "note", "decision_log":
		return "Not saved"
	}
	return "That did not work"
}

// typed are the fields of forms into which people type or in which they choose; all others go along.
var typed = sync.OnceValue(func() []string {
	return append(optionalNames(),
		"title", "body", "text", "choice", "rationale", "priority", "assignee", "labels", "due", "parent", "deps", "check", "manual",
		"add_deps", "remove_deps", "add_labels", "note", "reason", "executor", "option",
	)
})

// Typed are the fields of the form that have a value, or could: those that are sent again after what was wrong is mended.
func (r refusal) Typed() []string {
	return slices.DeleteFunc(slices.Clone(typed()), func(name string) bool {
		return !r.Form.Has(name) || name == "check" && r.Do == "attest"
	})
}

// Kept are the other fields. What somebody else changed meanwhile has been shown, so the form is for that now.
func (r refusal) Kept() url.Values {
	out := url.Values{}
	for name, values := range r.Form {
		if name != "idempotency_key" && !slices.Contains(r.Typed(), name) {
			out[name] = values
		}
	}
	if r.Now != nil && out.Has("expected_rev") {
		out.Set("expected_rev", r.Now.Rev)
	}
	return out
}

var statusOf = map[record.Code]int{
	record.NotFound: http.StatusNotFound, record.Conflict: http.StatusConflict, record.Forbidden: http.StatusForbidden,
	record.ReadOnly: http.StatusForbidden, record.InvalidInput: http.StatusBadRequest, record.Busy: http.StatusServiceUnavailable,
	record.IO: http.StatusInternalServerError,
}

// explain spells an error as the command line does.
func explain(err error, rights verb.Rights) refusal {
	if a, ok := errors.AsType[asksError](err); ok {
		return refusal{Asks: a.asks, Asked: digest(a.asks)}
	}
	f := catalogue.FailureOf(err, rights, catalogue.CommandLine).Error
	out := refusal{Code: f.Code, Text: record.MessageOf(err), Hint: f.Hint}
	if strings.HasPrefix(out.Hint, "the arguments are ") { // of a command line, and no fields of this form
		out.Hint = ""
	}
	if e, ok := errors.AsType[*record.Error](err); ok {
		if run, ok := e.Details["run"].(*verb.RunReport); ok {
			out.Failed = slices.DeleteFunc(slices.Clone(run.Checks), verb.CheckRun.Stands)
		}
	}
	return out
}
