package filelock

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary runs itself as the other processes. What a child does is its first argument, the lock its second.
const childVar = "FILELOCK_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	if err := child(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(role, path string) error {
	ctx := context.Background()
	switch role {
	case "hold":
		return holdUntilEOF(ctx, path)
	case "queue":
		return queue(ctx, path)
	case "hog":
		return hog(ctx, path)
	case "count":
		return countUp(ctx, path)
	}
	return fmt.Errorf("unknown role %q", role)
}

// holdUntilEOF takes the lock, says so, and keeps it until its input ends.
func holdUntilEOF(ctx context.Context, path string) error {
	lock, err := Acquire(ctx, path)
	if err != nil {
		return err
	}
	fmt.Println("held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return lock.Release()
}

// queue says that it will wait, takes the lock, and lets go.
func queue(ctx context.Context, path string) error {
	fmt.Println("waiting")
	lock, err := Acquire(ctx, path)
	if err != nil {
		return err
	}
	return lock.Release()
}

// hog takes the lock again and again until its input ends.
func hog(ctx context.Context, path string) error {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	fmt.Println("waiting")
	for {
		if err := countOne(ctx, path); err != nil {
			return err
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

const rounds = 50

// countUp adds one to the number beside the lock, again and again, in a way that loses counts if two do it at once.
func countUp(ctx context.Context, path string) error {
	for range rounds {
		if err := countOne(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func countOne(ctx context.Context, path string) error {
	lock, err := Acquire(ctx, path)
	if err != nil {
		return err
	}
	n, err := readCount(path)
	if err != nil {
		return err
	}
	time.Sleep(100 * time.Microsecond)
	if err := os.WriteFile(path+".count", []byte(strconv.Itoa(n+1)), 0o644); err != nil {
		return err
	}
	return lock.Release()
}

func readCount(path string) (int, error) {
	data, err := os.ReadFile(path + ".count")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(data)))
}

func command(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe, role, path)
	cmd.Env = append(os.Environ(), childVar+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// startHolder returns once another process holds the lock. Closing its input makes it let go.
func startHolder(t *testing.T, path string) (*exec.Cmd, io.Closer) {
	t.Helper()
	return start(t, "hold", path, "held\n")
}

// start returns once a process has said what it should.
func start(t *testing.T, role, path, says string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := command(t, role, path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != says {
		t.Fatalf("the child said %q (%v)", line, err)
	}
	return cmd, stdin
}

func TestProcessesCountWithoutLoss(t *testing.T) {
	path := lockPath(t)
	if err := os.WriteFile(path+".count", []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	for range 6 {
		cmd := command(t, "count", path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	n, err := readCount(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(children) * rounds; n != want {
		t.Errorf("counted to %d; want %d", n, want)
	}
}

// Of twenty processes that wait, each gets its turn, though another takes the lock again whenever it has let go.
func TestNobodyStarves(t *testing.T) {
	path := lockPath(t)
	if err := os.WriteFile(path+".count", []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	lock := acquire(t, path)
	greedy, enough := start(t, "hog", path, "waiting\n")
	var queued []*exec.Cmd
	for range 20 {
		cmd, _ := start(t, "queue", path, "waiting\n")
		queued = append(queued, cmd)
	}
	release(t, lock)
	for _, cmd := range queued {
		if err := cmd.Wait(); err != nil {
			t.Errorf("had no turn: %v", err)
		}
	}
	if err := enough.Close(); err != nil {
		t.Fatal(err)
	}
	if err := greedy.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAnotherProcessIsWaitedFor(t *testing.T) {
	path := lockPath(t)
	holder, stdin := startHolder(t, path)
	wantTry(t, path, false)
	wantTimeOut(t, path)
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	release(t, acquire(t, path)) // behind the wait that was just abandoned
	if err := holder.Wait(); err != nil {
		t.Error(err)
	}
}

func TestKilledProcessLosesTheLock(t *testing.T) {
	path := lockPath(t)
	holder, _ := startHolder(t, path)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	release(t, acquire(t, path))
	_ = holder.Wait() // says that it was killed
}

// An abandoned wait must not hand the lock to nobody: a third process gets it.
func TestAbandonedWaitBlocksNoOtherProcess(t *testing.T) {
	path := lockPath(t)
	lock := acquire(t, path)
	wantTimeOut(t, path)
	cmd := command(t, "hold", path)
	if err := cmd.Start(); err != nil { // with no input it lets go at once
		t.Fatal(err)
	}
	release(t, lock)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
