package proc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/cairn-tasks/cairn/internal/disk"
	"golang.org/x/sys/unix"
)

// end kills what the trace leads to, and returns what is still running.
func (t Trace) end() (left []int) {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left = t.running()
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// running lists the processes of the command. What it lists is killed at once: a number is not given again within that
// time.
func (t Trace) running() (pids []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	led := t.Group != 0 && t.Started != 0 && t.Boot == boot() && startOf(t.Group) == t.Started
	for _, p := range all {
		const zombie = 5 // SZOMB
		pid := int(p.Proc.P_pid)
		if pid == os.Getpid() || p.Proc.P_stat == zombie {
			continue
		}
		if led && int(p.Eproc.Pgid) == t.Group || t.Job != "" && jobIn(pid) == t.Job {
			pids = append(pids, pid)
		}
	}
	return pids
}

// startOf is when a process began, in microseconds; 0 if there is none.
func startOf(pid int) uint64 {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return uint64(p.Proc.P_starttime.Sec)*1_000_000 + uint64(p.Proc.P_starttime.Usec)
}

// jobIn is the job that the environment of a process named when it began; "" if it named none, or may not be read.
func jobIn(pid int) string {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return ""
	}
	return jobOf(strings.Split(string(args), "\x00"))
}

// boot names the run of the system, within which a start time means something.
var boot = sync.OnceValue(func() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
})

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
