//go:build linux

package cmd

import (
	"io"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store/storetest"
)

// The first command of a person in a clone says in one line what the clone lacks, and the next says nothing of it; nor is
// an agent told, or whoever wants JSON.
func TestTheFirstCommandSuggestsJoin(t *testing.T) {
	a := newAtTerminal(t)
	storetest.Git(t, a.Dir, "init", "-q", "-b", "main")
	says := func(args ...string) string {
		t.Helper()
		a.exits(0, a.run(t.Context(), args...))
		if _, err := io.WriteString(a.Stderr, "end"); err != nil {
			t.Fatal(err)
		}
		return awaitText(t, a.keys, "end")
	}
	a.setenv("CLAUDECODE", "1")
	if seen := says("list"); strings.Contains(seen, "cairn join") {
		t.Errorf("an agent is told %q", seen)
	}
	a.setenv("CLAUDECODE", "")
	if seen := says("list", "--json"); strings.Contains(seen, "cairn join") {
		t.Errorf("with --json it says %q", seen)
	}
	want := "cairn: this clone lacks merge driver, consent to the commands; cairn join sets that up"
	if seen := says("list"); !strings.Contains(seen, want) {
		t.Errorf("the first command says %q", seen)
	}
	if seen := says("list"); strings.Contains(seen, "cairn join") {
		t.Errorf("the second command says %q", seen)
	}
}
