package git

import (
	"context"
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
	// A file-system monitor is a program that the repository's own config names; reading must not start it.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = environ()
	cmd.Stdin = in
	cmd.WaitDelay = 2 * time.Second // a child of git that outlives it must not hold us
	out, err := cmd.Output()
	if err != nil {
		return out, explain(ctx, err, dir, args)
	}
	return out, nil
}

// environ is the environment of every git process.
func environ() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			env = append(env, v)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}
