//go:build unix && !linux

package proc

import "os/exec"

// group is the process group of one command.
type group struct{ *guard }

// newGroup prepares a command that is not started yet.
func newGroup(cmd *exec.Cmd) (*group, error) {
	g, err := newGuard(cmd)
	if err != nil {
		return nil, err
	}
	return &group{g}, nil
}

// join is called once the command has started. It does nothing: the system put the command into the group when it started it.
func (g *group) join() error { return nil }
