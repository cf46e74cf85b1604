package proc

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mark identifies the processes of one command: a value of the limit RLIMIT_LOCKS, which has had no effect since Linux 2.4.25.
// A process inherits its limits through fork, exec and setsid, whatever happens to its environment and files, and only a
// privileged process can raise one again.
//
// A command may run commands of its own, and their marks must be lower limits. So the trailing 1-bits of a mark are free for
// nested marks: every value that shares the higher bits belongs to this mark. All ones, "unlimited", is what a process without
// a mark has; all of its bits are free. 0 means that there is no mark.
type mark uint64

// leastRoom is the fewest free bits in which a nested mark is made: enough to tell the commands of one parent apart. Three
// levels of commands fit into 64 bits.
const leastRoom = 16

// serial makes the marks of this process differ. It starts at random, so that the marks of two processes differ too.
var serial = rand.Uint64()

// newMark returns a mark for a command that this process runs, or 0 if too few bits are free.
func newMark() mark {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &own); err != nil {
		return 0
	}
	return markWithin(own.Max, atomic.AddUint64(&serial, 1))
}

// markWithin returns the nth mark within a limit: the limit's higher bits, then n, a zero bit, and half of its trailing 1-bits.
func markWithin(limit, n uint64) mark {
	room := bits.TrailingZeros64(^limit)
	if room < leastRoom {
		return 0
	}
	inner := room / 2
	n <<= inner + 1
	return mark(limit&^ones(room) | n&ones(room) | ones(inner))
}

// owns reports whether a process with this limit belongs to the mark.
func (m mark) owns(limit uint64) bool {
	room := bits.TrailingZeros64(^uint64(m))
	return m != 0 && limit>>room == uint64(m)>>room
}

// put sets the mark of a process, which every process that it starts from now on inherits.
func (m mark) put(pid int) error {
	return unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: uint64(m)}, nil)
}

func ones(n int) uint64 { return 1<<n - 1 }

// sweepPatience is how long a sweep goes on. A killed process is gone within milliseconds unless it hangs in the kernel, waiting
// for a disk or a network.
const sweepPatience = 2 * time.Second

// sweep kills every process that carries the mark, whoever its parent is, until none is left running.
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

// killAll kills every process that carries the mark. It reports whether to do so again: a process was still running, or ended
// during the scan and may have started another. dead collects the processes that have ended and that nobody has waited for,
// so that each asks for one more scan only.
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

// on reports whether a process carries the mark. It returns ESRCH if there is no such process, and EPERM if the process
// belongs to another user.
func (m mark) on(pid int) (bool, error) {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit)
	return err == nil && m.owns(limit.Max), err
}

// kill kills a process if it carries the mark. It opens a handle to the process first and reads the mark again, so that it never
// kills another process that was given the same number meanwhile.
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

// processes lists the ids of all processes in /proc; none where that is not mounted.
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

// alive reports whether a process runs. One that has ended and that nobody has waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	state := bytes.LastIndex(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(stat[state+1:], []byte(" Z"))
}
