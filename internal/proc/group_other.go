//go:build unix && !linux

package proc

import "os/exec"

// group is the process group of one command.
type group struct {
	*guard
	cmd *exec.Cmd
}

func newGroup(cmd *exec.Cmd) (*group, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, ErrNoShell
	}
	g, err := newGuard(cmd, sh)
	if err != nil {
		return nil, err
	}
	return &group{g, cmd}, nil
}

// join is called once the command has started. It does nothing: the system put the command into the group when it
// started it.
func (g *group) join() error { return nil }

// open does nothing: the command runs already.
func (g *group) open() {}

func (g *group) trace(env []string) Trace {
	t := Trace{PID: g.cmd.Process.Pid, Group: g.shell.Process.Pid, Job: jobOf(env)}
	t.Started, t.Boot = startOf(t.Group), boot()
	return t
}
