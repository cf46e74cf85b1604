package proc

import (
	"strings"

	"golang.org/x/sys/unix"
)

// parents returns a function that tells the parent of a process; 0 if it is not known.
func parents() func(int) int {
	return func(pid int) int {
		p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			return 0
		}
		return int(p.Eproc.Ppid)
	}
}

func environOf(pid int) []string {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil
	}
	return strings.Split(string(args), "\x00")
}
