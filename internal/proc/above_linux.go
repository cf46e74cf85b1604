package proc

import (
	"fmt"
	"math/bits"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// parents returns a function that tells the parent of a process; 0 if it is not known.
func parents() func(int) int {
	return func(pid int) int {
		p, err := statOf(pid)
		if err != nil {
			return 0
		}
		return p.parent
	}
}

func environOf(pid int) []string {
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil
	}
	return strings.Split(string(src), "\x00")
}

// leastMark is less than any mark, since its highest bits are drawn at random, and more than anybody would limit locks
// to.
const leastMark = 1 << 40

// marked reports whether the limit of this process is a mark.
func marked() bool {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &own); err != nil || own.Max < leastMark {
		return false
	}
	room := bits.TrailingZeros64(^own.Max)
	return room < 64 && room >= leastRoom/2
}

// conclusive reports whether a process could have taken its mark away: a privileged one could.
func conclusive() bool { return os.Geteuid() != 0 && newMark() != 0 }

// Mine reports whether this process is one of the command of a trace, by the mark that it inherited.
func (t Trace) Mine() bool {
	var own unix.Rlimit
	return t.Mark != 0 && t.Boot == boot() && unix.Getrlimit(unix.RLIMIT_LOCKS, &own) == nil && mark(t.Mark).owns(own.Max)
}

var adopting struct {
	sync.Mutex
	users int
}

// Adopt makes this process the parent of whatever processes of its commands lose theirs, so that they stay below it,
// until release is called.
func Adopt() (release func()) {
	adopting.Lock()
	defer adopting.Unlock()
	if adopting.users++; adopting.users == 1 {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // without it the mark tells them
	}
	return sync.OnceFunc(func() {
		adopting.Lock()
		defer adopting.Unlock()
		if adopting.users--; adopting.users == 0 {
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		}
	})
}

const buryEvery = 2 * time.Second

// bury waits for the processes of the group that this process adopted and that have ended, now and then until the
// function that it returns is called.
func (g *group) bury() (stop func()) {
	adopting.Lock()
	adopts := adopting.users > 0
	adopting.Unlock()
	if !adopts || g.mark == 0 {
		return func() {}
	}
	once := func() {
		for _, pid := range processes() {
			p, err := statOf(pid)
			if err != nil || !p.ended || p.parent != os.Getpid() || pid == g.cmd.Process.Pid {
				continue
			}
			if owned, _ := g.mark.on(pid); owned {
				_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
			}
		}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(buryEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				once()
				return
			case <-tick.C:
				once()
			}
		}
	}()
	return func() { close(done); <-gone }
}
