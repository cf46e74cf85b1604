package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// specs are commands in one folder.
func specs(t *testing.T, cmds ...string) []Spec {
	t.Helper()
	root := t.TempDir()
	var out []Spec
	for _, cmd := range cmds {
		out = append(out, Spec{Cmd: cmd, Root: root, Timeout: time.Minute})
	}
	return out
}

// Each command is reported once, however it ended, and one that cannot be started does not stop the others.
func TestAllReportsEach(t *testing.T) {
	all := specs(t, "true", "exit 3", "true", "echo out; false")
	all[2].Cwd = "nowhere"
	got := make([]string, len(all))
	if err := All(t.Context(), all, 2, func(i int, o Outcome) { got[i] += o.Summary() }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"passed", "exit 3", "not started", "exit 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Two commands that wait for each other end only if they run at the same time. With a width of one, no two commands do.
func TestAllRunsSomeAtATime(t *testing.T) {
	meet := "touch %s; until test -e %s; do sleep 0.01; done"
	all := specs(t, fmt.Sprintf(meet, "a", "b"), fmt.Sprintf(meet, "b", "a"))
	passed := 0
	if err := All(t.Context(), all, 2, func(_ int, o Outcome) {
		if o.Passed {
			passed++
		}
	}); err != nil || passed != 2 {
		t.Errorf("%d passed (%v)", passed, err)
	}
	alone := "mkdir lock && sleep 0.05 && rmdir lock"
	if err := All(t.Context(), specs(t, alone, alone, alone), 1, func(i int, o Outcome) {
		if !o.Passed {
			t.Errorf("command %d was not alone: %s", i, o.Output)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// When the context ends, running commands are stopped and no other is started.
func TestAllStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	err := All(ctx, specs(t, "true", "sleep 60", "sleep 60", "sleep 60"), 1, func(int, Outcome) {
		calls.Add(1)
		cancel()
	})
	if !errors.Is(err, context.Canceled) || calls.Load() != 1 {
		t.Errorf("got %d calls and %v", calls.Load(), err)
	}
}
