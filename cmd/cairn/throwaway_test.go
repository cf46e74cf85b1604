//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A close that is stopped in the run of a check with its files as they were takes its throw-away work tree away. One that
// is killed, whenever that is, leaves it to the next command, whichever that is; while it lives others leave it alone.
func TestSlowNoThrowawayTreeStays(t *testing.T) {
	slowtest.Skip(t)
	w := newWorkspace(t, "sh sums.sh", 300)
	sums := func(text string) {
		if err := os.WriteFile(filepath.Join(w.dir, "sums.sh"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sums("sleep 300\n")
	storetest.InitRepo(t, w.dir)
	storetest.Git(t, w.dir, "add", "--all")
	storetest.Git(t, w.dir, "commit", "--quiet", "--message", "Plan")
	w.cairn(t, "trust", "--yes")
	w.cairn(t, "start", "T-1")
	sums("true\n")
	next := [][]string{{"note", "T-1", "and on"}, {"check"}, {"doctor"}}
	for i, after := range []int{100, 150, 200, 250, 300, 350, 400, 500, 700, 900, -1, -1, -1, -1, -1} {
		signal := syscall.SIGKILL
		if i%5 == 4 {
			signal = syscall.SIGTERM
		}
		run := w.command(t, "transition", "T-1", "done")
		var said strings.Builder
		run.Stdout, run.Stderr = &said, &said
		start(t, run)
		if after < 0 { // it is in the run
			for deadline := time.Now().Add(slowtest.Patience); len(w.throwaways(t)) == 0 && time.Now().Before(deadline); {
				time.Sleep(5 * time.Millisecond)
			}
			w.cairn(t, "note", "T-1", "still at it")
			if len(w.throwaways(t)) == 0 {
				t.Fatalf("the work tree of a run that goes on was removed, or none was made: %s", &said)
			}
		} else {
			<-time.After(time.Duration(after) * time.Millisecond) // any moment will do
		}
		signalTo(t, run, signal)
		_ = run.Wait()
		left := w.throwaways(t)
		for deadline := time.Now().Add(slowtest.Patience); signal == syscall.SIGKILL && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			w.try(t, next[i%3]...) // what the run started may end a moment later
			if left = w.throwaways(t); len(left) == 0 {
				break
			}
		}
		if len(left) > 0 {
			t.Errorf("after %v at %d and %v: %q", signal, after, next[i%3], left)
		}
	}
}

// throwaways are the throw-away work trees of a workspace, as git has them and on disk.
func (w workspace) throwaways(t testing.TB) []string {
	out, err := filepath.Glob(filepath.Join(filepath.Dir(w.dir), "."+filepath.Base(w.dir)+"-worktrees", "*", ".merge-*"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(storetest.GitOutput(t, w.dir, "worktree", "list")) {
		if strings.Contains(line, ".merge-") {
			out = append(out, line)
		}
	}
	return out
}

// try runs the program, which may refuse.
func (w workspace) try(t testing.TB, args ...string) {
	_ = w.command(t, args...).Run()
}
