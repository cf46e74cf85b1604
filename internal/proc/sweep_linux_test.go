package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
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

// daemonFolder is a new folder with the daemon's script in it.
func daemonFolder(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	if newMark() == 0 {
		t.Skip("the limit on file locks leaves no room for a mark here")
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "daemon"), []byte(daemon), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// noneLeft fails the test if a process still runs: Run must not return before it has ended.
func noneLeft(t *testing.T, pid int) {
	t.Helper()
	if running(pid) {
		t.Errorf("process %d outlived its command", pid)
		gone(t, pid)
	}
}

// A daemon ends with its command, whichever way it left the shell.
func TestSlowNothingEscapes(t *testing.T) {
	slowtest.Skip(t)
	for name, escape := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("the command's end", func(t *testing.T) {
				t.Parallel()
				dir := daemonFolder(t)
				if end := runOnly(t, Command{Line: escape + untilOut, Dir: dir}); !end.Passed() {
					t.Errorf("a background process changed the exit status: %+v", end)
				}
				noneLeft(t, pids(t, dir, "out")[0])
			})
			t.Run("the time limit", func(t *testing.T) {
				t.Parallel()
				dir := daemonFolder(t)
				if end := runOnly(t, Command{Line: escape + "\nsleep 300", Dir: dir, Timeout: 2 * time.Second}); !end.TimedOut {
					t.Errorf("got %+v", end)
				}
				noneLeft(t, pids(t, dir, "out")[0])
			})
			t.Run("a cancellation", func(t *testing.T) {
				t.Parallel()
				dir := daemonFolder(t)
				stop := start(t, Command{Line: escape + "\nsleep 300", Dir: dir})
				pid := pids(t, dir, "out")[0]
				if end := stop(); !end.Canceled {
					t.Errorf("got %+v", end)
				}
				noneLeft(t, pid)
			})
		})
	}
}

// start runs a command beside the test; stop cancels it and waits for its end.
func start(t *testing.T, c Command) (stop func() End) {
	t.Helper()
	c.Timeout = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan End, 1)
	go func() {
		end, err := Run(ctx, c)
		if err != nil {
			t.Error(err)
		}
		ended <- end
	}()
	return func() End {
		cancel()
		return <-ended
	}
}

// A daemon that over and over starts its successor and ends is caught too.
func TestADaemonThatKeepsMoving(t *testing.T) {
	dir := daemonFolder(t)
	hop := "echo $$ >>seen; sleep 0.001; setsid sh hop & exit"
	if err := os.WriteFile(filepath.Join(dir, "hop"), []byte(hop), 0o644); err != nil {
		t.Fatal(err)
	}
	end := runOnly(t, Command{Line: "setsid sh hop >/dev/null 2>&1 & sleep 0.3", Dir: dir})
	seen := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := seen()
	time.Sleep(100 * time.Millisecond)
	if !end.Passed() || seen() != before {
		t.Errorf("it still moves; %+v", end)
	}
}

// Commands that one program runs at the same time do not end each other's processes.
func TestTwoCommandsAtOnce(t *testing.T) {
	here, there := daemonFolder(t), daemonFolder(t)
	escape := escapes["without anything"]
	stop := start(t, Command{Line: escape + "\nsleep 300", Dir: here})
	pid := pids(t, here, "out")[0]

	if end := runOnly(t, Command{Line: escape + untilOut, Dir: there}); !end.Passed() {
		t.Errorf("got %+v", end)
	}
	noneLeft(t, pids(t, there, "out")[0])
	if !running(pid) {
		t.Error("the end of one command ended the daemon of the other")
	}
	stop()
	noneLeft(t, pid)
}

// Other child processes of the program are not touched.
func TestOtherChildrenStay(t *testing.T) {
	other := exec.Command("sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	runOnly(t, Command{Line: "true"})
	if !running(other.Process.Pid) {
		t.Error("a command ended a process that it did not start")
	}
}

// A command that runs commands through this package itself ends with all of theirs, though the program in between was
// killed.
func TestNestedCommandsAreEndedToo(t *testing.T) {
	dir := daemonFolder(t)
	inner := fmt.Sprintf("INNER_COMMAND=%q exec %q -test.run=^TestInnerCommand$", dir, os.Args[0])
	stop := start(t, Command{Line: inner, Dir: dir})
	pid := pids(t, dir, "out")[0]
	stop()
	noneLeft(t, pid)
}

// TestInnerCommand is the program in between; alone it tests nothing.
func TestInnerCommand(t *testing.T) {
	dir := os.Getenv("INNER_COMMAND")
	if dir == "" {
		t.Skip("for TestNestedCommandsAreEndedToo")
	}
	runOnly(t, Command{Line: escapes["without anything"] + "\nsleep 300", Dir: dir})
}

// The same command with and without what Run does around it: the difference is what Run costs.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	b.Run("command", func(b *testing.B) {
		for b.Loop() {
			if end, err := Run(b.Context(), Command{Line: "true", Dir: dir, Timeout: time.Minute}); err != nil || !end.Passed() {
				b.Fatal(end, err)
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
