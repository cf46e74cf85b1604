package check

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// outputGrace is how long the output may stay open after the command has exited. A process substitution finishes in
// it; a forgotten server does not.
const outputGrace = 2 * time.Second

// errTimeUp is the cause of a context that ended because of the check's own time limit.
var errTimeUp = errors.New("time limit reached")

// Spec is one command to run.
type Spec struct {
	Cmd     string        // handed to sh -c
	Root    string        // the workspace's folder, absolute
	Cwd     string        // the folder as declared, relative to Root; "" and "." are Root itself
	Timeout time.Duration // the time limit, more than 0
	Env     []string      // "NAME=value" each; nil is the environment of this process. GIT_* is removed from either
}

// Run runs a command to its end, its time limit or the end of ctx, whichever comes first. When it returns, what the
// command started has ended, as far as the package promises. However the command ended, the error is nil: the Outcome
// tells.
//
// It fails with INVALID_INPUT if the spec has no command, no time limit or no usable folder, with NO_SHELL if there is
// no sh on PATH, and with IO if the system refuses to start or watch a process.
func Run(ctx context.Context, s Spec) (Outcome, error) {
	if strings.TrimSpace(s.Cmd) == "" {
		return Outcome{}, task.Errorf(task.InvalidInput, "the check has no command")
	}
	if s.Timeout <= 0 {
		return Outcome{}, task.Errorf(task.InvalidInput, "the check has no time limit")
	}
	dir, err := Dir(s.Root, s.Cwd)
	if err != nil {
		return Outcome{}, err
	}
	sh, err := shell()
	if err != nil {
		return Outcome{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.Timeout, errTimeUp)
	defer cancel()
	cmd := exec.CommandContext(ctx, sh, "-c", s.Cmd)
	cmd.Dir = dir
	cmd.Env = withoutGit(s.Env)
	return run(ctx, cmd)
}

// run starts cmd as a group, with all that will come of it, and sees to it that the group is gone at the end.
func run(ctx context.Context, cmd *exec.Cmd) (Outcome, error) {
	g, err := newGroup(cmd)
	if err != nil {
		return Outcome{}, task.Errorf(task.IO, "cannot prepare a process group: %w", err)
	}
	defer g.close()

	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = outputGrace
	stopped := false // written by Cancel, which Wait waits for
	cmd.Cancel = func() error {
		stopped = true
		return g.kill()
	}

	start := time.Now()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return unstarted(ctx), nil
		}
		return Outcome{}, task.Errorf(task.IO, "cannot start the check: %w", err)
	}
	err = errors.Join(g.join(), cmd.Wait())
	_ = g.kill() // leftovers in the background; nobody left is the usual case
	if cmd.ProcessState == nil {
		return Outcome{}, task.Errorf(task.IO, "cannot tell how the check ended: %w", err)
	}

	o := ended(cmd.ProcessState)
	o.Duration = time.Since(start)
	o.Output, o.TotalBytes = out.String(), out.total
	if stopped && !o.Passed {
		o.TimedOut, o.Canceled = reason(ctx)
	}
	return o, nil
}

// ended reads how a process ended. Only the exit status counts: an output that a leftover held open is no failure.
func ended(p *os.ProcessState) Outcome {
	return Outcome{Passed: p.Success(), Exit: p.ExitCode(), Signal: signalOf(p)}
}

// unstarted is the outcome of a command whose context was over before it began.
func unstarted(ctx context.Context) Outcome {
	o := Outcome{Exit: -1}
	o.TimedOut, o.Canceled = reason(ctx)
	return o
}

// reason tells the check's own time limit from everything else that ends a context.
func reason(ctx context.Context) (timedOut, canceled bool) {
	timedOut = errors.Is(context.Cause(ctx), errTimeUp)
	return timedOut, !timedOut
}

// shell finds the POSIX shell.
func shell() (string, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return "", task.Errorf(task.NoShell, "there is no sh to run checks with: %w", err).
			WithHint("install a POSIX shell (on Windows: Git for Windows) and put the folder of sh on PATH")
	}
	return sh, nil
}

// withoutGit returns the environment without git's own variables.
func withoutGit(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	kept := make([]string, 0, len(env))
	for _, v := range env {
		if !strings.HasPrefix(v, "GIT_") {
			kept = append(kept, v)
		}
	}
	return kept
}
