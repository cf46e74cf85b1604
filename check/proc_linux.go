package check

import (
	"errors"
	"os"
	"os/exec"
)

// gate is a shell that waits until its mark is on before it turns into the shell of the check. If we die before that,
// it ends and the check never starts.
const gate = `read -r cairn_gate && exec "$0" "$@" </dev/null`

// group is all that one check starts: the process group of its guard, and what left that but carries the mark.
type group struct {
	*guard
	cmd        *exec.Cmd
	mark       mark
	wait, open *os.File // the two ends of the gate
}

// newGroup prepares a command that is not started yet.
func newGroup(cmd *exec.Cmd) (*group, error) {
	wait, open, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	g, err := newGuard(cmd)
	if err != nil {
		return nil, errors.Join(err, wait.Close(), open.Close())
	}
	cmd.Args = append([]string{cmd.Path, "-c", gate}, cmd.Args...)
	cmd.Stdin = wait
	return &group{g, cmd, newMark(), wait, open}, nil
}

// join is called once the command has started. A system that has no marks leaves the process group; a shell that ended
// at the gate is found by whoever waits for it.
func (g *group) join() error {
	if g.mark != 0 {
		_ = g.mark.put(g.cmd.Process.Pid)
	}
	_, _ = g.open.WriteString("\n")
	return nil
}

// kill ends every process of the check.
func (g *group) kill() error {
	err := g.guard.kill()
	g.mark.sweep()
	return err
}

func (g *group) close() {
	g.guard.close()
	_ = g.wait.Close()
	_ = g.open.Close()
}
