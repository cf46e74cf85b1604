//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// ending is how long a command may take to end after a signal: two seconds, and two more for a busy machine.
const ending = 4 * time.Second

// A signal ends a command within two seconds, even if it waits for a program that does not end, for a reader of its
// output, or for a client.
func TestSlowASignalEndsEveryCommand(t *testing.T) {
	slowtest.Skip(t)
	w := newRepo(t)
	text := "---\nid: T-1\ntitle: Raise the walls\nstatus: in_progress\nchecks:\n  - {desc: it stands, cmd: 'true'}\n---\n" + strings.Repeat("A line of a long page.\n", 10_000)
	if err := os.WriteFile(w.task(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 250 {
		text := fmt.Sprintf("---\nid: T-9%03d\ntitle: %s\nstatus: backlog\n---\n", i, strings.Repeat("x", 400))
		if err := os.WriteFile(filepath.Join(w.dir, fmt.Sprintf(".cairn/tasks/T-9%03d.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stuck := t.TempDir()
	script := "#!/bin/sh\ntrap '' TERM INT\ntouch " + stuck + "/called.$$\nsleep 60\n"
	if err := os.WriteFile(filepath.Join(stuck, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		for _, row := range []struct {
			args []string
			busy func(t *testing.T, run *exec.Cmd) // waits until the command is in the midst of it
			exit int
		}{
			{[]string{"show", "T-1"}, unread, 130},
			{[]string{"list", "--limit", "200", "--json"}, unread, 130},
			{[]string{"wait", "--timeout-seconds", "300", "--status", "done"}, idle, 130},
			{[]string{"serve", "--actor", "agent:a"}, idle, 0},
			{[]string{"serve", "--actor", "agent:a", "--http", "127.0.0.1:0"}, idle, 0},
			{[]string{"check", "--no-base"}, calling(stuck), 130},
			{[]string{"doctor"}, calling(stuck), 130},
			{[]string{"transition", "T-1", "done"}, calling(stuck), 130},
		} {
			t.Run(signal.String()+"/"+strings.Join(row.args, " "), func(t *testing.T) {
				run := w.command(t, row.args...)
				run.Env = append(run.Env, "PATH="+stuck+string(os.PathListSeparator)+os.Getenv("PATH"))
				row.busy(t, run)
				begun := time.Now()
				signalTo(t, run, signal)
				ended := make(chan struct{})
				go func() { _ = run.Wait(); close(ended) }()
				select {
				case <-ended:
				case <-time.After(ending):
					_ = run.Process.Kill()
					t.Fatalf("has not ended %v after the signal", ending)
				}
				t.Logf("ended after %v", time.Since(begun))
				if exit := run.ProcessState.ExitCode(); exit != row.exit {
					t.Errorf("exits with %d", exit)
				}
			})
		}
	}
	w.cairn(t, "note", "T-1", "and all is as before")
}

// unread has a command write into a pipe from which only the first byte is read.
func unread(t *testing.T, run *exec.Cmd) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	run.Stdout = w
	start(t, run)
	_ = w.Close()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// idle has a command wait for input that does not come. On a busy machine it may take a second to begin.
func idle(t *testing.T, run *exec.Cmd) {
	t.Helper()
	if _, err := run.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	start(t, run)
	time.Sleep(3 * time.Second)
}

// calling has a command call a program that does not end.
func calling(stuck string) func(*testing.T, *exec.Cmd) {
	return func(t *testing.T, run *exec.Cmd) {
		t.Helper()
		old, _ := filepath.Glob(filepath.Join(stuck, "called.*"))
		for _, path := range old {
			_ = os.Remove(path)
		}
		start(t, run)
		for deadline := time.Now().Add(slowtest.Patience); ; time.Sleep(5 * time.Millisecond) {
			if called, _ := filepath.Glob(filepath.Join(stuck, "called.*")); len(called) > 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("calls nothing")
			}
		}
	}
}
