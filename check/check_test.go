package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// runSh runs a command in a new, empty workspace with a time limit that no test should meet.
func runSh(t *testing.T, cmd string) Outcome {
	t.Helper()
	return runSpec(t, Spec{Cmd: cmd})
}

func runSpec(t *testing.T, s Spec) Outcome {
	t.Helper()
	if s.Root == "" {
		s.Root = t.TempDir()
	}
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	o, err := Run(t.Context(), s)
	if err != nil {
		t.Fatalf("Run(%q): %v", s.Cmd, err)
	}
	return o
}

func TestHowACommandEnds(t *testing.T) {
	for _, test := range []struct {
		name, cmd, summary string
		passed             bool
		exit               int
		signal             string
	}{
		{"it passes", "true", "passed", true, 0, ""},
		{"it fails", "exit 1", "exit 1", false, 1, ""},
		{"the status is kept", "exit 42", "exit 42", false, 42, ""},
		{"a command is missing", "no-such-command-anywhere", "command not found (exit 127)", false, 127, ""},
		{"the last command decides", "false; true", "passed", true, 0, ""},
		{"it is not shell", "if then (", "exit 2", false, 2, ""},
		{"a signal ends the shell", "kill -SEGV $$", "killed by SIGSEGV", false, -1, "SIGSEGV"},
		{"a signal ends its child", "sh -c 'kill -KILL $$'; exit $?", "exit 137 (SIGKILL)", false, 137, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := runSh(t, test.cmd)
			if o.Passed != test.passed || o.Exit != test.exit || o.Signal != test.signal || o.Summary() != test.summary {
				t.Errorf("got %+v, summary %q", o, o.Summary())
			}
			if o.TimedOut || o.Canceled {
				t.Errorf("it was not stopped, but the outcome says so: %+v", o)
			}
		})
	}
}

func TestBothStreamsAreOneOutput(t *testing.T) {
	o := runSh(t, "echo one; echo two >&2; echo three")
	if want := "one\ntwo\nthree\n"; o.Output != want || o.TotalBytes != int64(len(want)) {
		t.Errorf("got %q, %d bytes", o.Output, o.TotalBytes)
	}
}

func TestThereIsNoInput(t *testing.T) {
	o := runSpec(t, Spec{Cmd: "cat", Timeout: 10 * time.Second})
	if !o.Passed || o.Output != "" {
		t.Errorf("cat should have met the end of its input: %+v", o)
	}
}

func TestTheEnvironmentLosesGitsVariables(t *testing.T) {
	show := `echo "${GIT_DIR-unset} ${GIT_INDEX_FILE-unset} ${MY_GIT_DIR-unset}"`
	t.Run("of this process", func(t *testing.T) {
		t.Setenv("GIT_DIR", "/elsewhere")
		t.Setenv("GIT_INDEX_FILE", "/elsewhere/index")
		t.Setenv("MY_GIT_DIR", "kept")
		if o := runSh(t, show); o.Output != "unset unset kept\n" {
			t.Errorf("got %q", o.Output)
		}
	})
	t.Run("as given", func(t *testing.T) {
		env := []string{"PATH=" + os.Getenv("PATH"), "GIT_DIR=/elsewhere", "MY_GIT_DIR=kept"}
		if o := runSpec(t, Spec{Cmd: show, Env: env}); o.Output != "unset unset kept\n" {
			t.Errorf("got %q", o.Output)
		}
	})
}

// Whoever starts a check does not choose by variables what its runner does. What makes it no easier is kept.
func TestTheEnvironmentBendsNothing(t *testing.T) {
	for variable, kept := range map[string]bool{
		"PYTEST_ADDOPTS=--co": false, "MAKEFLAGS=n": false, "MAKEFLAGS=-j4 -i": false, "MAKEFLAGS= -j4 --jobserver-auth=3,4": true, "MAKEFLAGS=ks": true,
		"GOFLAGS=-run=^$": false, "GOFLAGS=-mod=mod -trimpath": true, "NODE_OPTIONS=--max-old-space-size=4096": true, "NODE_OPTIONS=--require ./a.js": false,
		"NODE_OPTIONS=-r ./a.js": false, "NODE_OPTIONS=--test-only": false, "BASH_ENV=a.sh": false, "PYTHONPATH=src": true,
	} {
		name, _, _ := strings.Cut(variable, "=")
		env := []string{"PATH=" + os.Getenv("PATH"), variable}
		if got := runSpec(t, Spec{Cmd: "printenv " + name, Env: env}).Passed; got != kept {
			t.Errorf("%s is kept: %v", variable, got)
		}
	}
}

func TestItRunsInItsFolder(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	o := runSpec(t, Spec{Cmd: `pwd; echo "$PWD"`, Root: root, Cwd: "a/b"})
	want := filepath.Join(resolved, "a", "b") + "\n"
	if o.Output != want+want {
		t.Errorf("got %q, want %q twice", o.Output, want)
	}
}

func TestASpecThatCannotRun(t *testing.T) {
	for name, s := range map[string]Spec{
		"no command":    {Cmd: " ", Root: ".", Timeout: time.Second},
		"no time limit": {Cmd: "true", Root: "."},
		"no folder":     {Cmd: "true", Root: ".", Cwd: "missing", Timeout: time.Second},
	} {
		if _, err := Run(t.Context(), s); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestThereIsNoShell(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Run(t.Context(), Spec{Cmd: "true", Root: t.TempDir(), Timeout: time.Second})
	if record.CodeOf(err) != record.NoShell {
		t.Fatalf("got %v", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the message has more than one line: %q", err)
	}
}

func TestAContextThatIsOverStartsNothing(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, err := Run(ctx, Spec{Cmd: "touch started", Root: root, Timeout: time.Minute})
	if err != nil || !o.Canceled || o.Passed || o.Exit != -1 {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := os.Stat(filepath.Join(root, "started")); err == nil {
		t.Error("the command ran")
	}
}

func TestACheckThatIsStopped(t *testing.T) {
	o := runSpec(t, Spec{Cmd: "sleep 300", Timeout: 100 * time.Millisecond})
	if !o.TimedOut || o.Canceled || o.Passed || !strings.HasPrefix(o.Summary(), "timed out after ") {
		t.Errorf("at its time limit: got %+v, summary %q", o, o.Summary())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o, err := Run(ctx, Spec{Cmd: "sleep 300", Root: t.TempDir(), Timeout: time.Minute})
	if err != nil || !o.Canceled || o.TimedOut || o.Passed || o.Summary() != "canceled" {
		t.Errorf("at the end of the context: got %+v, %v, summary %q", o, err, o.Summary())
	}
}
