//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// withoutTerminal gives a command a session of its own: it has no terminal that anything could prompt on, and it is
// ended together with what it started.
func withoutTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
