// Package verbtest calls verbs in workspaces made for tests.
package verbtest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Args is the input of a verb.
type Args map[string]any

// EmptyFolder is an agent in a folder that is no workspace.
func EmptyFolder(t testing.TB, p verb.Profile) *verb.Workspace {
	t.Helper()
	return &verb.Workspace{
		Dir: t.TempDir(), StateDir: filepath.Join(t.TempDir(), "state"), ConfigDir: filepath.Join(t.TempDir(), "config"), Actor: verb.As("agent:claude-1"), Rights: verb.Rights{Profile: p},
		Now: time.Now, Rand: rand.Reader,
	}
}

// NewWorkspace is a person in a new workspace outside git, which is trusted. The person confirms everything.
func NewWorkspace(t testing.TB) *verb.Workspace {
	t.Helper()
	w := EmptyFolder(t, verb.Maintainer)
	w.Actor = verb.As("human:lee")
	w.Confirm = func(context.Context, []task.Ask) error { return nil }
	if _, _, err := store.Init(w.Dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	s, err := w.Open()
	if err == nil {
		err = s.SetTrust(w.Actor(), time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ApproveAll lets the commands run that are in a trusted workspace, also those that a test wrote by hand.
func ApproveAll(t testing.TB, w *verb.Workspace) {
	t.Helper()
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	commands, err := s.Commands(t.Context(), s)
	if err == nil {
		err = s.Approve(commands)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Call calls a verb and returns its result.
func Call[Out any](t testing.TB, w *verb.Workspace, name string, in Args) (Out, error) {
	t.Helper()
	return CallWith[Out](t, t.Context(), w, name, in)
}

// CallWith is Call under another context than the test's.
func CallWith[Out any](t testing.TB, ctx context.Context, w *verb.Workspace, name string, in Args) (Out, error) { //nolint:revive // the test comes first
	t.Helper()
	v, ok := catalogue.Named(name)
	if !ok {
		t.Fatalf("there is no verb %s", name)
	}
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.Call(ctx, w, input)
	if err != nil {
		var none Out
		return none, err
	}
	return out.(Out), nil
}

// Result is what the results of verbs that write have in common.
type Result struct {
	ID       string `json:"id"`
	Job      string `json:"job"`
	Replayed bool   `json:"replayed"`
}

// CallAny calls a verb whose result may be of any type.
func CallAny(t testing.TB, w *verb.Workspace, name string, in Args) (Result, error) {
	t.Helper()
	out, err := Call[any](t, w, name, in)
	src, _ := json.Marshal(out)
	var r Result
	if err := json.Unmarshal(src, &r); err != nil {
		t.Fatal(err)
	}
	return r, err
}

// Must calls a verb that has to succeed.
func Must(t testing.TB, w *verb.Workspace, name string, in Args) Result {
	t.Helper()
	r, err := CallAny(t, w, name, in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}
