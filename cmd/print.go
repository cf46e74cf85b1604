package cmd

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
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

// printf prints for people. Each text among the arguments is made harmless and kept on one line, whatever its source.
// Two types are exceptions: screen.Lines keeps its line breaks, and screen.Painted is printed as it is.
func (p *program) printf(format string, args ...any) { screen.Fprintf(p.out, format, args...) }

// printJSON prints a value as JSON. If that is impossible, the program exits with a failure.
func (p *program) printJSON(v any) {
	line, err := harmless.Marshal(v)
	var text bytes.Buffer
	if err == nil {
		err = json.Indent(&text, line, "", "  ")
	}
	if err != nil {
		screen.Fprintf(p.Stderr, "cairn: the result does not make JSON: %v\n", err)
		p.exit = exitFailure
		return
	}
	text.WriteByte('\n')
	_, _ = text.WriteTo(p.out)
}

// style is coloured on a terminal, unless NO_COLOR is set.
func (p *program) style() screen.Style {
	_, terminal := isTerminal(p.Stdout)
	return screen.Style(terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb")
}

// width is how many columns a line may have; 0 is without limit.
func (p *program) width() int {
	width, ok := isTerminal(p.Stdout)
	if !ok {
		return 0
	}
	return width
}
