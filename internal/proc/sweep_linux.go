package proc

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"golang.org/x/sys/unix"
)

// sweepPatience is how long a sweep goes on. A killed process is gone within milliseconds unless it hangs in the
// kernel, waiting for a disk or a network.
const sweepPatience = 2 * time.Second

// owns reports whether a process is one of those that a sweep is for. It returns ESRCH if there is no such process, and
// EPERM if the process belongs to another user.
type owns func(pid int) (bool, error)

// sweep kills every process that is owned, until none is left running.
func sweep(is owns) {
	dead := map[int]bool{}
	deadline := time.Now().Add(sweepPatience)
	for wait := 50 * time.Microsecond; is.killAll(dead) && time.Now().Before(deadline); wait = min(2*wait, 20*time.Millisecond) {
		time.Sleep(wait)
	}
}

// killAll kills every process that is owned. It reports whether to do so again: a process was still running, or ended
// during the scan and may have started another. dead collects the processes that have ended and that nobody has waited
// for, so that each asks for one more scan only.
func (is owns) killAll(dead map[int]bool) (again bool) {
	for _, pid := range processes() {
		owned, err := is(pid)
		if errors.Is(err, syscall.ESRCH) {
			again = true
		}
		if !owned || errors.Is(is.kill(pid), syscall.EPERM) || dead[pid] {
			continue
		}
		dead[pid] = !alive(pid)
		again = true
	}
	return again
}

// kill kills a process if it is owned. It opens a handle to the process first and asks again, so that it never kills
// another process that was given the same number meanwhile.
func (is owns) kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	if owned, _ := is(pid); !owned {
		return os.ErrProcessDone
	}
	return p.Kill()
}

// startPause is longer than a process needs from its fork, when it has the environment of its parent still, to its
// exec.
const startPause = 10 * time.Millisecond

// end kills what the trace leads to, and returns what is still running.
func (t Trace) end() (left []int) {
	sweep(t.on)
	if t.Job != "" {
		time.Sleep(startPause)
		sweep(t.on)
	}
	for _, pid := range processes() {
		if owned, _ := t.on(pid); owned && alive(pid) {
			left = append(left, pid)
		}
	}
	return left
}

// on reports whether a process belongs to the command of the trace: a member of its process group, while the leader
// that was recorded still has its number; a process that carries its mark, began after it, and names no other job; or
// one that names its job. This process itself never does.
func (t Trace) on(pid int) (bool, error) {
	if pid == os.Getpid() {
		return false, nil
	}
	p, err := statOf(pid)
	if err != nil {
		return false, err
	}
	if t.inGroup(p) {
		return true, nil
	}
	marked := false
	if t.Mark != 0 && t.Boot == boot() && p.started >= t.Started {
		if marked, err = mark(t.Mark).on(pid); err != nil {
			return false, err
		}
	}
	if t.Job == "" {
		return marked, nil
	}
	named := jobIn(pid)
	return named == t.Job || marked && named == "", nil
}

// inGroup reports whether a process is in the recorded group, and the group is led by the recorded leader: no other
// process can have been given its number then.
func (t Trace) inGroup(p stat) bool {
	if t.Group == 0 || p.group != t.Group || t.Started == 0 || t.Boot != boot() || t.Space != space() {
		return false
	}
	leader, err := statOf(t.Group)
	return err == nil && leader.started == t.Started
}

type stat struct {
	ended   bool // and nobody has waited for it
	parent  int
	group   int
	started uint64 // in ticks since the start of the system
}

// statOf reads the stat of a process. It returns ESRCH if there is no such process.
func statOf(pid int) (stat, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return stat{}, syscall.ESRCH
	}
	if err != nil {
		return stat{}, err
	}
	// The name of the program, in parentheses, may hold anything. The state is the third field, the parent the fourth,
	// the group the fifth, and the start the twenty-second.
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat is cut", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return stat{}, err
	}
	group, err := strconv.Atoi(fields[2])
	if err != nil {
		return stat{}, err
	}
	started, err := strconv.ParseUint(fields[19], 10, 64)
	return stat{fields[0] == "Z", parent, group, started}, err
}

// jobIn is the job that the environment of a process named when it began; "" if it named none, or may not be read.
func jobIn(pid int) string {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return ""
	}
	return jobOf(strings.Split(string(env), "\x00"))
}

// boot names the run of the system, within which a start time means something.
var boot = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id))
})

// space names the numbering of processes that this one lives in: a container has its own.
var space = sync.OnceValue(func() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
})

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
	p, err := statOf(pid)
	return err == nil && !p.ended
}

// Inside lists the processes whose working directory is a folder or lies in it; this process may be one of them. It
// returns an error if it cannot tell, as where /proc is missing or shows only a part.
//
// A process of another user, or one that hides from its own, shows no directory. Those cannot be known to be elsewhere,
// but there are always some, so they are taken for what they are: no part of the work of this user.
func Inside(folder string) ([]Process, error) {
	if _, err := os.Readlink("/proc/self/cwd"); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if err != nil || !disk.Within(folder, strings.TrimSuffix(dir, " (deleted)")) {
			continue
		}
		name, _ := disk.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		found = append(found, Process{pid, strings.TrimSpace(string(name))})
	}
	return found, nil
}

// mark identifies the processes of one command: a value of the limit RLIMIT_LOCKS, which has had no effect since Linux
// 2.4.25. A process inherits its limits through fork, exec and setsid, whatever happens to its environment and files,
// and only a privileged process can raise one again.
//
// A command may run commands of its own, and their marks must be lower limits. So the trailing 1-bits of a mark are
// free for nested marks: every value that shares the higher bits belongs to this mark. All ones, "unlimited", is what a
// process without a mark has; all of its bits are free. 0 means that there is no mark.
type mark uint64

// leastRoom is the fewest free bits in which a nested mark is made: enough to tell the commands of one parent apart.
// Three levels of commands fit into 64 bits.
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

// markWithin returns the nth mark within a limit: the limit's higher bits, then n, a zero bit, and half of its trailing
// 1-bits.
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

// sweep kills every process that carries the mark, whoever its parent is, until none is left running.
func (m mark) sweep() {
	if m != 0 {
		sweep(m.on)
	}
}

// on reports whether a process carries the mark. It returns ESRCH if there is no such process, and EPERM if the process
// belongs to another user.
func (m mark) on(pid int) (bool, error) {
	var limit unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit)
	return err == nil && m.owns(limit.Max), err
}
