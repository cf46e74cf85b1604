package storetest

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
)

// childVar is set for the other processes of a test, which run the same test binary. Its value is the name of the part
// to play.
const childVar = "STORE_TEST_CHILD"

// Tests are not held up by what a host is asked for.
func init() { limits.ClaimsBudget = 6000 }

// Part is what another process of a test does with a workspace.
type Part func(s *store.Store, args []string) error

// Main runs the tests of a package, or plays one of the parts if it was started by Start.
func Main(m *testing.M, parts map[string]Part) {
	if part := os.Getenv(childVar); part != "" {
		os.Exit(play(parts[part]))
	}
	slowtest.InMemory()
	home, err := os.MkdirTemp("", "store-test-home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	isolate(home)
	quietGit(filepath.Join(home, "test.gitconfig"))
	_ = flag.Set("rapid.checks", "10")       // each step is a write to the disk; -rapid.checks asks for more
	_ = flag.Set("rapid.nofailfile", "true") // a failure names its seed, and leaves no file in the source tree
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// isolate hides the settings of the user who runs the tests from the tests and the processes they start.
func isolate(home string) {
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME":                home,
		"USERPROFILE":         home,
		"XDG_CONFIG_HOME":     home,
		"XDG_STATE_HOME":      home,
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_GLOBAL":   os.DevNull,
	} {
		_ = os.Setenv(name, value)
	}
}

// quietGit has the git that tests start themselves begin no process to tidy up after each commit.
func quietGit(config string) {
	_ = os.WriteFile(config, []byte("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"), 0o600)
	_ = os.Setenv("GIT_CONFIG_GLOBAL", config)
}

// play runs a part to its end.
func play(part Part) int {
	s, err := store.Open(os.Args[1], os.Getenv("HOME"))
	if err == nil {
		err = part(s, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Start starts another process on a workspace, which plays a part, with pipes to it.
func Start(t testing.TB, s *store.Store, part string, args ...string) *Process {
	t.Helper()
	self := value[string](t)(os.Executable())
	cmd := exec.Command(self, append([]string{s.Root}, args...)...)
	cmd.Env = append(os.Environ(), childVar+"="+part, "GORACE=atexit_sleep_ms=0") // the default is a second
	cmd.Stderr = os.Stderr
	in, out := value[io.WriteCloser](t)(cmd.StdinPipe()), value[io.ReadCloser](t)(cmd.StdoutPipe())
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &Process{cmd, in, bufio.NewScanner(out)}
}

// StartNumbered starts processes that play one part. Each gets a number as its first argument, from up to but not
// including to.
func StartNumbered(t testing.TB, s *store.Store, from, to int, part string, args ...string) []*Process {
	t.Helper()
	var out []*Process
	for i := from; i < to; i++ {
		out = append(out, Start(t, s, part, append([]string{strconv.Itoa(i)}, args...)...))
	}
	return out
}

// StartAll is StartNumbered with n numbers from 0.
func StartAll(t testing.TB, s *store.Store, n int, part string, args ...string) []*Process {
	t.Helper()
	return StartNumbered(t, s, 0, n, part, args...)
}

// Process is another process of a test. It reads and prints lines.
type Process struct {
	Cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// Send writes a line to the process.
func (p *Process) Send(t testing.TB, line string) {
	t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	must(t, err)
}

// Answer returns the next line that the process prints; false after its end.
func (p *Process) Answer() (string, bool) {
	ok := p.out.Scan()
	return p.out.Text(), ok
}

// Answers returns all the lines that are left.
func (p *Process) Answers() []string {
	var out []string
	for line, ok := p.Answer(); ok; line, ok = p.Answer() {
		out = append(out, line)
	}
	return out
}

// End waits until the process has ended, and fails the test unless it succeeded.
func (p *Process) End(t testing.TB) {
	t.Helper()
	if err := errors.Join(p.in.Close(), p.Cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// WaitForLine waits, in the other process, for a line of Send.
func WaitForLine() { bufio.NewScanner(os.Stdin).Scan() }
