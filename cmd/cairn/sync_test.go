//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Clones that write and sync at the same time, and are killed at it, lose nothing: in the end each has every note, a
// clean work tree, and nothing of an unfinished merge. SYNCS=5x40 has five clones sync forty times each.
func TestSlowSyncsLoseNothing(t *testing.T) {
	slowtest.Skip(t)
	clones, rounds := sized(t, "SYNCS", 3, 8)
	f := newFleet(t, clones, 4)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir() // where git finds the merge driver
	if err := os.Symlink(self, filepath.Join(bin, "cairn")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, w := range f.clones {
		w.git(t, "config", "user.name", "shah")
		w.git(t, "config", "user.email", "shah@example.com")
		w.cairn(t, "trust", "--yes")
	}
	var all sync.WaitGroup
	for i, w := range f.clones {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for n := range rounds {
				id := fmt.Sprintf("T-%d", 1+random.IntN(4))
				if out, err := w.as(t, "agent:a", "note", id, fmt.Sprintf("note %d of %d", n, i)).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				command := w.as(t, "agent:a", "sync")
				var out strings.Builder
				command.Stdout, command.Stderr = &out, &out
				start(t, command)
				if random.IntN(2) == 0 {
					time.AfterFunc(time.Duration(random.IntN(700))*time.Millisecond, func() { _ = command.Process.Kill() })
				}
				_ = command.Wait()
				said := out.String()
				if strings.Contains(said, "cairn: sync:") && !strings.Contains(said, "others pushed to") && !strings.Contains(said, "was not pushed") {
					t.Errorf("clone %d: %s", i, said)
				}
			}
		})
	}
	all.Wait()
	for range 2 {
		for _, w := range f.clones {
			w.cairn(t, "sync")
		}
	}
	for i, w := range f.clones {
		if left := w.git(t, "status", "--porcelain", "--branch"); strings.Count(left, "\n") != 1 || strings.Contains(left, "[") {
			t.Errorf("clone %d is not as the remote is:\n%s", i, left)
		}
		if trees := w.git(t, "worktree", "list"); strings.Count(trees, "\n") != 1 {
			t.Errorf("clone %d has work trees left:\n%s", i, trees)
		}
		w.cairn(t, "check", "--no-base")
		have := ""
		for n := range 4 {
			have += w.read(filepath.Join(".cairn", "tasks", fmt.Sprintf("T-%d.md", n+1)))
		}
		for c := range clones {
			for n := range rounds {
				if note := fmt.Sprintf("text: note %d of %d}", n, c); strings.Count(have, note) != 1 {
					t.Errorf("clone %d has %q %d times", i, note, strings.Count(have, note))
				}
			}
		}
	}
}
