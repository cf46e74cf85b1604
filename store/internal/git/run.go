package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Run starts git in a folder and returns what it printed on standard output. It is the one way to start git: without
// input, prompts, translated messages or locks that are not needed, and without the variables GIT_* of the caller, which
// would point it at another repository when the caller is a hook.
//
// If git cannot be started or fails, the output is what was printed so far and the error has the code GIT; its cause is
// an *exec.ExitError if git ran, and ctx's error if ctx ended, in which case git has been killed.
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return runInput(ctx, nil, dir, args...)
}

// runInput is Run with an input.
func runInput(ctx context.Context, in io.Reader, dir string, args ...string) ([]byte, error) {
	cmd := command(ctx, dir, args...)
	cmd.Stdin = in
	out, err := cmd.Output()
	if err != nil {
		return out, explain(ctx, err, dir, args)
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

func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	// A file-system monitor is a program that the repository's own config names; reading must not start it.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = environ()
	cmd.WaitDelay = 2 * time.Second // a child of git that outlives it must not hold us
	return cmd
}

// environ is the environment of every git process. Paths are taken as they are, an object is what its hash says and not what
// replaces it in this clone, its parents are those that it names and not what info/grafts says, and what a partial clone has left out is not fetched: reading needs no network. (Git before
// 2.45 does not know that variable, and fetches.)
func environ() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			env = append(env, v)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE="+os.DevNull, "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
}
