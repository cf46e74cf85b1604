package cmd

import (
	"fmt"
	"io"
	"reflect"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// printf prints for people. Each text among the arguments is made harmless and kept on one line, wherever it came from; of
// several lines is only what is marked as lines, and as it is only what style painted.
func (p *program) printf(format string, args ...any) { fprintf(p.out, format, args...) }

// lines is text that may be of several lines.
type lines string

// output remembers that standard output could not be written to: a full disk must not pass for success.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// fprintf is printf on any stream. Its errors are the stream's to remember.
func fprintf(out io.Writer, format string, args ...any) {
	for i, arg := range args {
		args[i] = fit(arg)
	}
	_, _ = fmt.Fprintf(out, format, args...)
}

// fit makes an argument fit to be printed. Numbers and the like are.
func fit(arg any) any {
	switch arg := arg.(type) {
	case painted:
		return arg
	case lines:
		return harmless.Text(string(arg))
	case error, fmt.Stringer:
		return harmless.Line(fmt.Sprint(arg))
	}
	switch kind := reflect.ValueOf(arg).Kind(); kind {
	case reflect.String:
		return harmless.Line(fmt.Sprint(arg))
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer, reflect.Interface:
		return harmless.Line(fmt.Sprintf("%s", arg))
	default:
		return arg
	}
}
