package proc

import (
	"errors"
	"os"
	"os/exec"
)

// gateScript waits for a line on its input, which comes when the mark is set, and then becomes the shell of the command. If
// this program dies before that, the script ends and the command never starts.
const gateScript = `read -r cairn_gate && exec "$0" "$@" </dev/null`

// group is every process of one command: the process group of its guard, and the processes that left the group and carry
// the mark.
type group struct {
	*guard
	cmd        *exec.Cmd
	mark       mark
	wait, open *os.File // the two ends of the pipe that gateScript reads
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
	cmd.Args = append([]string{cmd.Path, "-c", gateScript}, cmd.Args...)
	cmd.Stdin = wait
	return &group{g, cmd, newMark(), wait, open}, nil
}

// join is called once the command has started: it sets the mark and lets the command run. Where the system refuses the mark
// only the process group is left. If the shell ended before it read its line, the caller finds that when it waits for it.
func (g *group) join() error {
	if g.mark != 0 {
		_ = g.mark.put(g.cmd.Process.Pid)
	}
	_, _ = g.open.WriteString("\n")
	return nil
}

// kill ends every process of the command.
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
