package main

import (
	"os"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, nil) }

// Agents that go around what is at work meet less than a fifth of the conflicts, at 80 % of the throughput or more.
func TestSlowCrowd(t *testing.T) {
	slowtest.Skip(t)
	all, err := run(t.Context(), os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	off, avoid := all["off"], all["avoid"]
	if off.conflicts < 10 || 5*avoid.conflicts >= off.conflicts {
		t.Errorf("%d conflicts, and %d without: want under a fifth", avoid.conflicts, off.conflicts)
	}
	if avoid.throughput() < 0.8*off.throughput() {
		t.Errorf("%.0f tasks in 100 ticks, and %.0f without: want 80 %%", avoid.throughput(), off.throughput())
	}
}
