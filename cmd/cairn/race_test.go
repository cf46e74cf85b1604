package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

const (
	racers = 8 // processes that change one task at the same time
	rounds = 5
)

// If many processes change a task with the same expected revision, exactly one succeeds. The others are refused for the
// changed revision, and write nothing.
func TestSlowOneOfManyWhoExpectARevisionWins(t *testing.T) {
	slowtest.Skip(t)
	w := newWorkspace(t, "true", 60)
	for range rounds {
		before := show(t, w)
		var processes []*exec.Cmd
		for i := range racers {
			p := w.command(t, "update", "T-1", "--expected-rev", before.Rev, "--title", fmt.Sprintf("%s of %d", before.Rev, i))
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, p)
		}
		var titles []string
		for i, p := range processes {
			_ = p.Wait()
			switch exit := p.ProcessState.ExitCode(); exit {
			case 0:
				titles = append(titles, fmt.Sprintf("%s of %d", before.Rev, i))
			case 5:
			default:
				t.Errorf("racer %d exits with %d", i, exit)
			}
		}
		after := show(t, w)
		if len(titles) != 1 || after.Title != titles[0] || len(after.Provenance) != len(before.Provenance)+1 {
			t.Errorf("there are the winners %q, and the task became %+v", titles, after)
		}
	}
}

type shown struct {
	Title      string
	Rev        string
	Provenance []json.RawMessage
}

// show is the task as it is now.
func show(t *testing.T, w workspace) (one shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(w.cairn(t, "get", "T-1", "--json")), &one); err != nil {
		t.Fatal(err)
	}
	return one
}
