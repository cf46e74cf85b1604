//go:build unix

package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe or a device in live state holds nobody up.
func TestPipesInLiveState(t *testing.T) {
	for _, kind := range []string{"a pipe", "a device"} {
		for i := range liveFiles(&Store{}) {
			s, around := hostileStore(t, true)
			path := liveFiles(s)[i]
			t.Run(filepath.Base(path)+" is "+kind, func(t *testing.T) {
				t.Parallel()
				_ = os.Remove(path)
				put := func() error { return syscall.Mkfifo(path, 0o644) }
				if kind == "a device" {
					put = func() error { return syscall.Mknod(path, syscall.S_IFCHR|0o644, 1<<8|5) } // /dev/zero
				}
				if err := put(); err != nil {
					t.Skip(err)
				}
				at := reopen(t, s.Root)
				at.lockPatience = time.Second
				everything(t, at)
				_ = around
			})
		}
	}
}
