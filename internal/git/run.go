package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Run runs git in a folder, as command starts it, and returns its standard output.
//
// If git cannot be started or fails, the output is what was printed until then, and the error has the code GIT. Its
// cause is an *exec.ExitError if git ran, and ctx's error if ctx ended, in which case git was killed.
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

// runReading is runInput for an output that may be too long for memory: read gets it while git runs. If read fails, git
// is killed, and the error of read is returned.
func runReading(ctx context.Context, in io.Reader, read func(*bufio.Reader) error, dir string, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(ctx, dir, args...)
	cmd.Stdin = in
	return reading(ctx, cancel, cmd, read, args)
}

// reading starts a command whose output read gets while it runs. cancel ends the command.
func reading(ctx context.Context, cancel func(), cmd *exec.Cmd, read func(*bufio.Reader) error, args []string) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return explain(ctx, err, cmd.Dir, args)
	}
	failed := read(bufio.NewReaderSize(out, 1<<16))
	if failed != nil {
		cancel()
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		exit.Stderr = stderr.Bytes()
	}
	if err != nil && (failed == nil || errors.Is(failed, io.ErrUnexpectedEOF)) {
		return explain(ctx, err, cmd.Dir, args)
	}
	return failed
}

// records splits an output at NUL bytes.
func records(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// garbled is the error of an output in another form than the command is documented to print.
func garbled(command, line string) error {
	return record.Errorf(record.Git, "git %s printed a line that is not understood: %q", command, line)
}
