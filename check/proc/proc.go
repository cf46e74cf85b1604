// Package proc runs one shell command and ends every process that the command started. It knows no task and no check.
//
// A command line goes to the POSIX shell unchanged ("sh -c line"), on Windows too. The command reads an empty standard
// input, and both of its output streams go to one writer. Output is such a writer that keeps a bounded part.
//
// What is guaranteed: when Run returns, every process that the command started has ended, killed without a warning. That
// holds at the time limit, when the context ends, and when the command exits by itself. A background process that is left
// over does not change how the command ended, but one that keeps the output open delays Run by up to two seconds. How far
// the guarantee reaches depends on the system:
//   - Linux: every descendant, even in a session of its own, forked twice, with its environment cleared or its files closed.
//     Each process of a command inherits a mark that it cannot remove (see mark_linux.go). Other processes of this program,
//     other commands included, are not touched.
//   - Other Unix systems: the process group. A process that moves to another group or session (setsid, a daemon, a job of
//     an interactive shell) escapes.
//   - Windows: a job object. A process started before the command joined the job may escape.
//
// The guarantee needs this program to live. If it is killed (SIGKILL, out of memory), a guard process that leads the process
// group kills the group (see guard_unix.go); on Windows the job ends with its last handle.
//
// What is not guaranteed: when this program is killed on Unix, a process in another session or group escapes, and so does the
// whole command if it killed its guard, as "kill 0" does. On Linux these processes cannot be ended: one of another user
// (sudo), a privileged one that removes its mark on purpose, and one that somebody else starts at the command's request (a
// container engine, a service manager, at). A process that hangs in the kernel is killed, but waited for only two seconds.
// Linux behaves like other Unix systems where the limit cannot be set or /proc is not mounted, and for commands nested more
// than three deep. This is no sandbox: a command may do what the user may do.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// outputGrace is how long the output may stay open after the command has exited. A process substitution ends within it; a
// forgotten server does not.
const outputGrace = 2 * time.Second

// ErrNoShell says that PATH has no sh.
var ErrNoShell = errors.New("no sh on PATH")

// errTimeLimit is the cause of a context that ended by the command's own time limit.
var errTimeLimit = errors.New("time limit reached")

// Command is a command line and what it runs with.
type Command struct {
	Line    string        // handed to sh -c
	Dir     string        // the working folder; "" is that of this process
	Env     []string      // "NAME=value" each; nil is the environment of this process
	Timeout time.Duration // the time limit; 0 is none
	Output  io.Writer     // takes both output streams, one write at a time; nil discards them
}

// End is how a command ended.
type End struct {
	Exit     int           // its exit status; -1 if a signal ended it or it never started
	Signal   string        // the signal that ended the shell, e.g. "SIGSEGV", or ""
	TimedOut bool          // it was stopped at its time limit
	Canceled bool          // it was stopped because the caller's context ended
	Duration time.Duration // from the start until its output was closed
}

// Passed reports whether the shell exited with 0.
func (e End) Passed() bool { return e.Exit == 0 }

// Run runs a command to its end, its time limit or the end of ctx, whichever comes first, and then ends every process that the
// command started, as far as the package guarantees. However the command ended, the error is nil.
//
// It returns ErrNoShell if there is no shell, and another error if the system refuses to start or watch a process.
func Run(ctx context.Context, c Command) (End, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return End{}, ErrNoShell
	}
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimeLimit)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, sh, "-c", c.Line)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	return runGroup(ctx, cmd)
}

// runGroup starts cmd as a group of processes and ends the group when cmd is over.
func runGroup(ctx context.Context, cmd *exec.Cmd) (End, error) {
	g, err := newGroup(cmd)
	if err != nil {
		return End{}, fmt.Errorf("cannot prepare a process group: %w", err)
	}
	defer g.close()

	cmd.WaitDelay = outputGrace
	stopped := false // written by Cancel, which Wait waits for
	cmd.Cancel = func() error {
		stopped = true
		return g.kill()
	}

	start := time.Now()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return stoppedBy(ctx, End{Exit: -1}), nil
		}
		return End{}, fmt.Errorf("cannot start the command: %w", err)
	}
	err = errors.Join(g.join(), cmd.Wait())
	_ = g.kill() // processes left in the background; usually there are none
	if cmd.ProcessState == nil {
		return End{}, fmt.Errorf("cannot tell how the command ended: %w", err)
	}
	// Only the exit status counts: that a background process held the output open is no failure.
	end := End{Exit: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd.ProcessState), Duration: time.Since(start)}
	if stopped && !end.Passed() {
		end = stoppedBy(ctx, end)
	}
	return end, nil
}

// stoppedBy says in an end whether the command's own time limit ended ctx, or something else did.
func stoppedBy(ctx context.Context, e End) End {
	e.TimedOut = errors.Is(context.Cause(ctx), errTimeLimit)
	e.Canceled = !e.TimedOut
	return e
}
