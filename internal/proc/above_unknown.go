//go:build !linux && !darwin && !windows

package proc

import "os"

// parents returns a function that knows the parent of this process alone.
func parents() func(int) int {
	return func(pid int) int {
		if pid == os.Getpid() {
			return os.Getppid()
		}
		return 0
	}
}

func environOf(int) []string { return nil }
