//go:build unix

package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gone waits until a process has ended, as one that was killed does soon.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if !running(pid) {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d is still running", pid)
}

// running tells whether a process runs. One that ended and that nobody has waited for does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// pids reads the numbers that a command wrote to files of the workspace, waiting until they are there.
func pids(t *testing.T, root string, names ...string) []int {
	t.Helper()
	var all []int
	for _, name := range names {
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			text, _ := os.ReadFile(filepath.Join(root, name))
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				all = append(all, pid)
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("no process wrote its number to %s", name)
			}
		}
	}
	return all
}

// family starts a child and a grandchild, all of which ignore polite signals, and waits for them.
const family = `trap '' TERM HUP INT
echo $$ >shell
sh -c 'echo $$ >child; sh -c "echo \$\$ >grandchild; sleep 300; :"; :'
:`

func TestATimeLimitKillsTheWholeFamily(t *testing.T) {
	root := t.TempDir()
	start := time.Now()
	o := runSpec(t, Spec{Cmd: family, Root: root, Timeout: time.Second})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !o.TimedOut || o.Canceled || o.Passed || o.Signal != "SIGKILL" {
		t.Errorf("got %+v", o)
	}
	if !strings.HasPrefix(o.Summary(), "timed out after ") {
		t.Errorf("summary %q", o.Summary())
	}
	for _, pid := range pids(t, root, "shell", "child", "grandchild") {
		gone(t, pid)
	}
}

func TestCancelingKillsTheWholeFamily(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan Outcome)
	go func() {
		o, err := Run(ctx, Spec{Cmd: family, Root: root, Timeout: time.Minute})
		if err != nil {
			t.Error(err)
		}
		ended <- o
	}()
	all := pids(t, root, "shell", "child", "grandchild")
	cancel()
	if o := <-ended; !o.Canceled || o.TimedOut || o.Passed || o.Summary() != "canceled" {
		t.Errorf("got %+v, summary %q", o, o.Summary())
	}
	for _, pid := range all {
		gone(t, pid)
	}
}

func TestTheCallersDeadlineIsNotTheChecksTimeLimit(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o, err := Run(ctx, Spec{Cmd: "sleep 300", Root: t.TempDir(), Timeout: time.Minute})
	if err != nil || !o.Canceled || o.TimedOut {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestALeftoverIsKilledAndNoFailure(t *testing.T) {
	for name, redirect := range map[string]string{
		"holding the output": "",
		"letting it go":      ">/dev/null 2>&1",
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			start := time.Now()
			o := runSpec(t, Spec{Cmd: "sleep 300 " + redirect + " & echo $! >left; echo fine", Root: root})
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if !o.Passed || o.Output != "fine\n" {
				t.Errorf("got %+v", o)
			}
			gone(t, pids(t, root, "left")[0])
		})
	}
}
