// Package proc runs one command and ends every process that the command started. It knows no task and no check.
//
// A command line goes to the POSIX shell unchanged ("sh -c line"), on Windows too; a program with arguments is started
// without one. Without a Stdin the command reads an empty input. Output is a writer that keeps a bounded part of what
// is printed.
//
// What is guaranteed: when Run returns, every process that the command started has ended, killed without a warning
// unless Command.Grace gives one. That holds at the time limit, when the context ends, and when the command exits by
// itself. A background process that is left over does not change how the command ended, but one that keeps the output
// open delays Run by up to two seconds. How far the guarantee reaches depends on the system:
//   - Linux: every descendant, even in a session of its own, forked twice, with its environment cleared or its files closed.
//     Each process of a command inherits a mark that it cannot remove (see sweep_linux.go). Other processes of this program,
//     other commands included, are not touched.
//   - Other Unix systems: the process group. A process that moves to another group or session (setsid, a daemon, a job of
//     an interactive shell) escapes.
//   - Windows: a job object. A process started before the command joined the job may escape.
//
// The guarantee needs this program to live. If it is killed (SIGKILL, out of memory), a guard process that leads the
// process group kills the group (see guard_unix.go); on Windows the job ends with its last handle. What outlives even
// that is found again, by any later process, with the Trace that Traced reported: see Sweep.
//
// What is not guaranteed: when this program is killed on Unix, a process in another session or group escapes until a
// Sweep, and so does the whole command if it killed its guard, as "kill -9 0" does. On Linux these processes cannot be
// ended: one of another user (sudo), a privileged one that removes its mark on purpose, and one that somebody else
// starts at the command's request (a container engine, a service manager, at). A process that hangs in the kernel is
// killed, but waited for only two seconds. Linux behaves like other Unix systems where the limit cannot be set or /proc
// is not mounted, and for commands nested more than three deep. This is no sandbox: a command may do what the user may
// do.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// outputGrace is how long the output may stay open after the command has exited. A process substitution ends within it;
// a forgotten server does not.
const outputGrace = 2 * time.Second

// ErrNoShell says that PATH has no sh.
var ErrNoShell = errors.New("no sh on PATH")

// errTimeLimit is the cause of a context that ended by the command's own time limit.
var errTimeLimit = errors.New("time limit reached")

// Command is a command and what it runs with.
type Command struct {
	Line    string        // handed to sh -c
	Args    []string      // a program, by its absolute path or by a name on PATH, and its arguments: run instead of Line, without a shell
	Dir     string        // the working folder; "" is that of this process
	Env     []string      // "NAME=value" each; nil is the environment of this process
	Timeout time.Duration // the time limit; 0 is none

	// Grace is for how long a command that is stopped, at its time limit or by the context, may go on after SIGTERM was
	// sent to its process group. 0 kills at once, and so does Windows, which has no such signal.
	Grace time.Duration

	Stdin  io.Reader // nil is an empty input. A file is handed over as it is; anything else is copied, and Run waits for its end
	Output io.Writer // takes both output streams, one write at a time; nil discards them
	Stdout io.Writer // takes standard output instead of Output; nil leaves it there
	Stderr io.Writer // takes standard error instead of Output; nil leaves it there
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

// Run runs a command to its end, its time limit or the end of ctx, whichever comes first, and then ends every process
// that the command started, as far as the package guarantees. However the command ended, the error is nil.
//
// It returns ErrNoShell if there is no shell, an error that is exec.ErrNotFound if PATH has no program of the name in
// Args, and another error if the system refuses to start or watch a process.
func Run(ctx context.Context, c Command) (End, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimeLimit)
		defer cancel()
	}
	cmd, err := c.prepare(ctx)
	if err != nil {
		return End{}, err
	}
	g, err := newGroup(cmd)
	if err != nil {
		return End{}, fmt.Errorf("cannot prepare a process group: %w", err)
	}
	defer g.close()

	cmd.WaitDelay = outputGrace
	stopped := false // written by Cancel, which Wait waits for
	cmd.Cancel = func() error {
		stopped = true
		if c.Grace > 0 && g.ask() == nil { // and wait until it has ended and was waited for
			for deadline := time.Now().Add(c.Grace); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				if errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
					break
				}
			}
		}
		return g.kill()
	}

	start := time.Now()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return stoppedBy(ctx, End{Exit: -1}), nil
		}
		return End{}, fmt.Errorf("cannot start the command: %w", err)
	}
	joined := g.join()
	if started, ok := ctx.Value(tracer{}).(func(Trace)); ok {
		started(g.trace(cmd.Environ()))
	}
	g.open()
	err = errors.Join(joined, cmd.Wait())
	_ = g.kill() // processes left in the background; usually there are none
	if cmd.ProcessState == nil {
		return End{}, fmt.Errorf("cannot tell how the command ended: %w", err)
	}
	// Only the exit status counts: that a background process held the output open is no failure.
	end := End{Exit: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd.ProcessState), Duration: time.Since(start)}
	if stopped && (c.Grace > 0 || !end.Passed()) {
		end = stoppedBy(ctx, end)
	}
	return end, nil
}

func (c Command) prepare(ctx context.Context) (*exec.Cmd, error) {
	argv := c.Args
	if len(argv) == 0 {
		sh, err := exec.LookPath("sh")
		if err != nil {
			return nil, ErrNoShell
		}
		argv = []string{sh, "-c", c.Line}
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	return cmd, nil
}

// stoppedBy says in an end whether the command's own time limit ended ctx, or something else did.
func stoppedBy(ctx context.Context, e End) End {
	e.TimedOut = errors.Is(context.Cause(ctx), errTimeLimit)
	e.Canceled = !e.TimedOut
	return e
}
