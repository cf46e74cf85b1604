package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// ioError gives what the operating system said a code. Errors that have one keep it, and the end of a context stays what
// it is.
func ioError(err error) error {
	if err == nil || task.CodeOf(err) != "" || errors.Is(err, context.Canceled) {
		return err
	}
	return task.Errorf(task.IO, "%w", err).WithHint("%s", remedy(err))
}

// remedy says what may help against an error of the operating system.
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

// liveError is ioError for the live folder, which sandboxes like to make read-only.
func (l Layout) liveError(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return task.Errorf(task.Sandboxed, "%s cannot be written, and the lock lies there", l.Live).
			WithHint("allow writes to that folder; the MCP server (%s) usually runs outside the sandbox", task.CallTo("serve"))
	}
	if errors.Is(err, disk.ErrNotRegular) {
		e := task.Errorf(task.BadFile, "what cairn keeps in %s is damaged: %w", l.Live, err)
		return e.WithHint("see what it is, and take it away; only regular files belong there")
	}
	return ioError(err)
}

// hintOf is the hint of an error, or "".
func hintOf(err error) string {
	var e *task.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint.String()
}

// Problem is a file under .cairn that cannot be read as what it should be.
type Problem struct {
	Path    string    `json:"path"` // from the workspace root, with forward slashes
	Line    int       `json:"line"` // 0 when no line is to blame
	Code    task.Code `json:"code"`
	Message string    `json:"message"`
}

// badFile turns what is wrong with a file into BAD_FILE, with the place in front.
func (l Layout) badFile(path string, err error) *task.Error {
	var at *frontmatter.Error
	if !errors.As(err, &at) {
		at = &frontmatter.Error{Msg: err.Error()}
	}
	e := task.Errorf(task.BadFile, "%s: %s", place(l.rel(path), at), at.Msg)
	e.Err = err
	e.Details = map[string]any{"path": l.rel(path)}
	for key, n := range map[string]int{"line": at.Line, "column": at.Column} {
		if n > 0 {
			e.Details[key] = n
		}
	}
	return e.WithHint("mend the file in an editor, or take the last good one from git")
}

// problemOf is what a list says about a file that it left out.
func (l Layout) problemOf(path string, err error) Problem {
	p := Problem{Path: l.rel(path), Code: task.CodeOf(err), Message: err.Error()}
	var e *task.Error
	if errors.As(err, &e) {
		p.Message = e.Msg
		p.Line, _ = e.Details["line"].(int)
	}
	if p.Code == "" {
		p.Code = task.IO
	}
	return p
}

func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }

// place is a path, and the line and column in it as far as they are known.
func place(path string, at *frontmatter.Error) string {
	switch {
	case at.Line == 0:
		return path
	case at.Column == 0:
		return fmt.Sprintf("%s:%d", path, at.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", path, at.Line, at.Column)
	}
}
