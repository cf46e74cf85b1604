package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"golang.org/x/sys/unix"
)

// pty opens a terminal: what is typed and shown on one end, and the other, which a process has for its own.
func pty(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no terminals: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}

// A person attests by typing on the terminal that controls the process, whatever its streams are: here its input is
// empty and its output goes elsewhere. Another word, no word, Ctrl-C, and no terminal at all leave the file as it was.
func TestAPersonAttestsAtATerminal(t *testing.T) {
	const asked = "Type pass to confirm: "
	for _, tt := range []struct {
		name  string
		types string // "" where there is no terminal
		stdin string
		exit  int
		says  string
	}{
		{"the word", "pass\n", "", 0, ""},
		{"the word, in capitals", "PASS\n", "", 0, ""},
		{"another word", "yes\n", "", 7, "not confirmed by human:shah"},
		{"an empty line", "\n", "", 7, "not confirmed by human:shah"},
		{"the end of input", "\x04", "", 7, "not confirmed by human:shah"},
		{"Ctrl-C", "\x03", "", 130, ""},
		{"no terminal", "", "", 7, "human:shah has to confirm it at a terminal: attesting check 0 (read by a person) as passed"},
		{"no terminal, and the word on standard input", "", "pass\n", 7, "human:shah has to confirm it at a terminal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newEmptyWorkspace(t)
			text := "---\nid: T-1\ntitle: Raise the walls\nstatus: in_review\nchecks:\n  - {desc: read by a person, type: manual, result: pending}\n---\n"
			if err := os.WriteFile(w.task(), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			attest := w.command(t, "attest", "T-1", "read", "--pass")
			var out, errs strings.Builder
			attest.Stdin, attest.Stdout, attest.Stderr = strings.NewReader(tt.stdin), &out, &errs
			attest.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			shown := runAt(t, attest, asked, tt.types)
			if exit := attest.ProcessState.ExitCode(); exit != tt.exit {
				t.Errorf("exits with %d, not %d: %s", exit, tt.exit, &errs)
			}
			if !strings.Contains(errs.String(), tt.says) {
				t.Errorf("says %q, not %q", errs.String(), tt.says)
			}
			if tt.types != "" && (!strings.Contains(shown, "attesting check 0 (read by a person) as passed") || !strings.Contains(shown, "T-1  Raise the walls")) {
				t.Errorf("the terminal shows %q", shown)
			}
			now, err := os.ReadFile(w.task())
			if err != nil {
				t.Fatal(err)
			}
			if changed := string(now) != text; changed != (tt.exit == 0) {
				t.Errorf("the file is now\n%s", now)
			}
		})
	}
}

// runAt runs a command on a terminal of its own, types once a question is shown, and returns what the terminal showed.
// If nothing is to be typed there is no terminal.
func runAt(t *testing.T, command *exec.Cmd, question, types string) string {
	t.Helper()
	if types == "" {
		if err := command.Run(); err != nil && command.ProcessState == nil {
			t.Fatal(err)
		}
		return ""
	}
	screen, terminal := pty(t)
	command.ExtraFiles = []*os.File{terminal}
	command.SysProcAttr.Setctty, command.SysProcAttr.Ctty = true, 3
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	stuck := time.AfterFunc(slowtest.Patience, func() { _ = command.Process.Kill() })
	defer stuck.Stop()
	var shown bytes.Buffer
	part, typed := make([]byte, 1<<10), false
	for {
		n, err := screen.Read(part)
		shown.Write(part[:n])
		if err != nil {
			break // the process has gone
		}
		if !typed && strings.Contains(shown.String(), question) {
			typed = true
			if _, err := screen.WriteString(types); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = command.Wait() // the caller looks at how it ended
	return shown.String()
}
