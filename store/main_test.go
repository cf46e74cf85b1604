package store

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childVar tells the test binary to be one of the other processes of a test. Its value names the part to play.
const childVar = "STORE_TEST_CHILD"

// parts are what another process can do. Its arguments are the workspace and whatever the part needs.
var parts = map[string]func(s *Store, args []string) error{
	"note":     playNote,
	"create":   playCreate,
	"take":     playTake,
	"jot":      playJot,
	"log":      playLog,
	"scribble": playScribble,
	"die":      playDie,
}

func TestMain(m *testing.M) {
	if part := os.Getenv(childVar); part != "" {
		os.Exit(play(part))
	}
	home, err := os.MkdirTemp("", "store-test-home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	isolate(home)
	_ = flag.Set("rapid.checks", "10")       // each step is a write to the disk; -rapid.checks asks for more
	_ = flag.Set("rapid.nofailfile", "true") // a failure names its seed, and leaves no file in the source tree
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// isolate makes the settings of whoever runs the tests not matter, to the tests and to the processes they start.
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

// play runs a part to its end.
func play(part string) int {
	s, err := Open(os.Args[1], os.Getenv("HOME"))
	if err == nil {
		err = parts[part](s, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// another starts another process on a workspace, to play a part, and gives it a way to talk.
func another(t testing.TB, s *Store, part string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{s.Root}, args...)...)
	cmd.Env = append(os.Environ(), childVar+"="+part, "GORACE=atexit_sleep_ms=0") // which is a second unless told
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{cmd, in, bufio.NewScanner(out)}
}

// process is another process, which is told and answers in lines.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (p *process) tell(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// answer is the next line that the process prints. After its end it is false.
func (p *process) answer() (string, bool) {
	ok := p.out.Scan()
	return p.out.Text(), ok
}

// answers are all the lines that are left.
func (p *process) answers() []string {
	var out []string
	for line, ok := p.answer(); ok; line, ok = p.answer() {
		out = append(out, line)
	}
	return out
}

// end waits until the process is over, and fails the test unless it ended well.
func (p *process) end(t testing.TB) {
	t.Helper()
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		t.Error(err)
	}
}
