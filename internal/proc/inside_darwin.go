package proc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// What proc_pidinfo(PROC_PIDVNODEPATHINFO) is called by, and where its answer has the path of the working directory.
const (
	procInfoCall = 336
	pidInfo      = 2
	vnodePaths   = 9
	answerSize   = 2352
	pathAt       = 152
	pathSize     = 1024
)

// Inside lists the processes whose working directory is a folder or lies in it; this process may be one of them. It
// returns an error if it cannot tell. A process of another user shows no directory.
func Inside(folder string) ([]Process, error) {
	mine, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if mine, err = filepath.EvalSymlinks(mine); err != nil {
		return nil, err
	}
	if seen := folderOf(os.Getpid()); seen != mine {
		return nil, errors.New("this system does not show in which folders processes work")
	}
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, p := range all {
		pid := int(p.Proc.P_pid)
		if dir := folderOf(pid); dir != "" && disk.Within(folder, dir) {
			name, _, _ := bytes.Cut(p.Proc.P_comm[:], []byte{0})
			found = append(found, Process{pid, string(name)})
		}
	}
	return found, nil
}

// folderOf is the working directory of a process; "" if it is not shown.
func folderOf(pid int) string {
	var answer [answerSize]byte
	n, _, errno := syscall.Syscall6(procInfoCall, pidInfo, uintptr(pid), vnodePaths, 0, uintptr(unsafe.Pointer(&answer[0])), answerSize)
	if errno != 0 || n != answerSize {
		return ""
	}
	path, _, _ := bytes.Cut(answer[pathAt:pathAt+pathSize], []byte{0})
	return string(path)
}
