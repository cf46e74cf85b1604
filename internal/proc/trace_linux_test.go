package proc

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A trace that was written before the command could do anything is enough to end it, whichever way its processes went,
// after the program that ran it and the guard of its group were killed.
func TestASweepEndsWhatAKilledProgramLeft(t *testing.T) {
	for name, escape := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := daemonFolder(t)
			program := exec.Command(os.Args[0], "-test.run=^TestTracedProgram$")
			program.Env = append(os.Environ(), "TRACED_COMMAND="+escape+"\necho $$ >shell; trap '' TERM HUP; while :; do sleep 1; done", "TRACED_DIR="+dir)
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			left := pids(t, dir, "out", "shell")
			var trace Trace
			text, err := os.ReadFile(filepath.Join(dir, "trace"))
			if err != nil {
				t.Fatal("the trace was not kept before the command began: ", err)
			}
			if err := json.Unmarshal(text, &trace); err != nil {
				t.Fatal(err)
			}
			_ = syscall.Kill(trace.Group, syscall.SIGKILL)
			_ = program.Process.Kill()
			_ = program.Wait()
			if !running(left[0]) || !running(left[1]) {
				t.Error("nothing was left to end")
			}
			if still := Sweep(trace); len(still) > 0 {
				t.Errorf("still there: %v", still)
			}
			for _, pid := range left {
				noneLeft(t, pid)
			}
		})
	}
}

// TestTracedProgram is the program that is killed; alone it tests nothing.
func TestTracedProgram(t *testing.T) {
	dir := os.Getenv("TRACED_DIR")
	if dir == "" {
		t.Skip("for TestASweepEndsWhatAKilledProgramLeft")
	}
	keep := func(trace Trace) {
		text, err := json.Marshal(trace)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "trace"), text, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := Run(Traced(t.Context(), keep), Command{Line: os.Getenv("TRACED_COMMAND"), Dir: dir, Timeout: time.Minute}); err != nil {
		t.Error(err)
	}
}

// The environment alone leads to a process whose mark was taken away and which left its group.
func TestASweepFindsAJobByItsName(t *testing.T) {
	mine := other(t, JobVariable+"=job-mine")
	yours := other(t, JobVariable+"=job-mine2")
	Sweep(Trace{Job: "job-mine"})
	noneLeft(t, mine)
	if !running(yours) {
		t.Error("the process of another job was ended")
	}
}

// The numbers of a trace may be those of other processes by the time of the sweep.
func TestASweepLeavesWhoHasTheSameNumber(t *testing.T) {
	pid := other(t)
	now, err := statOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, trace := range map[string]Trace{
		"another start":  {Group: pid, Started: now.started - 1, Boot: boot(), Space: space()},
		"no start":       {Group: pid, Boot: boot(), Space: space()},
		"another run":    {Group: pid, Started: now.started, Boot: "earlier", Space: space()},
		"another space":  {Group: pid, Started: now.started, Boot: boot(), Space: "pid:[1]"},
		"nothing at all": {PID: pid},
	} {
		if left := Sweep(trace); !running(pid) || len(left) > 0 {
			t.Fatalf("%s: the process was ended, or waited for: %v", name, left)
		}
	}
	Sweep(Trace{Group: pid, Started: now.started, Boot: boot(), Space: space()})
	noneLeft(t, pid)
}

// A mark says nothing about a process that began before it was given, or that names another job.
func TestASweepLeavesWhoHasTheSameMark(t *testing.T) {
	m := newMark()
	if m == 0 {
		t.Skip("no room for a mark here")
	}
	pid := other(t, JobVariable+"=job-other")
	if err := m.put(pid); err != nil {
		t.Skip(err)
	}
	p, err := statOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, trace := range map[string]Trace{
		"it began before": {Mark: uint64(m), Boot: boot(), Started: p.started + 1},
		"another job":     {Mark: uint64(m), Boot: boot(), Started: p.started, Job: "job-mine"},
		"another run":     {Mark: uint64(m), Boot: "earlier", Started: p.started},
	} {
		if Sweep(trace); !running(pid) {
			t.Fatalf("%s: the process was ended", name)
		}
	}
	Sweep(Trace{Mark: uint64(m), Boot: boot(), Started: p.started})
	noneLeft(t, pid)
}

// A sweep by a process of the job ends the others and not itself.
func TestASweepSparesItsCaller(t *testing.T) {
	dir := t.TempDir()
	line := fmt.Sprintf("sleep 300 & echo $! >left; SWEEPER=1 exec %q -test.run=^TestSweeper$", os.Args[0])
	end, out := run(t, Command{Line: line, Dir: dir, Env: append(os.Environ(), JobVariable+"=job-self")})
	if !end.Passed() {
		t.Errorf("got %+v: %s", end, out)
	}
}

// TestSweeper is the process of a job that sweeps it; alone it tests nothing.
func TestSweeper(t *testing.T) {
	if os.Getenv("SWEEPER") == "" {
		t.Skip("for TestASweepSparesItsCaller")
	}
	left := pids(t, ".", "left")[0]
	Sweep(Trace{Job: os.Getenv(JobVariable)})
	noneLeft(t, left)
}

// other starts a process in a group of its own that belongs to no command.
func other(t *testing.T, env ...string) (pid int) {
	t.Helper()
	c := exec.Command("sleep", "300")
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c.Process.Pid
}
