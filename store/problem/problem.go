// Package problem says what is wrong with a file or a folder: it gives errors of the operating system and of the format
// their code, their position and a hint.
package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// IO gives an error of the operating system the code IO and a hint. It returns errors that have a code, and the end of
// a context, as they are.
func IO(err error) error {
	if err == nil || record.CodeOf(err) != "" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return record.Errorf(record.IO, "%w", err).WithHint("%s", remedy(err))
}

// remedy is the hint for an error of the operating system.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return "make room on the disk, or raise the limit, and try again; nothing was half-written"
	case errors.Is(err, fs.ErrNotExist):
		return "it was there a moment ago; bring it back, or go to where it is now, and try again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "check the folder's permissions"
	default:
		return "try again; if that does not help, look at the disk"
	}
}

// Live is IO for the folder of the live state. It returns SANDBOXED if the folder cannot be written, as in many
// sandboxes.
func Live(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return record.Errorf(record.Sandboxed, "%s cannot be written, and the lock lies there", dir).
			WithHint("allow writes to that folder; the MCP server (%s) usually runs outside the sandbox", record.CallTo("serve"))
	}
	if errors.Is(err, disk.ErrNotRegular) {
		e := record.Errorf(record.BadFile, "what cairn keeps in %s is damaged: %w", dir, err)
		return e.WithHint("see what it is, and take it away; only regular files belong there")
	}
	return IO(err)
}

// Hint returns the hint of an error, or "".
func Hint(err error) string {
	var e *record.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint.String()
}

// Problem is a file under .cairn that cannot be read as what it should be.
type Problem struct {
	Path    string      `json:"path"` // from the workspace root, with forward slashes
	Line    int         `json:"line"` // 0 if the problem is not in one line
	Code    record.Code `json:"code"`
	Message string      `json:"message"`
}

// BadFile is the error of a file that is broken: BAD_FILE, with path, line and column at the front of the message. The
// path is from the workspace root, with forward slashes.
func BadFile(path string, err error) *record.Error {
	var at *format.Error
	if !errors.As(err, &at) {
		at = &format.Error{Msg: err.Error()}
	}
	details := map[string]any{"path": path}
	if at.Line > 0 {
		details["line"] = at.Line
		path = fmt.Sprintf("%s:%d", path, at.Line)
	}
	if at.Column > 0 {
		details["column"] = at.Column
		path = fmt.Sprintf("%s:%d", path, at.Column)
	}
	e := record.Errorf(record.BadFile, "%s: %s", path, at.Msg)
	e.Err, e.Details = err, details
	if at.Conflict {
		return e.WithHint("%s, or settle it in an editor", record.CallTo("resolve").ByPerson())
	}
	return e.WithHint("fix the file in an editor, or take the last good one from git")
}

// Of is the problem of a file, for lists that leave the file out. The path is from the workspace root, with forward
// slashes.
func Of(path string, err error) Problem {
	p := Problem{Path: path, Code: record.CodeOf(err), Message: err.Error()}
	var e *record.Error
	if errors.As(err, &e) {
		p.Message = e.Msg
		p.Line, _ = e.Details["line"].(int)
	}
	if p.Code == "" {
		p.Code = record.IO
	}
	return p
}

// Second is the problem of a file of a record that is not read, since the record has another file, which counts.
func Second(path, counts string) Problem {
	return Problem{Path: path, Code: record.BadFile, Message: "is not read, since " + counts + " has the same id"}
}

// Missing reports whether an error says that a file does not exist.
func Missing(err error) bool { return errors.Is(err, os.ErrNotExist) }

// NotRegular is the error of what is no regular file: a folder, a link, a pipe.
func NotRegular(path string) error {
	return record.Errorf(record.BadFile, "%s is not a regular file", filepath.Base(path)).WithHint("put a real file there; links are not followed")
}

// TooLarge is the error of a file that is larger than a record may be.
func TooLarge(path string) error {
	return record.Errorf(record.BadFile, "%s is larger than %d bytes", filepath.Base(path), format.MaxFile).WithHint("move what is long into a file of its own")
}

// Link is the error of a link in place of a file or folder that cairn reads or writes.
func Link(path string) error {
	return record.Errorf(record.InvalidInput, "%s is a link", path).
		WithHint("put a real one there; nothing is read or written through links")
}
