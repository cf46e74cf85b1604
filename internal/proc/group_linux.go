package proc

import (
	"errors"
	"os"
	"os/exec"
)

// gateScript waits for a line, which comes when the mark is set, and then becomes the command. If this program dies
// before that, the script ends and the command never starts. The line comes on a file of its own, the first after the
// standard ones, which the command does not get.
const gateScript = `read -r cairn_gate <&3 && exec "$0" "$@" 3<&-`

// group is every process of one command: the process group of its guard, and the processes that left the group and
// carry the mark.
type group struct {
	*guard
	cmd        *exec.Cmd
	buried     func() // ends the waiting for processes that were adopted
	mark       mark
	wait, gate *os.File // the two ends of the pipe that gateScript reads
}

func newGroup(cmd *exec.Cmd) (*group, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, ErrNoShell
	}
	wait, gate, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	g, err := newGuard(cmd, sh)
	if err != nil {
		return nil, errors.Join(err, wait.Close(), gate.Close())
	}
	cmd.Args = append([]string{sh, "-c", gateScript, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.ExtraFiles = sh, []*os.File{wait}
	return &group{g, cmd, func() {}, newMark(), wait, gate}, nil
}

// join is called once the command has started, and sets the mark. Where the system refuses the mark only the process
// group is left.
func (g *group) join() error {
	if g.mark != 0 && g.mark.put(g.cmd.Process.Pid) != nil {
		g.mark = 0
	}
	return nil
}

// open lets the command run. If the shell ended before it read its line, the caller finds that when it waits for it.
func (g *group) open() {
	g.buried = g.bury()
	_, _ = g.gate.WriteString("\n")
}

// trace is what Sweep needs to find the processes again.
func (g *group) trace(env []string) Trace {
	t := Trace{PID: g.cmd.Process.Pid, Group: g.shell.Process.Pid, Mark: uint64(g.mark), Job: jobOf(env), Boot: boot(), Space: space()}
	if leader, err := statOf(t.Group); err == nil {
		t.Started = leader.started
	}
	return t
}

func (g *group) kill() error {
	err := g.guard.kill()
	g.mark.sweep()
	return err
}

func (g *group) close() {
	g.buried()
	g.guard.close()
	_ = g.wait.Close()
	_ = g.gate.Close()
}
