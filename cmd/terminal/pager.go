package terminal

import (
	"bytes"
	"errors"
	"os"
	"os/exec"

	"golang.org/x/term"
)

// Rows is how many lines a stream shows at once; 0 for one that is no terminal.
func Rows(stream any) int {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	_, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return rows
}

// notFound is the least number with which a shell exits that could not start a command.
const notFound = 126

// Page shows a text through a pager, a command of the user's that the shell reads, and waits until it is left. It
// reports false where the pager could not be started, and nothing was shown.
func Page(command string, env []string, to *os.File, text []byte) (shown bool) {
	pager := exec.Command("sh", "-c", command)
	pager.Env = append(os.Environ(), env...)
	pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text), to, to
	err := pager.Run()
	if exit, ran := errors.AsType[*exec.ExitError](err); ran {
		return exit.ExitCode() < notFound
	}
	return err == nil || pager.ProcessState != nil
}
