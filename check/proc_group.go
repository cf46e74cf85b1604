//go:build unix && !linux

package check

import "os/exec"

// group is the process group of one check.
type group struct{ *guard }

// newGroup prepares a command that is not started yet.
func newGroup(cmd *exec.Cmd) (*group, error) {
	g, err := newGuard(cmd)
	if err != nil {
		return nil, err
	}
	return &group{g}, nil
}

// join is called once the command has started. The child joined the group by itself, before it ran anything.
func (g *group) join() error { return nil }
