package mcpserver

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	const limit = 70 << 10 // more than what is read at a time
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name, text string
		want       []string // "!" for one that is too long
	}{
		{"nothing", "", nil},
		{"lines", "a\nbc\n", []string{"a", "bc"}},
		{"the last line without newline", "a\nbc", []string{"a", "bc"}},
		{"empty lines, and the carriage return of another system", "\n\r\na\n", []string{"", "\r", "a"}},
		{"a line of the full length", long(limit) + "\na", []string{long(limit), "a"}},
		{"a line that is longer by one", long(limit+1) + "\na", []string{"!", "a"}},
		{"a line that is much longer", long(5*limit) + "\na", []string{"!", "a"}},
		{"two that are too long", long(2*limit) + "\n" + long(3*limit) + "\na", []string{"!", "!", "a"}},
		{"one that is too long at the end", "a\n" + long(2*limit), []string{"a", "!"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, from := range []io.Reader{strings.NewReader(tt.text), iotest.DataErrReader(strings.NewReader(tt.text))} {
				if got := readAll(t, newLines(from, limit)); !slices.Equal(got, tt.want) {
					t.Errorf("read %.100q, want %.100q", got, tt.want)
				}
			}
		})
	}
}

func readAll(t *testing.T, l *lines) (out []string) {
	t.Helper()
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, errTooLong):
			out = append(out, "!")
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, string(line))
		}
	}
}

// What is too long is not kept: a line may be longer than the memory.
func TestLineThatIsTooLongIsNotKept(t *testing.T) {
	const limit = 1 << 10
	l := newLines(io.MultiReader(io.LimitReader(endless{}, 16<<20), strings.NewReader("\nnext\n")), limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := readAll(t, l)
	runtime.ReadMemStats(&after)
	if !slices.Equal(got, []string{"!", "next"}) {
		t.Errorf("read %.100q", got)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("a line of 16 MiB cost %d bytes", n)
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
