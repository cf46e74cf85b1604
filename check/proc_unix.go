//go:build unix

package check

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup ends every process of the group that a command leads, or returns os.ErrProcessDone if there is none. After
// the leader was waited for its number still names the group as long as that has members; once it has none, all numbers
// would have to come round before this call for it to name another.
func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// signalOf names the signal that ended a process, or returns "".
func signalOf(p *os.ProcessState) string {
	status, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}

// signalName names a signal by its number, or returns "".
func signalName(n int) string { return unix.SignalName(syscall.Signal(n)) }
