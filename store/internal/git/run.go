package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
)

// Run starts git in a folder and returns what it printed on standard output. command says what git is kept from.
//
// If git cannot be started or fails, the output is what was printed so far and the error has the code GIT; its cause is
// an *exec.ExitError if git ran, and ctx's error if ctx ended, in which case git has been killed.
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return runInput(ctx, nil, dir, args...)
}

// runInput is Run with an input.
func runInput(ctx context.Context, in io.Reader, dir string, args ...string) ([]byte, error) {
	return output(ctx, command(ctx, dir, args...), in, args)
}

// output starts a command and returns what it printed.
func output(ctx context.Context, cmd *exec.Cmd, in io.Reader, args []string) ([]byte, error) {
	cmd.Stdin = in
	out, err := cmd.Output()
	if err != nil {
		return out, explain(ctx, err, cmd.Dir, args)
	}
	return out, nil
}

// runReading is runInput for an output that is too long to be held: read is called with it while git runs. If read fails
// git is killed, and its error returns.
func runReading(ctx context.Context, in io.Reader, read func(*bufio.Reader) error, dir string, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(ctx, dir, args...)
	cmd.Stdin = in
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return explain(ctx, err, dir, args)
	}
	failed := read(bufio.NewReaderSize(out, 1<<16))
	if failed != nil {
		cancel()
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		exit.Stderr = said.Bytes()
	}
	if err != nil && (failed == nil || errors.Is(failed, io.ErrUnexpectedEOF)) {
		return explain(ctx, err, dir, args)
	}
	return failed
}
