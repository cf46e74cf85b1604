//go:build unix

package disk

import (
	"os"
	"syscall"
)

// SameDevice reports whether two paths are known to lie in one file system.
func SameDevice(a, b string) bool {
	one, ok := device(a)
	two, ok2 := device(b)
	return ok && ok2 && one == two
}

func device(path string) (uint64, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(sys.Dev), true //nolint:unconvert // its type differs from one system to the next
}
