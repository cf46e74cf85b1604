//go:build unix

package check

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process group led by the shell of one check.
type group struct{ cmd *exec.Cmd }

// newGroup prepares a command that is not started yet.
func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{cmd}, nil
}

// join is called once the command has started. The child joined the group by itself, before it ran anything.
func (g *group) join() error { return nil }

// kill ends every process of the group, or returns os.ErrProcessDone if there is none. After the leader was waited for
// its number still names the group as long as that has members; once it has none, all numbers would have to come round
// before this call for it to name another.
func (g *group) kill() error {
	err := syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func (g *group) close() {}

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
