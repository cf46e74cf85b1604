package check

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// daemon writes its number to a file and stays, deaf to polite signals.
const daemon = `trap '' TERM HUP INT
echo $$ >$1.new && mv $1.new $1
while :; do sleep 1; done`

// escapes are the ways out of a process group. Each starts a daemon that writes to the file "out".
var escapes = map[string]string{
	"a session of its own":        `setsid sh daemon out >/dev/null 2>&1 &`,
	"forked twice":                `(setsid sh daemon out >/dev/null 2>&1 &)`,
	"forked twice in its session": `setsid sh -c 'sh daemon out >/dev/null 2>&1 &'`,
	"keeping the output open":     `setsid sh daemon out &`,
	"without its environment":     `(env -i PATH="$PATH" setsid sh daemon out >/dev/null 2>&1 &)`,
	"without anything":            `(env -i PATH="$PATH" setsid sh -c '(cd / && exec setsid sh '$PWD/daemon' '$PWD/out' <&- >&- 2>&- &)')`,
}

const untilOut = `
until [ -s out ]; do sleep 0.01; done`

// workshop is a workspace with the daemon in it.
func workshop(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	if newMark() == 0 {
		t.Skip("the limit on file locks leaves no room for a mark here")
	}
	root = t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "daemon"), []byte(daemon), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// noneLeft says that a process must have ended by now: Run does not return before.
func noneLeft(t *testing.T, pid int) {
	t.Helper()
	if running(pid) {
		t.Errorf("process %d outlived its check", pid)
		gone(t, pid)
	}
}

// Whichever way a daemon gets away from the shell, it ends when its check does.
func TestNothingEscapes(t *testing.T) {
	for name, escape := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("the command's end", func(t *testing.T) {
				t.Parallel()
				root := workshop(t)
				if o := runSpec(t, Spec{Cmd: escape + untilOut, Root: root}); !o.Passed {
					t.Errorf("a leftover made the check fail: %+v", o)
				}
				noneLeft(t, pids(t, root, "out")[0])
			})
			t.Run("the time limit", func(t *testing.T) {
				t.Parallel()
				root := workshop(t)
				if o := runSpec(t, Spec{Cmd: escape + "\nsleep 300", Root: root, Timeout: 2 * time.Second}); !o.TimedOut {
					t.Errorf("got %+v", o)
				}
				noneLeft(t, pids(t, root, "out")[0])
			})
			t.Run("a cancellation", func(t *testing.T) {
				t.Parallel()
				root := workshop(t)
				stop := start(t, Spec{Cmd: escape + "\nsleep 300", Root: root})
				pid := pids(t, root, "out")[0]
				if o := stop(); !o.Canceled {
					t.Errorf("got %+v", o)
				}
				noneLeft(t, pid)
			})
		})
	}
}

// start runs a check beside the test; stop cancels it and waits for its end.
func start(t *testing.T, s Spec) (stop func() Outcome) {
	t.Helper()
	s.Timeout = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome, 1)
	go func() {
		o, err := Run(ctx, s)
		if err != nil {
			t.Error(err)
		}
		ended <- o
	}()
	return func() Outcome {
		cancel()
		return <-ended
	}
}

// A daemon that starts the next one and ends, over and over, is caught as well.
func TestADaemonThatKeepsMoving(t *testing.T) {
	root := workshop(t)
	hop := "echo $$ >>seen; sleep 0.001; setsid sh hop & exit"
	if err := os.WriteFile(filepath.Join(root, "hop"), []byte(hop), 0o644); err != nil {
		t.Fatal(err)
	}
	o := runSpec(t, Spec{Cmd: "setsid sh hop >/dev/null 2>&1 & sleep 0.3", Root: root})
	seen := func() int64 {
		info, err := os.Stat(filepath.Join(root, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := seen()
	time.Sleep(100 * time.Millisecond)
	if !o.Passed || seen() != before {
		t.Errorf("it still moves; %+v", o)
	}
}

// Checks that one program runs at the same time do not end each other's processes, though all descend from it.
func TestTwoChecksAtOnce(t *testing.T) {
	here, there := workshop(t), workshop(t)
	escape := escapes["without anything"]
	stop := start(t, Spec{Cmd: escape + "\nsleep 300", Root: here})
	pid := pids(t, here, "out")[0]

	if o := runSpec(t, Spec{Cmd: escape + untilOut, Root: there}); !o.Passed {
		t.Errorf("got %+v", o)
	}
	noneLeft(t, pids(t, there, "out")[0])
	if !running(pid) {
		t.Error("the end of one check ended the daemon of the other")
	}
	stop()
	noneLeft(t, pid)
}

// What the program started without a check is none of a check's business.
func TestOtherChildrenStay(t *testing.T) {
	other := exec.Command("sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	runSh(t, "true")
	if !running(other.Process.Pid) {
		t.Error("a check ended a process that it did not start")
	}
}

// A check whose command runs checks itself takes all of it along, though the program in between could not clean up.
func TestChecksInsideAreEndedToo(t *testing.T) {
	root := workshop(t)
	inner := fmt.Sprintf("INNER_CHECK=%q exec %q -test.run=^TestInnerCheck$", root, os.Args[0])
	stop := start(t, Spec{Cmd: inner, Root: root})
	pid := pids(t, root, "out")[0]
	stop()
	noneLeft(t, pid)
}

// TestInnerCheck is the program in between; on its own it tests nothing.
func TestInnerCheck(t *testing.T) {
	root := os.Getenv("INNER_CHECK")
	if root == "" {
		t.Skip("for TestChecksInsideAreEndedToo")
	}
	runSpec(t, Spec{Cmd: escapes["without anything"] + "\nsleep 300", Root: root})
}

// The same check with and without what Run does around it: what is between them is the cost of an ordinary check.
func BenchmarkRun(b *testing.B) {
	root := b.TempDir()
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if o, err := Run(b.Context(), Spec{Cmd: "true", Root: root, Timeout: time.Minute}); err != nil || !o.Passed {
				b.Fatal(o, err)
			}
		}
	})
	b.Run("shell alone", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("sh", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSweep(b *testing.B) {
	m := newMark()
	for b.Loop() {
		m.sweep()
	}
	b.ReportMetric(float64(len(processes())), "processes")
}
