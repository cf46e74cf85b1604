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

// onTerminal leaves a command on the terminal of its caller. It is asked to stop, as withoutTerminal does, so that it
// takes its locks away.
func onTerminal(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
}
