//go:build unix

package proc

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

	"github.com/cairn-tasks/cairn/internal/slowtest"
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

// running reports whether a process runs. One that has ended and that nobody has waited for does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// pids reads the process ids that a command wrote to files in its folder, and waits until they are there.
func pids(t *testing.T, dir string, names ...string) []int {
	t.Helper()
	var all []int
	for _, name := range names {
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			text, _ := os.ReadFile(filepath.Join(dir, name))
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
	dir := t.TempDir()
	start := time.Now()
	end, _ := run(t, Command{Line: family, Dir: dir, Timeout: time.Second})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !end.TimedOut || end.Canceled || end.Passed() || end.Signal != "SIGKILL" {
		t.Errorf("got %+v", end)
	}
	for _, pid := range pids(t, dir, "shell", "child", "grandchild") {
		gone(t, pid)
	}
}

func TestCancelingKillsTheWholeFamily(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan End)
	go func() {
		end, err := Run(ctx, Command{Line: family, Dir: dir, Timeout: time.Minute})
		if err != nil {
			t.Error(err)
		}
		ended <- end
	}()
	all := pids(t, dir, "shell", "child", "grandchild")
	cancel()
	if end := <-ended; !end.Canceled || end.TimedOut || end.Passed() {
		t.Errorf("got %+v", end)
	}
	for _, pid := range all {
		gone(t, pid)
	}
}

func TestTheCallersDeadlineIsNotTheTimeLimit(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	end, err := Run(ctx, Command{Line: "sleep 300", Dir: t.TempDir(), Timeout: time.Minute})
	if err != nil || !end.Canceled || end.TimedOut {
		t.Errorf("got %+v, %v", end, err)
	}
}

func TestSlowALeftoverIsKilledAndNoFailure(t *testing.T) {
	slowtest.Skip(t)
	for name, redirect := range map[string]string{
		"holding the output": "",
		"letting it go":      ">/dev/null 2>&1",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			start := time.Now()
			end, out := run(t, Command{Line: "sleep 300 " + redirect + " & echo $! >left; echo fine", Dir: dir})
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if !end.Passed() || out.String() != "fine\n" {
				t.Errorf("got %+v, output %q", end, out)
			}
			gone(t, pids(t, dir, "left")[0])
		})
	}
}
