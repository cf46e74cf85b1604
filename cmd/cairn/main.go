// Command cairn keeps a task graph in Markdown files beside the code.
package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/internal/proc"
)

func main() {
	if !slices.Contains(os.Args[1:], "serve") { // which keeps what it reads, and is to stay small
		collectLate(os.Getenv)
	}
	os.Exit(run(terminal))
}

func run(terminal func() (io.ReadWriteCloser, error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, stop) // the first signal ends the work, a second one the process; the end of the process needs no stop
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return within(ctx, grace, func() int {
		return cmd.Main(ctx, cmd.Env{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Getenv: os.Getenv, Dir: dir, Now: time.Now, Rand: rand.Reader, Terminal: terminal, Above: proc.Up,
		})
	})
}

// grace is how long the program may take to end after a signal. The server needs nearly all of it. A command that takes
// longer is cut off as by a kill, and the next write cleans up after it.
const grace = 1950 * time.Millisecond

// within returns what work returns. After ctx ends it waits no longer than grace, since work may be in a call that
// cannot be interrupted, such as a write to a full pipe.
func within(ctx context.Context, grace time.Duration, work func() int) int {
	done := make(chan int, 1)
	go func() { done <- work() }()
	select {
	case exit := <-done:
		return exit
	case <-ctx.Done():
	}
	select {
	case exit := <-done:
		return exit
	case <-time.After(grace):
		return cmd.ExitInterrupted
	}
}

// endings are the signals that end the program, without those that its parent has ignored, as nohup does.
func endings() []os.Signal {
	unlessIgnored := []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT}
	return append(slices.DeleteFunc(unlessIgnored, signal.Ignored), syscall.SIGTERM)
}
