package verb

import (
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/task"
)

// WithID names the task in an error that names none yet.
func WithID(err error, id task.ID) error {
	var e *task.Error
	if !errors.As(err, &e) || e.ID != "" || e.Code == task.NotFound {
		return err
	}
	named := *e
	named.ID = string(id)
	return &named
}

// WithSession is WithID for an error about a session.
func WithSession(err error, id string) error { return WithID(err, task.ID(id)) }

// BadInput returns INVALID_INPUT about the field at a path, such as checks[0].cmd, or about the whole input for "".
func BadInput(path, format string, args ...any) *task.Error {
	msg := fmt.Sprintf(format, args...)
	if path != "" {
		msg = path + " " + msg
	}
	return task.Errorf(task.InvalidInput, "%s", msg)
}
