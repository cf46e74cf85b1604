package proc

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

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
