//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the end of a command the end of everything that it started: what goes on after its time would slow
// what is measured next.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
