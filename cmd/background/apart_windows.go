package background

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart gives a command no console and a process group of its own, so that no Ctrl-C of this one reaches it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

func openLog(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}
