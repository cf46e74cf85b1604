//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardScript is what the guard runs: it waits until its input ends, and then kills its process group. It ignores what
// asks the group to end.
const guardScript = `trap '' TERM INT HUP; read -r cairn_guard; kill -s KILL 0`

// guard is a shell that leads the process group of a command and kills the group if this program dies first. Its input
// is a pipe that only this program holds open, so it notices even SIGKILL. Until close, its process id names the group,
// whatever else has ended.
type guard struct {
	shell *exec.Cmd
	hold  *os.File
}

// newGuard starts a guard, and sets up a command that is not started yet to join the guard's group.
func newGuard(cmd *exec.Cmd, sh string) (*guard, error) {
	wait, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wait.Close()
	shell := exec.Command(sh, "-c", guardScript)
	shell.Env = []string{} // it needs none, and variables of the user can change what a shell does
	shell.Stdin = wait
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := shell.Start(); err != nil {
		return nil, errors.Join(err, hold.Close())
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: shell.Process.Pid}
	return &guard{shell, hold}, nil
}

// ask asks every process of the group to end. The guard does not listen.
func (g *guard) ask() error { return syscall.Kill(-g.shell.Process.Pid, syscall.SIGTERM) }

// kill ends every process of the group, the guard included.
func (g *guard) kill() error { return syscall.Kill(-g.shell.Process.Pid, syscall.SIGKILL) }

func (g *guard) close() {
	_ = g.kill()
	_ = g.hold.Close()
	_ = g.shell.Wait() // its error says that it was killed
}

func signalOf(p *os.ProcessState) string {
	status, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}

// SignalName names a signal of this system by its number, or returns "".
func SignalName(n int) string { return unix.SignalName(syscall.Signal(n)) }
