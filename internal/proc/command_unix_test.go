//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestArgumentsReachTheProgramAsTheyAre(t *testing.T) {
	var out bytes.Buffer
	odd := []string{"", "a b", "$HOME", "'", "-n", "two\nlines", "*"}
	end, err := Run(t.Context(), Command{Args: append([]string{"printf", `%s|`}, odd...), Output: &out})
	if err != nil || !end.Passed() || out.String() != strings.Join(odd, "|")+"|" {
		t.Errorf("got %q, %+v, %v", out.String(), end, err)
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	if _, err := Run(t.Context(), Command{Args: []string{"no-such-program-of-cairn"}}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestTheStreamsApart(t *testing.T) {
	var stdout, stderr bytes.Buffer
	c := Command{Line: "cat; echo bad >&2", Stdin: strings.NewReader("good"), Stdout: &stdout, Stderr: &stderr}
	if end, err := Run(t.Context(), c); err != nil || !end.Passed() || stdout.String() != "good" || stderr.String() != "bad\n" {
		t.Errorf("got %q and %q, %+v, %v", stdout.String(), stderr.String(), end, err)
	}
}

func TestAFileIsTheInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, out := run(t, Command{Args: []string{"cat"}, Stdin: f}); out.String() != "from a file" {
		t.Errorf("got %q", out)
	}
}

// The file on which the command was let go is not among its own.
func TestTheGateIsNotInherited(t *testing.T) {
	if _, out := run(t, Command{Line: "if (: <&3) 2>/dev/null; then echo open; fi"}); out.String() != "" {
		t.Error("the command has the file of the gate")
	}
}

func TestAStoppedCommandIsAskedFirst(t *testing.T) {
	dir := t.TempDir()
	end, _ := run(t, Command{Line: `trap 'echo asked >end; exit 0' TERM; echo $$ >shell; while :; do sleep 0.05; done`, Dir: dir, Timeout: time.Second, Grace: time.Minute})
	text, _ := os.ReadFile(filepath.Join(dir, "end"))
	if !end.TimedOut || string(text) != "asked\n" || end.Duration > 20*time.Second {
		t.Errorf("got %+v, %q", end, text)
	}
}

func TestACommandThatDoesNotListenIsKilledAfterItsGrace(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan End, 1)
	go func() {
		end, err := Run(ctx, Command{Line: family, Dir: dir, Grace: 300 * time.Millisecond})
		if err != nil {
			t.Error(err)
		}
		ended <- end
	}()
	all := pids(t, dir, "shell", "child", "grandchild")
	cancel()
	if end := <-ended; !end.Canceled || end.Signal != "SIGKILL" {
		t.Errorf("got %+v", end)
	}
	for _, pid := range all {
		gone(t, pid)
	}
}

// The trace of a start names the job of the command's own environment.
func TestAStartIsReported(t *testing.T) {
	var got Trace
	ctx := Traced(t.Context(), func(t Trace) { got = t })
	_, err := Run(ctx, Command{Line: "true", Env: append(os.Environ(), JobVariable+"=job-one")})
	if err != nil || got.PID == 0 || got.Group == 0 || got.Job != "job-one" {
		t.Errorf("got %+v, %v", got, err)
	}
}
