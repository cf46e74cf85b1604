package cmd

import (
	"fmt"
	"io"
	"reflect"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// printf prints for people. Text among the arguments is made harmless, wherever it came from; only what style painted is not.
func (p *program) printf(format string, args ...any) { fprintf(p.out, format, args...) }

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
		if _, ours := arg.(painted); !ours && reflect.ValueOf(arg).Kind() == reflect.String {
			args[i] = harmless.Text(fmt.Sprint(arg))
		}
	}
	_, _ = fmt.Fprintf(out, format, args...)
}
