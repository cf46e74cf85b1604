// Command embed uses cairn's verbs from another Go program, as a bot or a bridge to another tracker would: it makes a
// workspace in a new folder, creates a task, settles its criterion, closes it, and prints what it did.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
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

// args is the input of a verb, as in the reference page and over MCP.
type args map[string]any

func run(ctx context.Context, dir string, out io.Writer) error {
	if _, _, err := store.Init(dir, "DEMO"); err != nil {
		return err
	}
	w := &verb.Workspace{
		Dir: dir, StateDir: filepath.Join(dir, ".state"), Actor: verb.As("service:bot"), Rights: verb.Rights{Profile: verb.Operator},
		Now: time.Now, Rand: rand.Reader,
	}
	made, err := do(ctx, w, "create", args{"title": "Say hello", "acceptance": []string{"it is friendly"}})
	if err != nil {
		return err
	}
	for _, step := range []struct {
		verb string
		args args
	}{
		{"transition", args{"id": made.ID, "to": "done"}}, // refused: the criterion is not settled
		{"attest", args{"id": made.ID, "check": "friendly", "pass": true}},
		{"transition", args{"id": made.ID, "to": "done"}},
	} {
		t, err := do(ctx, w, step.verb, step.args)
		if err != nil {
			refusal := catalogue.FailureOf(err, w.Rights, catalogue.CommandLine).Error
			fmt.Fprintf(out, "refused with %s: %s\n", refusal.Code, refusal.Message)
			continue
		}
		fmt.Fprintf(out, "%s: %s is %s\n", step.verb, t.ID, t.Status)
	}
	return nil
}

// do calls a verb that returns a task.
func do(ctx context.Context, w *verb.Workspace, name string, in args) (verb.Task, error) {
	v, ok := catalogue.Named(name)
	if !ok {
		return verb.Task{}, fmt.Errorf("there is no verb %s", name)
	}
	input, err := json.Marshal(in)
	if err != nil {
		return verb.Task{}, err
	}
	out, err := v.Call(ctx, w, input)
	if err != nil {
		return verb.Task{}, err
	}
	return out.(verb.Task), nil
}
