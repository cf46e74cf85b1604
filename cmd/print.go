package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/task"
)

// output is standard output. It remembers the first error, so that a full disk does not pass for success.
type output struct {
	to    io.Writer
	err   error
	meter *meter // whose line is erased first
}

func (o *output) Write(b []byte) (int, error) {
	o.meter.clear()
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// printf prints for people. Each text among the arguments is made harmless and kept on one line, whatever its source. Two
// types are exceptions: lines keeps its line breaks, and painted is printed as it is.
func (p *program) printf(format string, args ...any) { fprintf(p.out, format, args...) }

// lines is text that may have several lines.
type lines string

// painted is text that is safe to print as it is: a style made it so, and may have put colours around it.
type painted string

// fprintf is printf on any stream. Errors are for the stream to remember.
func fprintf(out io.Writer, format string, args ...any) {
	for i, arg := range args {
		args[i] = harmlessArg(arg)
	}
	_, _ = fmt.Fprintf(out, format, args...)
}

// harmlessArg is an argument as fprintf prints it.
func harmlessArg(arg any) any {
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

// printJSON prints a value as JSON. If that is impossible, the program exits with a failure.
func (p *program) printJSON(v any) {
	line, err := harmless.Marshal(v)
	var text bytes.Buffer
	if err == nil {
		err = json.Indent(&text, line, "", "  ")
	}
	if err != nil {
		fprintf(p.Stderr, "cairn: the result does not make JSON: %v\n", err)
		p.exit = exitFailure
		return
	}
	text.WriteByte('\n')
	_, _ = text.WriteTo(p.out)
}

// style says whether text is coloured.
type style bool

const plainStyle style = false

// style is coloured on a terminal, unless NO_COLOR is set.
func (p *program) style() style {
	_, terminal := isTerminal(p.Stdout)
	return style(terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb")
}

// width is how many columns a line may have; 0 is without limit.
func (p *program) width() int {
	width, ok := isTerminal(p.Stdout)
	if !ok {
		return 0
	}
	return width
}

func (s style) paint(code, text string) painted {
	text = harmless.Line(text)
	if !s {
		return painted(text)
	}
	return painted("\x1b[" + code + "m" + text + "\x1b[0m")
}

func (s style) dim(text string) painted  { return s.paint("2", text) }
func (s style) bold(text string) painted { return s.paint("1", text) }
func (s style) good(text string) painted { return s.paint("32", text) }
func (s style) bad(text string) painted  { return s.paint("31", text) }

func (s style) result(r task.Result) painted {
	switch r {
	case task.Pass:
		return s.good("pass   ")
	case task.Fail:
		return s.bad("FAIL   ")
	case task.Pending:
	}
	return "pending"
}
