package cmd

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// printf prints for people. Text among the arguments is made safe, wherever it came from; only what style painted is not.
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
			args[i] = safe(fmt.Sprint(arg))
		}
	}
	_, _ = fmt.Fprintf(out, format, args...)
}

// safe makes text harmless for a terminal: control characters, which could move the cursor, rewrite what was printed or
// answer for the person, become a mark, and so do those that turn the direction of writing around. Line breaks and tabs
// stay.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case hidden(r):
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// safeJSON is safe for JSON: what would become a mark is written as an escape, which means the same.
func safeJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		if hidden(r) && r != '\n' {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || isBidi(r) }

// oneLine keeps what must not look like two lines on one.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
