//go:build unix && !linux

package check

import (
	"os/exec"
	"syscall"
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

// kill ends every process of the group, or returns os.ErrProcessDone if there is none.
func (g *group) kill() error { return killGroup(g.cmd) }

func (g *group) close() {}
