//go:build unix

package check

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// guarding is what the leader of a check's process group does: wait until its input ends, and end the group.
const guarding = `read -r cairn_guard; kill -s KILL 0`

// guard is a shell that leads the process group of a check and ends it if this program dies without having done so. Its
// input is a pipe that only this program holds open, so that even SIGKILL is noticed. Until close its number names the
// group, whatever else has ended.
type guard struct {
	shell *exec.Cmd
	hold  *os.File
}

// newGuard makes a group, and a command that is not started yet its second member.
func newGuard(cmd *exec.Cmd) (*guard, error) {
	wait, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wait.Close()
	shell := exec.Command(cmd.Path, "-c", guarding)
	shell.Env = []string{} // it needs none, and the user's may make a shell do more
	shell.Stdin = wait
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := shell.Start(); err != nil {
		return nil, errors.Join(err, hold.Close())
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: shell.Process.Pid}
	return &guard{shell, hold}, nil
}

// kill ends every process of the group, itself included.
func (g *guard) kill() error { return syscall.Kill(-g.shell.Process.Pid, syscall.SIGKILL) }

func (g *guard) close() {
	_ = g.kill()
	_ = g.hold.Close()
	_ = g.shell.Wait() // says that it was killed
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
