package check

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// mark is what every process of one check carries and cannot put off: a value of RLIMIT_LOCKS, which Linux has kept
// without a meaning since 2.4.25. A limit is inherited through fork, exec and setsid, cleared environments and closed
// files notwithstanding, and only a privileged process can raise it again.
//
// The ones at the end of a mark are the room in which the checks that a check runs find theirs: all numbers that share
// the bits above belong to it. "Unlimited", all ones, is the whole room. 0 is no mark.
type mark uint64

// leastRoom still tells the checks of one parent apart. Three checks fit into each other.
const leastRoom = 16

// serial makes the marks of this process differ; it starts anywhere, so that those of two processes do too.
var serial = rand.Uint64()

// newMark picks a mark for a check that this process runs, or none if the room is used up.
func newMark() mark {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &own); err != nil {
		return 0
	}
	return markWithin(own.Max, atomic.AddUint64(&serial, 1))
}

// markWithin picks the nth mark in the room of a limit: the limit's upper bits, n, a zero, and half of its ones.
func markWithin(limit, n uint64) mark {
	room := bits.TrailingZeros64(^limit)
	if room < leastRoom {
		return 0
	}
	inner := room / 2
	n <<= inner + 1
	return mark(limit&^ones(room) | n&ones(room) | ones(inner))
}

// owns tells whether a process with this limit belongs to the check of the mark.
func (m mark) owns(limit uint64) bool {
	room := bits.TrailingZeros64(^uint64(m))
	return m != 0 && limit>>room == uint64(m)>>room
}

// put gives the mark to a process, and with it to all that it will start.
func (m mark) put(pid int) error {
	return unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: uint64(m)}, nil)
}

func ones(n int) uint64 { return 1<<n - 1 }
