// Command embed uses cairn's verbs from another Go program, as a bot or a bridge to another tracker would: it makes a
// workspace in a new folder, creates a task, settles its criterion, closes it, and prints what it did.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn"
)

func main() {
	dir, err := os.MkdirTemp("", "cairn-embed-")
	if err == nil {
		err = run(context.Background(), dir, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
	fmt.Println("The task file is under", filepath.Join(dir, ".cairn", "tasks"))
}

func run(ctx context.Context, dir string, out io.Writer) error {
	if err := cairn.Init(dir, "DEMO"); err != nil {
		return err
	}
	w, err := cairn.Open(dir, cairn.As("service:bot"))
	if err != nil {
		return err
	}
	defer w.Close()
	var made cairn.Task
	if err := w.Call(ctx, "create", cairn.Args{"title": "Say hello", "acceptance": []string{"it is friendly"}}, &made); err != nil {
		return err
	}
	for _, step := range []struct {
		verb string
		args cairn.Args
	}{
		{"transition", cairn.Args{"id": made.ID, "to": "done"}}, // refused: the criterion is not settled
		{"attest", cairn.Args{"id": made.ID, "check": "friendly", "pass": true}},
		{"transition", cairn.Args{"id": made.ID, "to": "done"}},
	} {
		var t cairn.Task
		if err := w.Call(ctx, step.verb, step.args, &t); err != nil {
			fmt.Fprintf(out, "refused with %s: %v\n", cairn.CodeOf(err), err)
			continue
		}
		fmt.Fprintf(out, "%s: %s is %s\n", step.verb, t.ID, t.Status)
	}
	return nil
}
