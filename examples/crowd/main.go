// Crowd has ten scripted agents work through sixty tasks at once, in one repository, twice: with agents that take whatever
// is most urgent, and with agents that go around what is at work on the same files. It prints how many merges met a
// conflict, and how long the work took.
//
//	go run ./examples/crowd
//
// It needs Go and git, takes about a minute, and works in a temporary folder that is removed at the end. The agents are no
// programs: each claims a task over cairn's verbs, is at work for as many ticks as the task says, and commits an edit that
// was written down before. What conflicts is done once more on the newest main, which takes time. The same edits, and the
// same clock of ticks, are played both times.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	_, err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "crowd: %v\n", err)
		os.Exit(1)
	}
}

// run plays the work with each setting of collide, and prints a line for each.
func run(ctx context.Context, out io.Writer) (all map[string]result, err error) {
	dir, err := os.MkdirTemp("", "cairn-crowd-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Fprintf(out, "%d tasks, %d agents\n\ncollide  merges  conflicts  ticks  tasks in 100 ticks\n", tasks, agents)
	all = map[string]result{}
	for _, setting := range []string{"off", "avoid"} {
		c, err := newCrowd(ctx, dir, setting)
		if err != nil {
			return all, err
		}
		r, err := c.work(ctx)
		if err != nil {
			return all, err
		}
		all[setting] = r
		fmt.Fprintf(out, "%-7s  %6d  %9d  %5d  %18.0f\n", setting, r.merges, r.conflicts, r.ticks, r.throughput())
	}
	return all, nil
}
