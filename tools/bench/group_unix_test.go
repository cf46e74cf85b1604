//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A command that takes too long is ended together with what it started.
func TestALimitEndsWhatWasStarted(t *testing.T) {
	r := runner{workspace{dir: t.TempDir(), env: os.Environ()}, programs{}}
	p := probe{limit: 500 * time.Millisecond, command: func(int) []string { return []string{"sh", "-c", "sleep 100 & echo $! > pid; wait"} }}
	var f figure
	r.once(t.Context(), p, new(int), r.time, &f)
	if f.failed == "" {
		t.Fatal("it was not ended")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(r.dir, "pid"))))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // the system needs a moment to take it away
		if syscall.Kill(pid, 0) != nil || zombie(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d goes on", pid)
}

// zombie reports whether a process has ended and nobody has asked for its state yet.
func zombie(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
