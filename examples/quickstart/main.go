// Quickstart tells the whole story of cairn on real input: a repository with a failing test, a person at the command
// line, a coding agent on the other end of an MCP connection, and a task that cannot be closed before the test passes.
//
//	go run ./examples/quickstart
//
// It needs Go, git and a POSIX shell, and nothing set up beforehand. Everything happens in a temporary folder with a
// home of its own, which is removed at the end; --keep leaves it there to look around. Each step checks that what it
// tells is what happened, and the program exits with 1 at the first that is not.
//
// story.go is the story; repo.go, shell.go and agent.go are what it takes to tell it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	keep := flag.Bool("keep", false, "leave the repository there at the end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *keep)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "quickstart: %v\n", err)
		os.Exit(1)
	}
}

// run tells the story in a temporary folder. The error says what did not go as told.
func run(ctx context.Context, out io.Writer, keep bool) (err error) {
	dir, err := os.MkdirTemp("", "cairn-quickstart-")
	if err != nil {
		return err
	}
	if keep {
		defer fmt.Fprintf(out, "\nThe repository stays in %s\n", dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	n := &narrator{out: out}
	n.say("Building cairn.")
	r, err := newRepo(ctx, dir)
	if err != nil {
		return err
	}
	return tell(ctx, n, r)
}
