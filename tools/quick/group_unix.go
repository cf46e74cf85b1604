//go:build !windows

package main

import (
	"os/exec"
	"syscall"
)

// apart puts a command, and all that it starts, into a group of processes that ends with it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
