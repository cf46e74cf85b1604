package cmd

import (
	"context"
	"os"
	"os/exec"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/urfave/cli/v3"
)

// backgroundVariable set to off keeps commands from starting a process that tells the git remote of claims; then cairn
// remote sync does.
const backgroundVariable = "CAIRN_CLAIMS_BACKGROUND"

// keepClaims has a process of its own tell the git remote what it does not know yet, and ask it what is old, after a
// command that wrote. The command does not wait for it. It is started at most every ten seconds, and not while another
// process asks the remote.
func (p *program) keepClaims(w *verb.Workspace) {
	if p.Getenv(backgroundVariable) == "off" {
		return
	}
	s, err := w.Open()
	if err != nil || !s.Shares() || !remote.Of(s, w.Actor(), w.Now).WantsSync() {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := apartFrom([]string{self}, []string{"--json", "-C", s.Root, "--actor", string(w.Actor()), "remote", "keep"}, s.Root)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// apartFrom is a command in a session of its own, with no terminal, no file of this process and nothing of the job in
// which this process may run. Around is what starts it: the program, and perhaps words before its own.
func apartFrom(around, args []string, dir string) *exec.Cmd {
	argv := append(append([]string(nil), around...), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	if len(around) == 1 { // nothing but the program
		cmd.Args[0] = "cairn" // by which programs that are more than cairn, such as tests, know what to be
	}
	cmd.Dir, cmd.Env = dir, withoutJob(os.Environ())
	apart(cmd)
	return cmd
}

// keepCommand is cairn remote keep, which tells the git remote what it does not know yet, within what the budget has to
// spare. Cairn starts it after commands that write; no person types it.
type keepCommand struct{ *program }

func (p keepCommand) command() *cli.Command {
	return &cli.Command{
		Name: "keep", Usage: "Keep claims at the git remote; cairn starts it so in the background.", Hidden: true,
		Action: func(ctx context.Context, c *cli.Command) error {
			w, s, err := p.open(ctx, c)
			if err != nil || !s.Shares() {
				return err
			}
			_, err = remote.Of(s, w.Actor(), w.Now).Sync(ctx)
			return err
		},
	}
}
