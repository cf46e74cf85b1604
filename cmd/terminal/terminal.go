// Package terminal is what the program does with a terminal: reads an answer there, shows in one line that work goes on,
// and gives it back while the process is stopped.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"golang.org/x/term"
)

// ReadAnswer is ReadLine in lower case.
func ReadAnswer(ctx context.Context, in io.Reader) (string, error) {
	line, err := ReadLine(ctx, in)
	return strings.ToLower(line), err
}

// ReadLine reads a line, without the white space around it. The end of input is an empty one.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	answer, err := Interruptible(ctx, func() (string, error) { return bufio.NewReader(in).ReadString('\n') })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return "", record.Errorf(record.IO, "the terminal: %w", err)
	}
	return strings.TrimSpace(answer), nil
}

// Interruptible waits until read is done or ctx ends, so that Ctrl-C ends a question. After that the read goes on in
// the background until the process ends.
func Interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := read()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Is reports whether a stream is a terminal, and how many columns it has.
func Is(stream any) (width int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// LetRendererEnd is to be called before anything else is done with the terminal. Bubbletea 2.1 does not wait for the
// goroutine that draws to stop its ticker. If the goroutine did that only once the terminal was taken back, it would
// stop the ticker of its successor, and nothing would be drawn ever again.
func LetRendererEnd() { time.Sleep(50 * time.Millisecond) }
