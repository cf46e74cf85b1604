//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
)

// A program of every dialect does a job from its start to the hand-over: it breaks off without a word, is gone on with
// in the same session, and hands over with the tool finish of cairn, or by its last message. `command` has no session
// to go on with.
func TestSlowEveryExecutorDoesAJob(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, len(executortest.Dialects), "")
	var config strings.Builder // the program that acts as cairn here is told so by a variable, which an executor does not inherit
	config.WriteString("executors:\n")
	for _, dialect := range executortest.Dialects {
		orders := []string{
			"fresh write " + dialect + ".txt begun", "fresh exit 0",
			"resumed append " + dialect + ".txt ended", "resumed finish handed over by " + dialect, "say handed over by " + dialect,
		}
		if dialect == "command" {
			orders = []string{"write command.txt begun", "append command.txt ended", "say handed over by command"}
		}
		cmd, _ := json.Marshal([]string{executortest.Fake(t), dialect})
		env, _ := json.Marshal("fake: " + strings.Join(orders, "\nfake: "))
		fmt.Fprintf(&config, "  %s: {cmd: %s, env: {FAKE_AGENT: %s, %s: '1'}}\n", dialect, cmd, env, programVar)
	}
	if err := os.WriteFile(filepath.Join(w.home, ".config", "cairn", "config.yaml"), []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, dialect := range executortest.Dialects {
		one := parseJob(t, w.cairn(t, "job", "start", fmt.Sprintf("T-%d", i+1), "--executor", dialect, "--foreground", "--json"))
		if one.State != "SUCCEEDED" || !strings.HasSuffix(one.Summary, "handed over by "+dialect) {
			t.Errorf("%s: %+v", dialect, one)
		}
		if got := w.git(t, "show", fmt.Sprintf("cairn/T-%d:%s.txt", i+1, dialect)); got != "begun\nended\n" {
			t.Errorf("%s: the branch has %q", dialect, got)
		}
		changed := strings.Fields(w.git(t, "diff", "--name-only", fmt.Sprintf("HEAD...cairn/T-%d", i+1), "--", ":!.cairn"))
		if len(changed) != 1 {
			t.Errorf("%s: the branch changes %q", dialect, changed)
		}
	}
}
