//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// family is a check that starts a child and a grandchild, all of which ignore polite signals, writes their numbers, and
// stays.
const family = `trap '' TERM HUP INT
echo $$ >shell
sh -c 'echo $$ >child; sh -c "echo \$\$ >grandchild; sleep 300; :"; :'
:`

// An interrupted run, by Ctrl-C or by closing the terminal, leaves everything as it was: no process of the check runs
// on, nothing is recorded, and the next run can start.
func TestInterruptedRun(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, family, 300)
			run, before := startRun(t, w), w.read(".cairn/tasks/T-1.md")
			all := pids(t, w)
			signalTo(t, run, signal)
			_ = run.Wait()
			if exit := run.ProcessState.ExitCode(); exit != 130 {
				t.Errorf("exits with %d", exit)
			}
			for _, pid := range all {
				if running(pid) {
					t.Errorf("process %d outlived the run", pid)
					gone(t, pid)
				}
			}
			if after := w.read(".cairn/tasks/T-1.md"); after != before {
				t.Errorf("the task became\n%s", after)
			}
			wantNothingLeft(t, w)
			wantFree(t, w)
		})
	}
}

// The checks of a killed program end too, and hold no lock.
func TestKilledRun(t *testing.T) {
	w := newWorkspace(t, family, 300)
	run, before := startRun(t, w), w.read(".cairn/tasks/T-1.md")
	all := pids(t, w)
	signalTo(t, run, syscall.SIGKILL)
	_ = run.Wait()
	for _, pid := range all {
		gone(t, pid)
	}
	if after := w.read(".cairn/tasks/T-1.md"); after != before {
		t.Errorf("the task became\n%s", after)
	}
	wantFree(t, w)
}

// Daemons of a check that have a session of their own outlive a killed program, but hold no lock.
func TestWhatEscapesAKilledRunHoldsNoLock(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	w := newWorkspace(t, `setsid sh -c 'echo $$ >shell; echo $$ >child; echo $$ >grandchild; exec sleep 300' & sleep 300`, 300)
	run := startRun(t, w)
	daemon := pids(t, w)[0]
	defer func() { _ = syscall.Kill(daemon, syscall.SIGKILL) }()
	signalTo(t, run, syscall.SIGKILL)
	_ = run.Wait()
	if !running(daemon) {
		t.Error("the daemon has ended, and the page of package check says otherwise")
	}
	wantFree(t, w)
}

// A signal that the parent process ignored, as nohup does, does not end the program.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	w := newWorkspace(t, `echo $$ >shell; echo $$ >child; echo $$ >grandchild; until [ -e enough ]; do sleep 0.01; done`, 60)
	run := w.command(t, "-c", `trap '' HUP; exec "$0" run-checks T-1`, "")
	run.Args[3], run.Path = run.Path, shell(t)
	start(t, run)
	pids(t, w)
	signalTo(t, run, syscall.SIGHUP)
	if err := os.WriteFile(filepath.Join(w.dir, "enough"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Errorf("ends with %v", err)
	}
}

// A check that prints without end makes neither the memory of the program nor the log large.
func TestSlowFloodOfOutput(t *testing.T) {
	slowtest.Skip(t)
	w := newWorkspace(t, "cat /dev/zero", 1)
	run := w.command(t, "run-checks", "T-1")
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	_ = run.Run()
	if exit := run.ProcessState.ExitCode(); exit != 4 {
		t.Errorf("exits with %d", exit)
	}
	const small, short = 256 << 20, 128 << 10 // the race detector alone takes a good part of the first
	rss := maxRSS(run.ProcessState)
	if rss > small {
		t.Errorf("it took %d bytes of memory", rss)
	}
	logs := logs(w)
	if len(logs) != 1 {
		t.Fatalf("there are the logs %v", logs)
	}
	if n := len(w.read(logs[0])); n > short || said.Len() > short {
		t.Errorf("the log has %d bytes, and %d were said", n, said.Len())
	}
	t.Logf("%s; it took %d MiB", regexp.MustCompile(`printed: .*`).FindString(w.read(logs[0])), rss>>20)
}

// A check has no input, even if the program has, and inherits none of the files that cairn has open.
func TestACheckInheritsNothing(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	w := newWorkspace(t, `ls -l /proc/self/fd >files; cat >input`, 60)
	run := w.command(t, "run-checks", "T-1")
	run.Stdin = strings.NewReader("not for the check")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if files := w.read("files"); !strings.Contains(files, "/files") || strings.Contains(files, ".cairn") {
		t.Errorf("the check has\n%s", files)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "input")); err != nil || w.read("input") != "" {
		t.Errorf("the check read %q (%v)", w.read("input"), err)
	}
}

func startRun(t *testing.T, w workspace) *exec.Cmd {
	t.Helper()
	run := w.command(t, "run-checks", "T-1")
	start(t, run)
	return run
}

func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
}

func shell(t *testing.T) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	return sh
}

func signalTo(t *testing.T, cmd *exec.Cmd, signal os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// pids reads the numbers that a check wrote, waiting until they are there.
func pids(t *testing.T, w workspace) (all []int) {
	t.Helper()
	for _, name := range []string{"shell", "child", "grandchild"} {
		for deadline := time.Now().Add(slowtest.Patience); ; time.Sleep(5 * time.Millisecond) {
			if pid, err := strconv.Atoi(strings.TrimSpace(w.read(name))); err == nil {
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

// running reports whether a process runs. A zombie does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !bytes.Contains(stat, []byte(") Z "))
}

// gone waits until a process has ended, and ends it if it does not.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(slowtest.Patience); running(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d is still running", pid)
		}
	}
}

func logs(w workspace) (names []string) {
	found, _ := filepath.Glob(filepath.Join(w.dir, ".cairn", "runs", "*"))
	for _, path := range found {
		names = append(names, filepath.Join(".cairn", "runs", filepath.Base(path)))
	}
	return names
}

func wantNothingLeft(t *testing.T, w workspace) {
	t.Helper()
	if found := logs(w); len(found) > 0 {
		t.Errorf("there are the logs %v", found)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".cairn", "local", "write.dirty")); err == nil {
		t.Error("a write is under way for ever")
	}
}

// wantFree fails the test unless the task can be written and its checks can be run.
func wantFree(t *testing.T, w workspace) {
	t.Helper()
	w.cairn(t, "note", "T-1", "back again")
	w.cairn(t, "update", "T-1", "--reason", "a quick one", "--check", "it is there=true")
	if out := w.cairn(t, "run-checks", "T-1"); !strings.Contains(out, "pass  it is there") {
		t.Errorf("the next run says\n%s", out)
	}
}

// maxRSS is the most memory that a process had, in bytes.
func maxRSS(p *os.ProcessState) int64 {
	rss := p.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "darwin" {
		return rss
	}
	return rss << 10 // kilobytes elsewhere
}
