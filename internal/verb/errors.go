package verb

import (
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
)

// WithID names the task in an error that names none yet.
func WithID(err error, id record.ID) error {
	var e *record.Error
	if id == "" || !errors.As(err, &e) || e.ID != "" || e.Code == record.NotFound {
		return err
	}
	named := *e
	named.ID = string(id)
	return &named
}

// WithSession is WithID for an error about a session.
func WithSession(err error, id string) error { return WithID(err, record.ID(id)) }

// BadInput returns INVALID_INPUT about the field at a path, such as checks[0].cmd, or about the whole input for "".
func BadInput(path, format string, args ...any) *record.Error {
	msg := fmt.Sprintf(format, args...)
	if path != "" {
		msg = path + " " + msg
	}
	return record.Errorf(record.InvalidInput, "%s", msg)
}
