//go:build linux

package cmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"golang.org/x/sys/unix"
)

// pty is a terminal of a size, and the end at which a test sees what is shown.
func pty(t *testing.T, columns uint16) (terminal, seen *os.File) {
	t.Helper()
	seen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = seen.Close() })
	number, err := unix.IoctlGetInt(int(seen.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(seen.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return terminal, seen
}

// progressWorkspace is a trusted workspace with a task whose check waits until the file go is there.
func progressWorkspace(t *testing.T) Env {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	files := map[string]string{
		".cairn/config.yaml":  "prefix: T\n",
		".cairn/tasks/T-1.md": "---\nid: T-1\ntitle: Put up the roof\nstatus: in_progress\nchecks:\n  - {desc: builds, cmd: 'echo begun; until test -e go; do sleep 0.02; done; printf \"\\033[2Jdone\\n\"', result: pending}\n---\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	env := Env{
		Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Dir: dir, Now: time.Now, Rand: cmdtest.Zeros{}, Terminal: cmdtest.Agrees,
		Getenv: func(name string) string {
			return map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "CAIRN_ACTOR": "human:Shah", "TERM": "xterm"}[name]
		},
	}
	env.Args = []string{"trust", "--yes"}
	if exit := Main(t.Context(), env); exit != 0 {
		t.Fatalf("trust exits with %d: %v", exit, env.Stderr)
	}
	return env
}

// awaitText reads from a terminal until a text was shown, and returns all that was.
func awaitText(t *testing.T, seen *os.File, text string) string {
	t.Helper()
	var all strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(all.String(), text); {
		_ = seen.SetReadDeadline(time.Now().Add(slowtest.Patience))
		n, err := seen.Read(buf)
		if err != nil {
			t.Fatalf("%v; the terminal shows %q and never %q", err, all.String(), text)
		}
		all.Write(buf[:n])
	}
	return all.String()
}

// A check shows on a terminal that it runs; with --verbose what it prints, too. Nothing of it stays.
func TestACheckShowsThatItRuns(t *testing.T) {
	env := progressWorkspace(t)
	terminal, seen := pty(t, 60)
	env.Stderr, env.Args = terminal, []string{"--verbose", "run-checks", "T-1"}
	exited := make(chan int)
	go func() { exited <- Main(t.Context(), env) }()
	if got := awaitText(t, seen, "check 1 of 1: builds  "); !strings.Contains(got, "begun\r\n") {
		t.Errorf("the terminal shows %q", got)
	}
	if err := os.WriteFile(filepath.Join(env.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if exit := <-exited; exit != 0 {
		t.Fatalf("exits with %d", exit)
	}
	_, _ = terminal.WriteString("prompt$ ")
	got := awaitText(t, seen, "prompt$ ")
	if strings.Contains(got, "\x1b[2J") || !strings.Contains(got, "done\r\n") || !strings.HasSuffix(got, "\nprompt$ ") && !strings.HasSuffix(got, "\r\x1b[Kprompt$ ") {
		t.Errorf("the terminal shows %q", got)
	}
}

// Ctrl-C while a check runs leaves a clean line.
func TestAnInterruptedCheckLeavesACleanLine(t *testing.T) {
	env := progressWorkspace(t)
	terminal, seen := pty(t, 60)
	env.Stderr, env.Args = terminal, []string{"run-checks", "T-1"}
	ctx, interrupt := context.WithCancel(t.Context())
	exited := make(chan int)
	go func() { exited <- Main(ctx, env) }()
	awaitText(t, seen, "check 1 of 1: builds  ")
	interrupt()
	if exit := <-exited; exit != ExitInterrupted {
		t.Fatalf("exits with %d", exit)
	}
	_, _ = terminal.WriteString("prompt$ ")
	if got := awaitText(t, seen, "prompt$ "); !strings.HasSuffix(got, "\r\x1b[Kprompt$ ") || strings.Contains(got, "begun") {
		t.Errorf("the terminal shows %q", got)
	}
}

// Off a terminal, under --json and on a terminal that cannot erase a line, nothing is said of it.
func TestNothingIsShownToAProgram(t *testing.T) {
	env := progressWorkspace(t)
	if err := os.WriteFile(filepath.Join(env.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	terminal, _ := pty(t, 60)
	p := &program{Env: env}
	p.Stderr = terminal
	if p.newMeter() == nil {
		t.Fatal("there is no meter on a terminal")
	}
	if p.json = true; p.newMeter() != nil {
		t.Error("there is a meter under --json")
	}
	p.json, p.Getenv = false, func(string) string { return "dumb" }
	if p.newMeter() != nil {
		t.Error("there is a meter on a dumb terminal")
	}
	var quiet bytes.Buffer
	env.Stderr, env.Args = &quiet, []string{"--verbose", "run-checks", "T-1"}
	if exit := Main(t.Context(), env); exit != 0 || quiet.Len() > 0 {
		t.Errorf("exits with %d and prints %q", exit, quiet.String())
	}
}
