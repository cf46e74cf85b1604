package cairn_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn"
)

func opened(t *testing.T, options ...cairn.Option) *cairn.Workspace {
	t.Helper()
	dir := t.TempDir()
	if err := cairn.Init(dir, "T"); err != nil {
		t.Fatal(err)
	}
	w, err := cairn.Open(dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestCall(t *testing.T) {
	w := opened(t, cairn.As("service:bot"))
	var made cairn.Task
	if err := w.Call(t.Context(), "create", cairn.Args{"title": "x"}, &made); err != nil || made.Title != "x" {
		t.Fatalf("created %+v, %v", made, err)
	}
	for name, tt := range map[string]struct {
		verb string
		args cairn.Args
		code cairn.Code
	}{
		"no verb":                     {"creat", nil, "INVALID_INPUT"},
		"no argument of it":           {"create", cairn.Args{"titel": "x"}, "INVALID_INPUT"},
		"no task":                     {"get", cairn.Args{"id": "T-none"}, "NOT_FOUND"},
		"an argument that no JSON is": {"get", cairn.Args{"id": func() {}}, "INVALID_INPUT"},
		"what only a person may do":   {"delete", cairn.Args{"id": made.ID}, "FORBIDDEN"},
	} {
		if err := w.Call(t.Context(), tt.verb, tt.args, nil); cairn.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
	if err := w.Call(t.Context(), "list", nil, nil); err != nil {
		t.Errorf("a call without input: %v", err)
	}
}

func TestRights(t *testing.T) {
	w := opened(t, cairn.As("service:bot"), cairn.With(cairn.Viewer))
	if err := w.Call(t.Context(), "create", cairn.Args{"title": "x"}, nil); cairn.CodeOf(err) != "FORBIDDEN" {
		t.Errorf("a viewer creates: %v", err)
	}
	if _, err := cairn.Open(t.TempDir()); cairn.CodeOf(err) != "NO_WORKSPACE" {
		t.Errorf("no workspace: %v", err)
	}
	if _, err := cairn.Open(t.TempDir(), cairn.As("ada")); cairn.CodeOf(err) != "INVALID_INPUT" {
		t.Errorf("no actor: %v", err)
	}
	nobody := opened(t)
	if err := nobody.Call(t.Context(), "create", cairn.Args{"title": "x"}, nil); err == nil {
		t.Error("nobody creates a task")
	}
}

func TestWatch(t *testing.T) {
	w := opened(t, cairn.As("service:bot"))
	ticks, stop, err := w.Watch()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := w.Call(t.Context(), "create", cairn.Args{"title": "x"}, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ticks:
	case <-time.After(time.Minute):
		t.Error("no tick after a write")
	}
}
