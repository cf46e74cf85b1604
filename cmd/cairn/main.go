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
)

func main() { os.Exit(run(terminal)) }

func run(terminal func() (io.ReadWriteCloser, error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal ends the work in good order, the second the process
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return cmd.Main(ctx, cmd.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now, Rand: rand.Reader, Terminal: terminal,
	})
}

// endings are the signals that end the program. One that whoever started it ignores, as nohup does, is none.
func endings() []os.Signal {
	unlessIgnored := []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT}
	return append(slices.DeleteFunc(unlessIgnored, signal.Ignored), syscall.SIGTERM)
}
