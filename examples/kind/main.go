// Command kind is cairn with one more kind of record, the risks of package risk.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/examples/kind/risk"
)

func main() {
	risk.Register()
	dir, _ := os.Getwd()
	os.Exit(cmd.Main(context.Background(), cmd.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now, Rand: rand.Reader,
	}))
}
