package check

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepPatience is how long a sweep goes on. Killed processes are gone in milliseconds, but for one that waits for a
// disk or a network that does not answer.
const sweepPatience = 2 * time.Second

// sweep kills all processes that carry the mark, wherever they stand in the tree, until none is left running.
func (m mark) sweep() {
	if m == 0 {
		return
	}
	dead := map[int]bool{}
	deadline := time.Now().Add(sweepPatience)
	for wait := 50 * time.Microsecond; m.killAll(dead) && time.Now().Before(deadline); wait = min(2*wait, 20*time.Millisecond) {
		time.Sleep(wait)
	}
}

// killAll kills what carries the mark and tells whether to look again: something was still running, or ended while we
// looked and may have started another. The dead that nobody has waited for are told once; it remembers them.
func (m mark) killAll(dead map[int]bool) (again bool) {
	for _, pid := range processes() {
		marked, err := m.on(pid)
		if errors.Is(err, syscall.ESRCH) {
			again = true
		}
		if !marked || errors.Is(m.kill(pid), syscall.EPERM) || dead[pid] {
			continue
		}
		dead[pid] = !alive(pid)
		again = true
	}
	return again
}

// on tells whether a process carries the mark. It fails with ESRCH if there is no such process, and with EPERM if that
// belongs to somebody else.
func (m mark) on(pid int) (bool, error) {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit)
	return err == nil && m.owns(limit.Max), err
}

// kill kills a process that carries the mark. The process is held before it is looked at once more, so that it is not
// another one that got its number meanwhile.
func (m mark) kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	if marked, _ := m.on(pid); !marked {
		return os.ErrProcessDone
	}
	return p.Kill()
}

// processes lists the numbers of all processes that can be seen; none where /proc is not mounted.
func processes() (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// alive tells whether a process runs. One that ended and that nobody has waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	state := bytes.LastIndex(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(stat[state+1:], []byte(" Z"))
}
