// Command cairn keeps a task graph in Markdown files beside the code.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	context.AfterFunc(ctx, stop) // the first signal ends the work in good order, the second the process
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return cmd.Main(ctx, cmd.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now, Rand: rand.Reader,
	})
}
